#!/bin/sh
# Handlers that jump out of the monitor itself: it notices that it was left, wherever the program
# allocates next.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
for unwinder in rules libunwind; do
    MPROF_UNWINDER=$unwinder
    export MPROF_UNWINDER
    profile left.data "$programs/left" 200 50000
    unset MPROF_UNWINDER
    is "$unwinder: status" "$status" 0
    is "$unwinder: what is allocated deeper afterwards" \
        "$(books self deep left.data | cut -d' ' -f1-4)" "50000 2400000 50000 2400000"
    is "$unwinder: with its whole chain" \
        "$("$mprof" dump left.data | grep -c ';deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep$')" 1
    at_most "$unwinder: it does not count as interrupting what was left" "$(total nested left.data)" 100
done
plan
