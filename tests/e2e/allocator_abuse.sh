#!/bin/sh
# Misuse and extreme uses of the malloc family. The program's output and status are the same as without mprof, and
# frees of unknown or already freed blocks are counted as such.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

abuse=$programs/allocator_abuse
for what in double stack inside unaligned realloc mapping; do
    same "$what" "$abuse" $what
    at_least "$what: it was noticed" "$status" 128
    whole "$what" event.data
    [ $what = realloc ] && continue     # glibc aborts within realloc(), before mprof records the faulty free
    run "$mprof" report --no-pager event.data
    case $what in
    double | mapping) kind='Freed again' ;;
    inside | unaligned) kind='Freed inside' ;;
    *) kind='Unknown frees' ;;
    esac
    has "$what: one faulty free" out "^$kind  *1( |\$)"
done
same "unnoticed double free" "$abuse" unnoticed
prints "unnoticed double free: counted" '^Freed again  *1( |$)' "$mprof" report --no-pager event.data
is "unnoticed double free: not in the books" "$(sum block event.data)" "9 360 9 360"

same "semantics" "$abuse" semantics
has "semantics: no error" out '^errors 0 nulls 24 errno 5$'
whole "semantics" event.data
is "semantics: nothing dropped, no unknown free" \
    "$(total dropped event.data) $(total foreign-frees event.data) $(total kept-blocks event.data)" \
    "0 0 0"

same "over 4 GiB" "$abuse" huge
if grep -q 'no memory' out; then
    skip "over 4 GiB: exact" "this machine gives nobody that much memory"
else
    is "over 4 GiB: exact" "$(sum huge event.data | cut -d' ' -f1) $(books inclusive huge event.data |
        cut -d' ' -f1-4)" "3 4 17179869305 4 17179869305"
    whole "over 4 GiB" event.data
fi

# BLOCKS=10000000 in make soak
same "many live blocks" "$abuse" many
n=$(expected made out)
is "many live blocks: exact" "$(sum block event.data)" "$n $((n * 16)) $n $((n * 16))"
is "many live blocks: the peak" "$(books self block event.data | cut -d' ' -f5,6)" "$((n * 16)) $n"
plan
# SPDX-License-Identifier: MIT
