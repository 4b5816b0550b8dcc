#!/bin/sh
# Two plug-ins that take turns at one address: each has its own names and frames.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
rounds=40
a=$programs/.libs/plug_a.so
b=$programs/.libs/plug_b.so
profile reload.data "$programs/reload" "$a" "$b" $rounds
is "runs" "$status" 0
mv out printed
at_least "both lie at one address" "$(expected same-address printed)" $((rounds / 2))
for name in alpha bravo; do
    numbers=$(sed -n "s/^$name //p" printed)
    is "plug_$name allocates its own" "$(books self plug_$name reload.data | cut -d' ' -f1,2)" \
        "$numbers"
    is "plug_$name is called by its own" \
        "$(books inclusive plug_${name}_middle reload.data | cut -d' ' -f1,2)" "$numbers"
    is "plug_$name: one of ten is kept" \
        "$(books self plug_$name reload.data | awk '{ print $1 - $3 }')" "$rounds"
done
is "main is above all of them" "$(books inclusive use_plug reload.data | awk '{ print ($1 >= 800) }')" 1
is "no chain is cut" "$(total cut reload.data)" 0
plan
