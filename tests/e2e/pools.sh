#!/bin/sh
# Objects of the program's own pools that are freed one by one or all at once, belong to an earlier recording, are
# recorded twice, or are recorded while the process forks.
. "${srcdir:-.}/tests/e2e/lib.sh"

pools=$programs/pools

# of FUNCTION FILE: prints allocs bytes frees freed.
of()
{
    books self "$1" "$2" | cut -d' ' -f1-4
}

profile first.data "$pools" sessions second.data
is "sessions: status" "$status" 0
is "sessions: the first" "$(of first first.data)" "130 1300 0 0"
is "sessions: the second has what is its own" \
    "$(of sessions second.data) and $(of second second.data)" "50 1000 50 1000 and 1 20 0 0"
is "sessions: the rest is foreign" "$(total foreign-frees second.data)" 131
prints "sessions: of blocks from before" '^Foreign frees  *130 ' "$mprof" report --no-pager second.data
has "sessions: one was there no more" out '^Unknown frees  *1 '

profile arrays.data "$pools" arrays
is "arrays: status" "$status" 0
is "arrays: each element is an object" "$(of third arrays.data)" "1005 40150 1000 40000"
prints "arrays: one without elements is none" '^Unknown frees  *1 ' "$mprof" report --no-pager arrays.data
is "arrays: the peak" "$(total peak arrays.data)" 40150
run "$mprof" run -q --sample=64 -o sampled.data "$pools" arrays
is "arrays: in samples, what was allocated is exact" "$(total allocs sampled.data) $(total bytes sampled.data)" "1005 40150"

profile twice.data "$pools" twice
is "twice: status" "$status" 0
is "twice: of the first" "$(of first twice.data)" "40 400 40 400"
is "twice: of the second" "$(of second twice.data)" "35 700 30 600"
is "twice: frees not seen" "$(total unseen-frees twice.data)" 30
is "twice: NULL is no object" "$(of twice twice.data)" "0 0 0 0"

profile temporary.data "$pools" temporary
is "temporary: status" "$status" 0
is "temporary: those that are" "$(books self brief temporary.data | cut -d' ' -f1,3,7)" \
    "100 100 100"
is "temporary: those that are not" "$(books self interrupted temporary.data | cut -d' ' -f1,3,7)" \
    "200 200 100"

profile heaptrack.data "$pools" heaptrack
is "heaptrack: status" "$status" 0
is "heaptrack: the objects, and the block that contains them" "$(of reported heaptrack.data)" "51 1500 25 250"
is "heaptrack: realloc, which frees the old one unless it fails" "$(of reported_anew heaptrack.data)" "3 90 2 50"
run "$mprof" report --no-pager heaptrack.data
hasnt "heaptrack: no free is unknown or was not seen" out '^(Unknown|Unseen|Foreign) frees'

# There are 400,000 objects in another pool: searching all of them each time would take minutes.
profile many.data "$pools" many
is "many: status" "$status" 0
is "many: the small pool" "$(of second many.data)" "100000 2000000 100000 2000000"
is "many: the large one" "$(of first many.data)" "400000 4000000 0 0"

profile fork.data "$pools" fork
is "fork: status" "$status" 0
children=0
wrong=
for file in fork.data.*; do
    children=$((children + 1))
    [ "$(of second "$file")" = "2000 40000 2000 40000" ] || wrong="$wrong $file: $(of second "$file")"
done
is "fork: the children" "$children" 100
is "fork: each has its own objects" "$wrong" ""
is "fork: the parent's are whole" "$(of first fork.data | cut -d' ' -f1,2)" \
    "$(of first fork.data | cut -d' ' -f3,4)"
plan
# SPDX-License-Identifier: MIT
