#!/bin/sh
# Blocks whose end was not seen are counted as such when their address is allocated again; and frees where not even a
# handler's frees can be recorded.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

# The recorded frees are those of free(), and blocks whose address was allocated again.
for what in unseen kinds among huge; do
    same "$what" "$programs/objects" $what
    if [ "$status" = 50 ]; then
        skip "$what: exact" "this machine gives nobody that much memory"
        continue
    fi
    is "$what: exact" "$(sum block event.data)" "$(expected allocs out) $(expected bytes out) \
$(($(expected frees out) + $(expected again out))) $(($(expected freed out) + $(expected again-bytes out)))"
    is "$what: frees not seen" "$(total unseen-frees event.data)" "$(expected again out)"
    is "$what: no other is missing" "$(total dropped event.data) $(total foreign-frees event.data)" "0 0"
    at_least "$what: it was so" "$(expected again out)" 1
    whole "$what" event.data
done
profile event.data "$programs/objects" unseen
is "unseen: the peak" "$(books self block event.data | cut -d' ' -f5,6)" \
    "$((($(expected allocs out) - $(expected again out)) * 1000)) $(($(expected allocs out) - $(expected again out)))"
run "$mprof" run -q -o sealed.data "$programs/objects" unseen
again=$(expected again out)
is "unseen: sealed" "$(head -c 8 sealed.data) $(total unseen-frees sealed.data)" "MPROFDAT $again"
prints "unseen: the head says so" "^Unseen frees  *$again  " "$mprof" report --no-pager sealed.data

# If each block is sampled, no free is missed because of an old block next to it.
MPROF_SAMPLE=1
export MPROF_SAMPLE
profile event.data "$programs/objects" among
is "among, sampled: frees" "$(total frees event.data)" "$(($(expected frees out) + $(expected again out)))"
is "among, sampled: nothing is kept" "$(total kept-blocks event.data)" 0
unset MPROF_SAMPLE

if [ "$(uname -m)" = x86_64 ]; then
    also=$programs/.libs/bump.so
    profile event.data "$programs/objects" shut-out
    is "shut out: status" "$status" 0
    unseen=$(total unseen-frees event.data)
    at_least "shut out: it happened" "$unseen" 1
    is "shut out: what is lost is a free" "$(total dropped event.data)" 0
    is "shut out: each free is counted, or as lost" \
        "$(($(sum block event.data | cut -d' ' -f3) + unseen))" "$(expected frees out)"
    whole "shut out" event.data
    also=
else
    skip "shut out" "there is a trap flag on x86-64 only"
fi
plan
# SPDX-License-Identifier: MIT
