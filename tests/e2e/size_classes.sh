#!/bin/sh
# Blocks of several size classes from one place are counted in their classes.
. "${srcdir:-.}/tests/e2e/lib.sh"

for sizes in small large border; do
    returns "$sizes: status" 0 "$mprof" run -q "$programs/one_place" $sizes
    run "$mprof" report --table=direct
    cp out $sizes
done
is "small and medium" "$(sed -n 's/^100.0 *32000 *\([0-9 ]*\)|.* place$/\1/p' small | tr -s ' ')" "25 75 "
is "large and extra" "$(sed -n 's/^100.0 *960000 *\([0-9 ]*\)|.* place$/\1/p' large | tr -s ' ')" "25 75 "
is "2048 bytes are large" "$(sed -n 's/^100.0 *2048000 *\([0-9 ]*\)|.* place$/\1/p' border | tr -s ' ')" "25 75 "
plan
# SPDX-License-Identifier: MIT
