#!/bin/sh
# The peak, and each function's share of it, of a program that keeps books of its own.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
profile peak.data "$programs/peak"
is "runs" "$status" 0
mv out printed
is "bytes at the peak" "$(total peak peak.data)" "$(expected peak printed)"
is "blocks at the peak" "$(total peak-blocks peak.data)" "$(expected peak-blocks printed)"
while read -r what function bytes blocks; do
    if [ "$what" = share ]; then
        is "share of $function" "$(books self "$function" peak.data | cut -d' ' -f5,6)" \
            "$bytes $blocks"
    fi
done <printed
run "$mprof" run -q -o sealed.data "$programs/peak"
is "the same, sealed" "$(total peak sealed.data) $(total peak-blocks sealed.data)" \
    "$(expected peak printed) $(expected peak-blocks printed)"
is "shares add up, sealed" \
    "$("$mprof" dump sealed.data | awk '{ bytes += $5; blocks += $6 } END { print bytes, blocks }')" \
    "$(expected peak printed) $(expected peak-blocks printed)"
plan
