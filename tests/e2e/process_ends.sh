#!/bin/sh
# Handlers, destructors and faults that allocate near the end of a process. The process ends as without mprof, and these
# allocations are recorded.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

for how in exit:3 quick_exit:4 exit_in_thread:5 exit_in_handler:6 thread_locals:0 terminate:9 \
    bad_alloc:0 stack_overflow:10 segv_handler:0 exception:134 abort_handler:134; do
    name=${how%:*}
    same "$name" "$programs/process_ends" "$name"
    is "$name: as the test means it" "$status" "${how#*:}"
    exact "$name" block event.data
    whole "$name" event.data
done

# The number of allocations is not compared with that without mprof, because mprof's functions need stack space, too.
profile event.data "$programs/process_ends" overflow_in_malloc
is "overflow in malloc: status" "$status" 11
is "overflow in malloc: output" "$(cat out)" back
empty "overflow in malloc: errors" err
torn=3
whole "overflow in malloc" event.data
plan
# SPDX-License-Identifier: MIT
