#!/bin/sh
# Handlers jump out of the monitor itself. The monitor notices that, wherever the program allocates next; if it was
# interrupted twice, only the inner activation was left.
. "${srcdir:-.}/tests/e2e/lib.sh"

for unwinder in rules libunwind; do
    MPROF_UNWINDER=$unwinder
    export MPROF_UNWINDER
    profile left.data "$programs/left" 200 50000
    unset MPROF_UNWINDER
    is "$unwinder: status" "$status" 0
    is "$unwinder: what is allocated deeper afterwards" \
        "$(books self deep left.data | cut -d' ' -f1-4)" "50000 2400000 50000 2400000"
    is "$unwinder: with its whole chain" \
        "$("$mprof" export -F chains left.data | grep -c ';deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep;deep$')" 1
    at_most "$unwinder: it does not count as interrupting what was left" "$(total nested left.data)" 100

    MPROF_UNWINDER=$unwinder
    export MPROF_UNWINDER
    profile nested.data "$programs/nested" 300
    unset MPROF_UNWINDER
    is "$unwinder, a handler in a handler: status" "$status" 0
    numbers=$(sed -n 's/^main //p' out)
    is "$unwinder, a handler in a handler: what was interrupted goes on" \
        "$(books self main_block nested.data | cut -d' ' -f1-4)" "$numbers $numbers"
    if [ "$unwinder" = rules ]; then
        numbers=$(sed -n 's/^handler //p' out)
        is "$unwinder, a handler in a handler: what was jumped into goes on" \
            "$(books self handler_block nested.data | cut -d' ' -f1-4)" "$numbers $numbers"
    fi
    is "$unwinder, a handler in a handler: no thread" "$(total threads nested.data)" 1
    at_most "$unwinder, a handler in a handler: nothing of ours leaks" \
        "$(wc -c <nested.data)" 3000000
done
plan
# SPDX-License-Identifier: MIT
