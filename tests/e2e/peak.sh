#!/bin/sh
# The peak, and each function's share of it, in a program that counts them itself.
. "${srcdir:-.}/tests/e2e/lib.sh"

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
    "$("$mprof" export -F chains sealed.data | awk '{ bytes += $5; blocks += $6 } END { print bytes, blocks }')" \
    "$(expected peak printed) $(expected peak-blocks printed)"

# With threads, the peak is known within a small bound: it is at least the memory of the waiting threads, and at most
# that plus what libc allocates for threads.
several()
{
    part=$1
    shift
    profile threads.data "$programs/peak_threads" "$@"
    is "threads, $*: runs" "$status" 0
    mv out printed
    held=$(expected held printed)
    peak=$(total peak threads.data)
    slack=$(total peak-slack threads.data)
    beside=$(($(total bytes threads.data) - $(books self hold threads.data | cut -d' ' -f2)))
    echo "# held $held, peak $peak +- $slack, beside $beside"
    at_least "threads, $*: not less than was held" $((peak + slack)) "$held"
    at_most "threads, $*: not more" $((peak - slack)) $((held + beside))
    at_most "threads, $*: the bound" $((slack * part)) "$peak"
}
several 16 64 8192
several 16 64 8192 8192
several 50 4 400000 1000
several 50 16 1000000 100
"$mprof" report --no-pager threads.data >report
has "the head has the bound" report '^Peak .* \+- [0-9,]+ bytes'
plan
# SPDX-License-Identifier: MIT
