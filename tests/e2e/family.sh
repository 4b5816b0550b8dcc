#!/bin/sh
# Every function of the malloc family is recorded; calls of realloc and temporary allocations are counted.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile family.data "$programs/family"
is "family: runs" "$status" 0
mv out printed
is "family: all of it" "$(books inclusive main family.data | cut -d' ' -f1-4)" \
    "$(expected allocs printed) $(expected bytes printed) $(expected frees printed) $(expected freed printed)"
while read -r what function allocs bytes; do
    if [ "$what" = self ]; then
        is "family: $function" "$(books inclusive "$function" family.data | cut -d' ' -f1,2)" \
            "$allocs $bytes"
    fi
done <printed

profile realloc.data "$programs/realloc"
is "realloc: runs" "$status" 0
mv out printed
for name in allocs bytes frees freed; do
    is "realloc: $name" "$(total $name realloc.data)" "$(expected $name printed)"
done
while read -r what function bytes; do
    if [ "$what" = kept ]; then
        is "realloc: $function keeps $bytes" "$(books self "$function" realloc.data |
            awk '{ print $2 - $4 }')" "$bytes"
    fi
done <printed
is "realloc: no free is foreign" "$(total foreign-frees realloc.data)" 0

profile temp.data "$programs/temp"
is "temp: runs" "$status" 0
mv out printed
while read -r function allocs temporary; do
    is "temp: $function" "$(books self "$function" temp.data | cut -d' ' -f1,7)" \
        "$allocs $temporary"
done <printed
plan
# SPDX-License-Identifier: MIT
