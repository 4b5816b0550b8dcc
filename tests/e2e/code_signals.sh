#!/bin/sh
# Signal handlers that allocate, jump away, fork or start threads while the thread is in malloc or free. They interrupt
# each STRIDEth instruction of the hooks (29; make soak: 1), for fork each instruction, or come from a timer (3000 times;
# STORM=100000 in make soak). What the handlers allocate is exact; each interrupted call that returned is counted. The
# time is spent in traps, because every instruction before the chosen one is single-stepped.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

also=$programs/.libs/bump.so
stride=${STRIDE:-29}
if [ "$(uname -m)" = x86_64 ]; then
    ways="steps storm"
else
    ways=storm
    skip "single steps" "there is a trap flag on x86-64 only"
fi
for way in $ways; do
    for what in alloc jump realloc thread fork; do
        for stack in "" alternate; do
            case $what.$stack in
                thread.alternate | fork.alternate) continue ;;
            esac
            name="$way $what${stack:+, $stack stack}"
            rm -f event.data*
            STRIDE=$stride
            [ $what != fork ] || STRIDE=1
            export STRIDE
            # shellcheck disable=SC2086
            profile event.data "$programs/code_signals" "$way" "$what" $stack
            is "$name: status" "$status" 0
            empty "$name: nothing said" err
            is "$name: dropped" "$(total dropped event.data)" 0
            is "$name: what handlers allocate" "$(sum handler_block event.data | cut -d' ' -f1,2)" \
                "$(expected allocs out) $(expected bytes out)"
            allocs=$(sum block event.data | cut -d' ' -f1)
            frees=$(sum block event.data | cut -d' ' -f3)
            at_least "$name: allocations" "$allocs" "$(expected done-allocs out)"
            at_most "$name: allocations" "$allocs" "$(expected begun-allocs out)"
            at_least "$name: frees" "$frees" "$(expected done-frees out)"
            at_most "$name: frees" "$frees" "$(expected begun-frees out)"
            test $what = jump && torn=$(expected handled out)
            whole "$name" event.data
            torn=0
            if [ $what = fork ]; then
                is "$name: each child's is in a file of its own" \
                    "$(sum handler_block event.data.* | cut -d' ' -f1)" "$(expected handled out)"
            fi
        done
    done
done
plan
# SPDX-License-Identifier: MIT
