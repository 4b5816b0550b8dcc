#!/bin/sh
# Threads, blocks freed by other threads, plug-ins that are loaded and unloaded, and signals at any instruction whose
# handlers allocate: no allocation is lost, counted twice, or charged to another function.
. "${srcdir:-.}/tests/e2e/lib.sh"

also=$programs/.libs/bump.so
rounds=3000

# balanced FILE: tests that the sums over all chains are the totals.
balanced()
{
    "$mprof" export -F chains --all-frames "$1" | awk '{ a += $1; b += $2; c += $3; d += $4 }
        END { printf "%d %d %d %d\n", a, b, c, d }'
}

# stress ENGINE THREADS: runs the program with an unwinder.
stress()
{
    how="$1, $2 threads"
    MPROF_UNWINDER=$1
    export MPROF_UNWINDER
    rm -f stress.data
    returns "$how: status" 0 timeout 300 env LD_PRELOAD="$library $also" MPROF_FILE=stress.data "$programs/stress" \
        "$programs/.libs/plug_a.so" "$programs/.libs/plug_b.so" $rounds "$2"
    mv out printed
    numbers=$(sed -n "s/^own //p" printed)
    is "$how: own blocks: all there, all freed" \
        "$(books self own_block stress.data | cut -d' ' -f1-4)" "$numbers $numbers"
    for name in alpha bravo; do
        is "$how: plug_$name: all there" \
            "$(books self plug_$name stress.data | cut -d' ' -f1,2)" "$(sed -n "s/^$name //p" printed)"
    done
    numbers=$(sed -n "s/^handler //p" printed)
    if [ "$1" = rules ]; then
        is "$how: the handler's blocks: all there, all freed" \
            "$(books self handler_block stress.data | cut -d' ' -f1-4)" "$numbers $numbers"
        is "$how: nothing was dropped" "$(total dropped stress.data)" 0
    else
        # libunwind is not reentrant. So allocations of a handler that interrupts it are dropped, and counted.
        allocs=$(books self handler_block stress.data | cut -d' ' -f1)
        is "$how: the handler's blocks: recorded or dropped" \
            "$((allocs + $(total dropped stress.data)))" "${numbers% *}"
        is "$how: their frees: recorded or not seen" \
            "$(($(books self handler_block stress.data | cut -d' ' -f3) + $(total unseen-frees stress.data)))" \
            "$allocs"
    fi
    at_least "$how: the monitor was interrupted" "$(total nested stress.data)" 50
    is "$how: no foreign frees" "$(total foreign-frees stress.data)" 0
    # code without unwind information, which the compiler adds to a library (_init ...)
    "$mprof" export -F chains --all-frames stress.data | grep -F '[cut' | grep -vE 'plug_[ab]\.so\+0x1[0-9a-f]{3};' >odd
    is "$how: chains are cut where there is no unwind information only" "$(cat odd)" ''
    is "$how: the chains add up" "$(balanced stress.data)" "$("$mprof" totals stress.data |
        awk '$1 == "allocs" || $1 == "bytes" || $1 == "frees" || $1 == "freed" { line = line " " $2 }
            END { print substr(line, 2) }')"
}

# Another thread holds the loader's lock until this one has allocated.
also=
for engine in rules fp libunwind; do
    MPROF_UNWINDER=$engine profile held.data "$programs/loader_held" 1000
    is "$engine, the loader's lock is held: status" "$status" 0
    is "$engine, the loader's lock is held: all there, all freed" \
        "$(books self held_block held.data | cut -d' ' -f1-4)" "1000 40000 1000 40000"
done
also=$programs/.libs/bump.so

stress rules 1
stress rules 4
stress libunwind 3
plan
# SPDX-License-Identifier: MIT
