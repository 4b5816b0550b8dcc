#!/bin/sh
# Threads: nothing is lost, and blocks that another thread frees are credited to those who
# allocated them.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
profile foreign.data "$programs/foreign" 80000
is "foreign: runs" "$status" 0
mv out printed
is "foreign: make_block has all of them" "$(books self make_block foreign.data | cut -d' ' -f1-4)" \
    "$(expected allocs printed) $(expected bytes printed) $(expected frees printed) $(expected freed printed)"
is "foreign: no free without a block" "$(total foreign-frees foreign.data)" 0

for n in 2 8; do
    profile threads.data "$programs/threads" 100000 $n
    is "$n threads: runs" "$status" 0
    mv out printed
    is "$n threads: pairs" "$(books self pair threads.data | cut -d' ' -f1-4)" \
        "$(expected allocs printed) $(expected bytes printed) $(expected frees printed) $(expected bytes printed)"
    is "$n threads: nothing dropped" "$(total dropped threads.data)" 0
done

# Torture in threads: what is allocated is freed, whatever way the stack goes.
profile torture.data "$programs/torture" 10 3
is "torture: runs" "$status" 0
is "torture: says ok" "$(cat out)" ok
is "torture: all that touch() allocates is freed" \
    "$(books self touch torture.data | awk '{ print $1 - $3, $2 - $4 }')" "0 0"
plan
