#!/bin/sh
# Code without unwind tables ends a chain, and mprof counts the chain as cut. When such code is unmapped, mprof forgets
# it. Chains in any number of contexts of makecontext() are whole.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

if [ "$(uname -m)" = x86_64 ]; then
    same code "$programs/generated" code 1000
    is "code: exact" "$(total allocs event.data) $(total bytes event.data) $(total frees event.data)" \
        "1000 24000 1000"
    is "code: each chain is cut, and counted" "$(total cut event.data)" 1000
    "$mprof" report --no-pager event.data >report
    has "code: the head says so" report '^Cut chains +1,000 '
    whole code event.data
else
    skip code "the function is x86-64's"
fi

plug=$programs/.libs/plug_a.so
same image "$programs/generated" image "$plug"
is "image: the plug-in came back to its place" "$(expected same-address out)" 1
is "image: what its bytes allocated is cut" "$(total cut event.data)" 10
is "image: what it allocates itself is whole" \
    "$("$mprof" export -F chains event.data | grep -c ' main;run_image;use;plug_run;plug_alpha_middle;plug_alpha$')" 1
is "image: and exact" "$(books self plug_alpha event.data | cut -d' ' -f1-4)" "10 600 10 600"

same contexts "$programs/generated" contexts 10000 5
is "contexts: exact" "$(books self inner event.data | cut -d' ' -f1-4)" "50000 1600000 50000 1600000"
is "contexts: whole chains, of the stack's own" \
    "$(total cut event.data) $("$mprof" export -F chains event.data | grep -c ' routine;inner$')" "0 1"
whole contexts event.data
plan
# SPDX-License-Identifier: MIT
