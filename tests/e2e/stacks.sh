#!/bin/sh
# The depths of threads' stacks at their deepest allocations are exactly those that the program prints. Other stacks
# do not count, as the report says.
. "${srcdir:-.}/tests/e2e/lib.sh"

# stack NAME FILE: prints "THREADS BYTES" from the head, without commas.
stack()
{
    "$mprof" report --table=bins --no-pager "$2" | tr -d , |
        awk -v name="$1" '/^Stack +[0-9]/ && $7 == name { print $2, $3; found = 1 }
            END { if (!found) print "none" }'
}

bytes()
{
    stack "$1" "$2" | cut -d' ' -f2
}

# depths FILE HOW...: records tests/programs/stack_depths.c.
depths()
{
    rm -f "$1" "$1".*
    profile "$1" "$programs/stack_depths" ${2+"$2"} ${3+"$3"}
    mv out printed
}

# deepest NAME: prints the largest number that was printed after NAME.
deepest()
{
    awk -v name="$1" '$1 == name && $2 > most { most = $2 } END { print most + 0 }' printed
}

if [ "$(uname -m)" != x86_64 ]; then
    depths shallow.data shallow
    is "no figure where chains are not walked by rules" "$(stack main shallow.data)" none
    plan
    exit
fi

# The distance from the beginning of the program's stack to the outermost frame is always the same.
depths shallow.data shallow
is "main: runs" "$status" 0
at_most "main: _start is near the arguments" $(($(deepest main) - $(bytes main shallow.data))) 64
gap=$(($(deepest main) - $(bytes main shallow.data)))

# exactly TEXT HOW [NEXT]: tests that main's figure is the one that the program printed.
exactly()
{
    depths main.data "$2" ${3+"$3"}
    is "$1" "$(stack main main.data)" "1 $(($(deepest main) - gap))"
}
away='^Stack +allocations on other stacks'
said_away()
{
    "$mprof" report --table=bins --no-pager "$2" >text
    has "$1" text "$away"
}
exactly "a deep recursion, then less" deep
exactly "deeper with each allocation, then less by others" deeper
MPROF_DEEP=1 && export MPROF_DEEP
exactly "the same where all chains are deep ones" deeper
unset MPROF_DEEP
exactly "a frame of many pages" large
exactly "handlers on the thread's stack" signals
"$mprof" report --table=bins --no-pager main.data >text
hasnt "... which is its own" text "$away"
exactly "handlers that jump away" jump
exactly "handlers on another stack do not count" alternate
said_away "... and that is said" main.data
exactly "nor do they if that is an array on the thread's stack" within
said_away "... and that is said, too" main.data
exactly "coroutines do not count" coroutine
said_away "... and that is said" main.data
exactly "after coroutines the thread's own stack counts" coroutine deep
exactly "killed" shallow killed
is "... by SIGKILL" "$status" 137

rm -f anew.data
depths main.data deep anew
is "a recording that begins later does not know of what was deeper" "$(stack main anew.data)" \
    "1 $(($(tail -n 1 printed | cut -d' ' -f2) - gap))"

# The distance from a thread's start to its first function is the same in all threads.
depths threads.data threads
before=$(($(bytes probe threads.data) - $(deepest probe)))
at_most "a thread starts near its first function" "$before" 1024
is "threads that began with one function: how many, and the deepest" "$(stack worker threads.data)" \
    "4 $(($(deepest worker) + before))"
is "one that allocates in its first function" "$(stack probe threads.data)" "1 $(($(deepest probe) + before))"

depths threads.data own_memory
is "a thread on memory of the program's" "$(stack user threads.data)" "1 $(($(deepest user) + before))"
depths threads.data guests
is "a thread with a coroutine" "$(stack guest threads.data)" "1 $(($(deepest guest) + before))"
said_away "... whose stack is not its own" threads.data

MPROF_FOLLOW=1 && export MPROF_FOLLOW
depths threads.data parents
unset MPROF_FOLLOW
is "a thread that forks" "$(stack parent threads.data)" "1 $(($(deepest parent) + before))"
is "its child has the same stack" "$(stack parent threads.data.*)" "1 $(($(deepest child) + before))"

depths together.data together
is "twenty threads at the same time" "$(stack waiting together.data | cut -d' ' -f1)" 20
depths many.data many
is "1500 threads, one after the other" "$(stack worker many.data)" "1500 $(($(deepest worker) + before))"
depths threads.data threads
at_most "... which take no more of the file than four" "$(wc -c <many.data)" "$(($(wc -c <threads.data) + 65536))"

# The sealed file, and totals.
depths live.data threads
run "$mprof" run -o sealed.data "$programs/stack_depths" threads
is "sealed: the same" "$(stack worker sealed.data) $(stack probe sealed.data)" \
    "$(stack worker live.data) $(stack probe live.data)"
is "totals: the deepest of all" "$(total stack sealed.data)" "$(bytes worker sealed.data)"

# While the process runs.
rm -f printed
LD_PRELOAD=$library MPROF_FILE=waits.data "$programs/stack_depths" deep waits >printed &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
until_true 60 test -s printed
is "it runs: so far" "$(stack main waits.data)" "1 $(($(deepest main) - gap))"
kill $pid
wait $pid 2>/dev/null

# A sampled recording has the depths of its samples only; if everything is sampled, of all allocations.
MPROF_SAMPLE=1 && export MPROF_SAMPLE
depths sampled.data deep
unset MPROF_SAMPLE
"$mprof" report --table=bins --no-pager sampled.data >text
has "sampled: said to be of samples" text '^Stack .* main, at its deepest sampled allocation$'
is "... of which each is one here" "$(stack main sampled.data)" "1 $(($(deepest main) - gap))"

# If chains are not walked to their ends by rules, there is no figure.
for option in DEPTH=3 UNWINDER=fp UNWINDER=libunwind; do
    name=MPROF_${option%=*}
    export "$name=${option#*=}"
    depths other.data deep
    unset "$name"
    is "$option: no figure" "$(stack main other.data) $(total stack other.data)" "none 0"
done

# Real programs, compared with a log that a library between the monitor and the allocator writes. real TEXT
# COMMAND...: tests that main's figure is that of the log.
real()
{
    text=$1
    shift
    also=$programs/.libs/stack_log.so
    STACK_LOG=$tmp/printed PYTHONMALLOC=malloc profile "$tmp/real.data" "$@"
    also=
    is "$text: runs" "$status" 0
    is "$text: main's stack" "$(total stack real.data)" "$(($(deepest main) - gap))"
}
if need "$python"; then
    real "a recursion in Python" "$python" -c 'import json; json.loads("[" * 900 + "]" * 900)'
else
    skip "a recursion in Python" "$missing"
fi
if need jq; then
    real "jq" jq -n '[range(500)] | map(tostring) | add'
else
    skip "jq" "$missing"
fi
plan
