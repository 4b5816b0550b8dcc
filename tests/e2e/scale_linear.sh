#!/bin/sh
# Work grows with what is recorded, and not faster: instructions for n, 2n and 4n contexts and blocks, and
# to read them, which takes some memory for each.  Threads that free each other's blocks work no more when
# they are many, and lock nothing.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
if ! need valgrind objdump "$python"; then
    skip "instructions" "$missing"
    plan
    exit
fi
if [ "$(uname -m)" != x86_64 ]; then
    skip "instructions" "which ones lock the bus is known for x86-64 only"
    plan
    exit
fi

# count FILE OBJECT COMMAND...: what callgrind.py says of COMMAND, in FILE
count()
{
    file=$1
    object=$2
    shift 2
    rm -f callgrind.out
    run env ${preload:+"LD_PRELOAD=$preload" MPROF_FOLLOW=1 "MPROF_FILE=$tmp/valgrind.data"} \
        valgrind -q --tool=callgrind --dump-instr=yes --compress-strings=no \
        --compress-pos=no --callgrind-out-file=callgrind.out "$@"
    # shellcheck disable=SC2086
    PYTHONDONTWRITEBYTECODE=1 $python "$src/tests/bench/callgrind.py" callgrind.out $object >"$file"
}

# recorded FILE COMMAND...: instructions of the library; valgrind's launcher hands it on
recorded()
{
    file=$1
    shift
    rm -f "$tmp"/valgrind.data*
    preload=$library
    count "$file" "$library" "$@"
    preload=
}

# grows TEXT NAME FILE: from FILE.1 to FILE.2, and from there to FILE.4, at most 2.2 times as many
grows()
{
    figures="$(expected "$2" "$3.1") $(expected "$2" "$3.2") $(expected "$2" "$3.4")"
    at_most "$1: hundredths of growth" \
        "$(echo "$figures" | awk '$3 > $2 && $2 > $1 {
            print int(100 * ($3 / $2 > $2 / $1 ? $3 / $2 : $2 / $1)) }')" 220
    echo "# $figures"
}

# What sealing finds out of debug information, whatever is recorded, is in the cache.
unset MPROF_CACHE
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
run "$mprof" run -q -o sealed.data "$programs/contexts" 10 5
is "a first run" "$status" 0

for times in 1 2 4; do
    recorded contexts.$times "$programs/contexts" $((2000 * times)) 5
    recorded blocks.$times "$programs/live_blocks" $((20000 * times))
    count seal.$times "" "$mprof" run -q -o sealed.data "$programs/contexts" $((2000 * times)) 5
    is "sealed: $times" "$(total allocs sealed.data)" $((4000 * times))
    count dump.$times "" "$mprof" export -F chains sealed.data
    count report.$times "" "$mprof" report -v sealed.data
    for threads in 2 64; do
        recorded threads-$threads.$times "$programs/handover" $((32000 * times)) $threads
    done
done
grows "recording contexts" instructions contexts
grows "recording blocks" instructions blocks
grows "dump of contexts" instructions dump
grows "report of contexts" instructions report
grows "sealing contexts" instructions seal

# per_block NAME THREADS: hundredths for each block that is made and dropped
per_block()
{
    echo $(((100 * ($(expected "$1" "threads-$2.4") - $(expected "$1" "threads-$2.2"))) / 64000))
}

for threads in 2 64; do
    grows "blocks of $threads threads" instructions threads-$threads
    # The total that all threads share is added to now and then (counter.h).
    at_most "$threads threads: hundredths of a locked instruction for each block" \
        "$(per_block locked $threads)" 50
done
at_most "instructions for a block with 64 threads" "$(per_block instructions 64)" \
    $(($(per_block instructions 2) * 105 / 100))

# what a report of many contexts takes
rm -f many.data
MPROF_FILE=$tmp/many.data LD_PRELOAD=$library "$programs/contexts" 250000 >printed
size=$("$python" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=open("text", "w"), check=True)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$mprof" report many.data)
has "chains are reported" text '> at_end$'
at_most "bytes of memory for each context" $((size / $(total contexts many.data))) 160
plan
