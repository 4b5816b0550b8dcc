#!/bin/sh
# Threads that are many, short-lived, cancelled, older than main, or forked from: the program does what it does
# without mprof, and nothing that they allocate is lost or counted twice.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

# Nothing is lost between threads that begin and end.
for event in short live outlive keys; do
    same "$event" "$programs/process_threads" $event
    exact "$event" block event.data
    whole "$event" event.data
    is "$event: nothing dropped" "$(total dropped event.data)" 0
done

# How often these threads allocate is random.
for event in deferred asynchronous fork; do
    profile event.data "$programs/process_threads" $event
    is "$event: status" "$status" 0
    empty "$event: nothing said" err
    exact "$event" block event.data*
    whole "$event" event.data
    is "$event: nothing dropped" "$(total dropped event.data)" 0
    case $event in
    asynchronous) at_least "$event: in the midst of computing" "$(expected cancelled-computing out)" 200 ;;
    fork) is "$event: each child has its file" "$(find . -name 'event.data.*' | wc -l)" 200 ;;
    esac
    rm -f event.data*
done

profile event.data "$programs/process_threads" exit
is "exit amid threads: status" "$status" 7
between "exit amid threads" block event.data
torn=4          # threads
whole "exit amid threads" event.data
plan
# SPDX-License-Identifier: MIT
