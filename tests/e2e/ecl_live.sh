#!/bin/sh
# For each site, the live objects after collections, and the number of collections that they survived, are right.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled live
lisp live.mprof live.fas
is "status" "$status" 0

# Columns of mprof export -F chains --lisp: 1 objects, 4 collected, 6 kept, 8-10 survived 1, 2, 4 or more collections.
kept()
{
    lisp_sum 6 "$1" live.mprof
}

# A few unreachable objects may stay, because stacks are scanned conservatively.
about()
{
    within "$1: about $3" "$2" $(($3 - $4)) $(($3 + $4))
}

about "lists kept by four threads" "$(kept 'LAMBDA in KEEP-LISTS')" 200004 100
about "a list that was dropped" "$(kept DROP-LIST)" 0 100
is "all of the dropped list was made" "$(lisp_sum 1 DROP-LIST live.mprof)" 400000
is "nodes made" "$(objects NODE KEEP-NODES live.mprof)" 11000
about "weakly kept lists" "$(objects CONS WEAK live.mprof)" 2000 0
is "survived one: FIVE-TIMES" "$(lisp_sum 8 FIVE-TIMES live.mprof)" 5001
is "survived four: FIVE-TIMES" "$(lisp_sum 10 FIVE-TIMES live.mprof)" 5001
is "survived two: THREE-TIMES" "$(lisp_sum 9 THREE-TIMES live.mprof)" 3001
is "survived four: THREE-TIMES" "$(lisp_sum 10 THREE-TIMES live.mprof)" 0
is "survived one: ONCE" "$(lisp_sum 8 ONCE live.mprof)" 1001
is "survived two: ONCE" "$(lisp_sum 9 ONCE live.mprof)" 0
about "finalized objects died in the end" "$(kept FINALIZED)" 0 60
at_least "finalized objects survived the first collection" \
    "$(lisp_sum 8 FINALIZED live.mprof)" 900

"$mprof" --lisp report --no-pager --gc live.mprof >gc
has "the survival table" gc '^TABLE 5: SURVIVAL$'
plan
# SPDX-License-Identifier: MIT
