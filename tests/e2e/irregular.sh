#!/bin/sh
# Frames that no simple rule describes, interrupted at each instruction; wrong unwind tables; and the monitor and the
# loader, interrupted at each of their instructions by a handler that allocates.
. "${srcdir:-.}/tests/e2e/lib.sh"

grep -q '^#define MP_HAVE_RULES 1' "$top/config.h" ||
    skip_all "irregular frames" "libunwind captures all chains here"

# same HOW: tests that the program does the same as without mprof; the recording is irregular.data.
same()
{
    run "$programs/irregular" "$1"
    mv out bare.out
    profile irregular.data "$programs/irregular" "$1"
    is "$2$1: status" "$status" 0
    ok "$2$1: output" diff bare.out out
    returns "$2$1: report" 0 "$mprof" report --no-pager irregular.data
}

# whole HOW LEAST: tests that nothing is cut or lost, that all chains begin in main, and that there are at least
# LEAST.
whole()
{
    same "$1" ''
    is "$1: nothing cut or dropped" "$(total cut irregular.data) $(total dropped irregular.data)" "0 0"
    "$mprof" export -F chains irregular.data | awk -v least="$2" '
        $8 !~ /^main;/ { print; wrong++ }
        { sum += $1 }
        END { if (wrong || sum < least) print sum " allocations, " wrong + 0 " chains without main" }
    ' >wrong
    empty "$1: chains are whole" wrong
    sed 's/^/# /' wrong
    is "$1: all is freed" "$(total kept-blocks irregular.data)" 0
}

whole called 30
whole lazy 500
whole realign 60
whole return 1
"$mprof" export -F chains irregular.data >chains
has "return: by way of the odd function" chains ' main;call_return;odd_return;touch$'
whole malloc 5000
at_least "malloc: handlers interrupted the monitor" "$(total nested irregular.data)" 1000

# With many such frames on a chain, each walk goes to the outer end once. (If the time grew with the square of their
# number, this would take a quarter of an hour.)
for depth in 0 200000; do
    rm -f deep.data
    returns "deep, --depth=$depth: status" 0 \
        timeout 60 env LD_PRELOAD="$library" MPROF_FILE=deep.data MPROF_DEPTH=$depth "$programs/irregular" deep 50000
    is "deep, --depth=$depth: nothing cut" "$(total cut deep.data) $(total depth-cut deep.data)" "0 0"
    at_least "deep, --depth=$depth: whole" "$(total depth deep.data)" 100000
done

# The chains equal libunwind's, except where libunwind stops: it does not support a return address in a register, nor
# a few instructions for which gcc's tables are wrong, as in realign.
for how in called lazy; do
    rm -f check
    MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=$tmp/check.data \
        "$programs/irregular" $how >out 2>err
    is "$how: status when checked" "$?" 0
    has "$how: chains equal libunwind's" check '^checked [0-9]{2,} mismatches 0 '
    grep -v '^checked' check | head -20 | sed 's/^/# /'
done

# The loader while it holds its locks: no handler waits, and each block is counted. (libunwind blocks SIGTRAP, and the
# trap would end the process.)
also=$programs/.libs/bump.so
for unwinder in rules fp; do
    MPROF_UNWINDER=$unwinder
    export MPROF_UNWINDER
    profile load.data "$programs/irregular" load "$programs/.libs/plug_a.so"
    unset MPROF_UNWINDER
    is "$unwinder, load: status" "$status" 0
    traps=$(sed -n "s/^traps //p" out)
    at_least "$unwinder, load: handlers" "${traps:-0}" 20000
    allocs=$(books self trap load.data | cut -d' ' -f1)
    frees=$(books self trap load.data | cut -d' ' -f3)
    is "$unwinder, load: all that they allocate is recorded or counted as dropped" \
        "$((allocs + $(total dropped load.data)))" "$traps"
    is "$unwinder, load: all that is recorded is freed, or the free counted as unseen" \
        "$((frees + $(total unseen-frees load.data)))" "$allocs"
done
also=

# Wrong unwind tables make the chain wrong, and nothing else.
for unwinder in rules fp libunwind; do
    MPROF_UNWINDER=$unwinder
    export MPROF_UNWINDER
    same lies "$unwinder, "
    unset MPROF_UNWINDER
done
plan
# SPDX-License-Identifier: MIT
