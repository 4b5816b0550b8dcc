#!/bin/sh
# mprof leaks: nothing is lost of threads that have ended, whose stacks glibc keeps, that nobody has joined, or that
# have not run yet (tests/programs/leak_threads.cc).
. "${srcdir:-.}/tests/e2e/lib.sh"

# lost FILE: prints what is definitely and possibly lost.
lost()
{
    sed -nE 's/^(mprof: *)?(definitely|possibly) lost *(.*)/\3/p' "$1" | paste -sd, -
}

nothing='0 bytes in 0 blocks,0 bytes in 0 blocks'
for how in thread async detached cancelled unborn unjoined; do
    run "$mprof" run --leaks -o "$how.data" "$programs/leak_threads" $how
    is "$how: nothing is lost" "$status $(lost err)" "0 $nothing"
    returns "... so --error finds nothing" 0 "$mprof" leaks --error "$how.data"
done
run "$mprof" run --leaks -o dropped.data "$programs/leak_threads" dropped
is "the result of a joined thread may be lost" "$(lost err)" "3,001 bytes in 1 block,0 bytes in 0 blocks"

# ask_running HOW: runs mprof leaks --error on the process while it runs, and then ends it.
ask_running()
{
    mkfifo "$1.in"
    LD_PRELOAD=$library MPROF_FILE=$1.running "$programs/leak_threads" "$1" wait <"$1.in" >"$1.ready" &
    pid=$!
    exec 3>"$1.in"
    until_true 60 grep -q ready "$1.ready"
    "$mprof" leaks --error --wait=60 "$pid" >out 2>err &
    asks=$!
    while kill -0 $asks 2>/dev/null; do echo >&3; sleep 0.1; done
    wait $asks
    status=$?
    exec 3>&-
    wait $pid
}
for how in thread detached cancelled unborn unjoined; do
    ask_running $how
    is "$how: of a process that runs" "$status $(lost out)" "0 $nothing"
done
plan
# SPDX-License-Identifier: MIT
