#!/bin/sh
# Recursion: each byte is counted once for a function, however often the function is on the chain.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile cycles.data "$programs/cycles"
is "runs" "$status" 0
mv out printed
is "allocations" "$(total allocs cycles.data)" "$(expected allocs printed)"
is "bytes" "$(total bytes cycles.data)" "$(expected bytes printed)"
while read -r what function allocs bytes; do
    case $what in
    self)
        is "$function allocates" "$(books self "$function" cycles.data | cut -d' ' -f1,2)" \
            "$allocs $bytes" ;;
    inclusive)
        is "$function is responsible" "$(books inclusive "$function" cycles.data | cut -d' ' -f2)" \
            "$allocs" ;;
    esac
done <printed
returns "graph: status" 0 "$mprof" report cycles.data --no-pager --table=graph
has "direct recursion is no cycle of two" out ' \[[0-9]+\] +direct( <cycle [0-9]+>)?$'
is "three cycles are merged" "$(grep -o '<cycle [0-9]* as a whole>' out | sort -u | wc -l)" 3
"$mprof" report cycles.data --json --table=graph | grep -o '"section": *"[a-z]*"' | uniq | tr -d ' "' | tr '\n' ' ' >sections
is "each is listed twice: its members, then the whole" "$(grep -o 'section:members section:callers section:self' sections |
    wc -l)" 3
plan
# SPDX-License-Identifier: MIT
