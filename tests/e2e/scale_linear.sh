#!/bin/sh
# Work grows linearly: instructions for n, 2n and 4n contexts and blocks, and to read them, with bounded memory for
# each. Threads that free each other's blocks do not work more if there are many, and take no lock.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "instructions" valgrind objdump "$python"
[ "$(uname -m)" = x86_64 ] || skip_all "instructions" "which ones lock the bus is known for x86-64 only"

# count FILE COMMAND...: writes callgrind's counts of COMMAND to FILE.
count()
{
    file=$1
    shift
    run env ${preload:+"LD_PRELOAD=$preload" MPROF_FOLLOW=1 "MPROF_FILE=$tmp/valgrind.data"} \
        valgrind -q --tool=callgrind --dump-instr=yes --compress-strings=no \
        --compress-pos=no --callgrind-out-file="$file" "$@"
}

# recorded FILE COMMAND...: like count, but COMMAND is recorded. Because of MPROF_FOLLOW, valgrind's launcher passes the
# library on to COMMAND.
recorded()
{
    rm -f "$tmp"/valgrind.data*
    preload=$library
    count "$@"
    preload=
}

# summed OBJECT FILE...: writes the instructions of OBJECT by file name to `counts`.
summed()
{
    PYTHONDONTWRITEBYTECODE=1 "$python" "$src/tests/e2e/callgrind.py" "$@" >>counts
}

# grows TEXT NAME: tests that instructions grow from NAME.1 to NAME.2, and from there to NAME.4, by a factor of at
# most 2.2.
grows()
{
    figures="$(expected "$2.1:instructions" counts) $(expected "$2.2:instructions" counts) \
$(expected "$2.4:instructions" counts)"
    at_most "$1: hundredths of growth" \
        "$(echo "$figures" | awk '$3 > $2 && $2 > $1 {
            print int(100 * ($3 / $2 > $2 / $1 ? $3 / $2 : $2 / $1)) }')" 220
    echo "# $figures"
}

# Results of reading debug information are in the cache, so that they do not count.
unset MPROF_CACHE
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
returns "a first run" 0 "$mprof" run -q -o sealed.data "$programs/contexts" 10 5

for times in 1 2 4; do
    recorded contexts.$times "$programs/contexts" $((2000 * times)) 5
    recorded blocks.$times "$programs/live_blocks" $((20000 * times))
    recorded deep.$times "$programs/abyss" $((10000 * times)) 1
    rm -f sealed.data
    profile sealed.data "$programs/contexts" $((2000 * times)) 5
    count seal.$times "$mprof" seal sealed.data
    is "sealed: $times" "$(total allocs sealed.data)" $((4000 * times))
    count dump.$times "$mprof" export -F chains sealed.data
    count report.$times "$mprof" report -v sealed.data
    count html.$times "$mprof" html -o page.html sealed.data
    echo "read.$times $(total contexts sealed.data)" >>sizes
    for threads in 2 64; do
        recorded threads-$threads.$times "$programs/handover" $((32000 * times)) $threads
    done
done
recorded random "$programs/deep" 4000 600 700
summed "$library" contexts.* blocks.* threads-*
summed all seal.[124] dump.* report.* html.*
grows "recording contexts" contexts
grows "recording blocks" blocks
grows "dump of contexts" dump
grows "report of contexts" report
grows "page of contexts" html
grows "sealing contexts" seal

# per_context COMMAND: prints the instructions of COMMAND for each context.
per_context()
{
    echo $((($(expected "$1.4:instructions" counts) - $(expected "$1.2:instructions" counts)) /
            ($(expected read.4 sizes) - $(expected read.2 sizes))))
}
at_most "instructions of a report for each context" "$(per_context report)" 3300
at_most "instructions of a page for each context" "$(per_context html)" 7900

# calls FILE FUNCTION: prints how often FUNCTION was called.
calls()
{
    awk -v called="cfn=$2" '/^cfn=/ { now = $0 } /^calls=/ && now == called { n += substr($1, 7) } END { print n + 0 }' "$1"
}

# kept FILE: prints the instructions of mp_known_keep(), which searches a chain for a run of equal frames.
kept()
{
    callgrind_annotate --threshold=100 "$1" | awk '/:mp_known_keep/ { gsub(",", "", $1); n += $1 } END { print n + 0 }'
}
at_most "instructions for known chains at each depth of recursion" $((($(kept deep.4) - $(kept deep.2)) / 20000)) 500

# The chains of random recursion have no long runs, and need not be searched to find that out.
at_most "instructions for known chains, for each allocation in random recursion" $(($(kept random) / 4000)) 100

# What takes time for each context is computed once and passed on, also from a page to the report in it.
is "trees and searches for findings and wrappers: of a report" \
    "$(calls report.4 mp_tree_build) $(calls report.4 mp_findings_new) $(calls report.4 mp_wrappers_find)" "1 1 1"
is "of a page" "$(calls html.4 mp_tree_build) $(calls html.4 mp_findings_new) $(calls html.4 mp_wrappers_find)" "1 1 1"

# per_block NAME THREADS: prints hundredths of the count for each block that is made and freed.
per_block()
{
    echo $(((100 * ($(expected "threads-$2.4:$1" counts) - $(expected "threads-$2.2:$1" counts))) / 64000))
}

for threads in 2 64; do
    grows "blocks of $threads threads" threads-$threads
    # The total that all threads share is updated only now and then (counter.h).
    at_most "$threads threads: hundredths of a locked instruction for each block" \
        "$(per_block locked $threads)" 50
done
at_most "instructions for a block with 64 threads" "$(per_block instructions 64)" \
    $(($(per_block instructions 2) * 105 / 100))

# resident FILE COMMAND...: prints the largest resident memory of COMMAND in bytes. Its output goes to FILE.
resident()
{
    "$python" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "w"), check=True)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

# Memory of a report and a page of 250,000 contexts.
rm -f many.data
MPROF_FILE=$tmp/many.data LD_PRELOAD=$library "$programs/contexts" 250000 >printed
contexts=$(total contexts many.data)
at_most "bytes of memory of a report for each context, with findings" \
    $(($(resident text "$mprof" report many.data) / contexts)) 120
has "chains are reported" text '> at_end( \(contexts\.c:[0-9]+\))?$'
at_most "bytes of memory of a page for each context" \
    $(($(resident printed "$mprof" html -o page.html many.data) / contexts)) 123

# Memory for a deep chain. Each sample is of a deeper chain than the one before, so the memo grows several times.
bare=$(resident printed "$programs/abyss" 200000 1)
sampled=$(resident printed env LD_PRELOAD="$library" MPROF_FILE="$tmp/sampled.data" MPROF_SAMPLE=262144 \
    "$programs/abyss" 200000 1)
at_least "the deepest sample" "$(total depth sampled.data)" 150000
at_most "bytes of memory for each frame of a sampled chain" $(((sampled - bare) / 200000)) 150
plan
# SPDX-License-Identifier: MIT
