#!/bin/sh
# Two plug-ins that are loaded in turn at one address have their own names and frames.
. "${srcdir:-.}/tests/e2e/lib.sh"

rounds=40
a=$programs/.libs/plug_a.so
b=$programs/.libs/plug_b.so
# reloaded ENGINE: tests names, numbers and chains with that unwinder.
reloaded()
{
    engine=$1
    rm -f reload.data
    MPROF_UNWINDER=$engine
    export MPROF_UNWINDER
    profile reload.data "$programs/reload" "$a" "$b" $rounds
    is "$engine: runs" "$status" 0
    mv out printed
    at_least "$engine: both lie at one address" "$(expected same-address printed)" $((rounds / 2))
    for name in alpha bravo; do
        numbers=$(sed -n "s/^$name //p" printed)
        is "$engine: plug_$name allocates its own" \
            "$(books self plug_$name reload.data | cut -d' ' -f1,2)" "$numbers"
        is "$engine: plug_$name is called by its own" \
            "$(books inclusive plug_${name}_middle reload.data | cut -d' ' -f1,2)" "$numbers"
        is "$engine: plug_$name: one of ten is kept" \
            "$(books self plug_$name reload.data | awk '{ print $1 - $3 }')" "$rounds"
    done
    at_least "$engine: main is above all of them" \
        "$(books inclusive use_plug reload.data | cut -d' ' -f1)" $((rounds * 20))
    is "$engine: no chain is cut" "$(total cut reload.data)" 0
}

reloaded rules
reloaded libunwind
# In a sampled recording the hook of free does not read its return address, unless the block may be a sample or
# describes a library. All samples in a function of a plug-in must have the size of the blocks that it allocates.
unset MPROF_UNWINDER
rm -f reload.data
MPROF_SAMPLE=64K MPROF_SAMPLE_SEED=1988
export MPROF_SAMPLE MPROF_SAMPLE_SEED
profile reload.data "$programs/reload" "$a" "$b" 3000
"$mprof" export -F chains reload.data | sed 's/~[0-9]*//g' >chains
unset MPROF_SAMPLE MPROF_SAMPLE_SEED
for plug in 'alpha 40' 'bravo 60'; do
    ok "sampled: all of plug_${plug% *} have ${plug#* } bytes" awk -v size="${plug#* }" -v name=";plug_${plug% *}$" '
        $0 ~ name { n++; wrong += $2 != $1 * size }
        END { exit n == 0 || wrong }' chains
done

# 9,000 modules are loaded and unloaded at the same address, and then another module's code is loaded there.
unset MPROF_UNWINDER
rm -f reload.data
profile reload.data "$programs/many_modules" "$a" "$b" 9000 "$tmp/copy.so"
is "9,000 modules: runs" "$status $(cat err)" "0 "
mv out printed
is "9,000 modules: all at one address" "$(expected same-address printed)" 1
is "9,000 modules: the last one allocates its own" \
    "$(books self plug_bravo reload.data | cut -d' ' -f1,2)" "$(sed -n 's/^bravo //p' printed)"
is "9,000 modules: and is called by its own" \
    "$(books inclusive plug_bravo_middle reload.data | cut -d' ' -f1,2)" "$(sed -n 's/^bravo //p' printed)"
is "9,000 modules: no chain is cut" "$(total cut reload.data)" 0
plan
# SPDX-License-Identifier: MIT
