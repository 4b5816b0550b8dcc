#!/bin/sh
# Every chain equals libunwind's, at every allocation (the library's checking mode). Most of the time is spent in
# libunwind, which makes six system calls for each frame.
. "${srcdir:-.}/tests/e2e/lib.sh"

PYTHONMALLOC=malloc
export PYTHONMALLOC
cut=none

# The first allocations may come before libunwind is initialised.
early=2

# chains NAME LEAST DEPTH COMMAND...: compares the chain of each allocation of COMMAND. There must be at least LEAST
# allocations (what the program needs in any version: one for each row or key), with DEPTH frames or more on average;
# no chain may differ or be cut.
chains()
{
    name=$1
    least=$2
    depth=$3
    shift 3
    if ! need "$1"; then
        skip "$name" "$missing"
        return
    fi
    rm -f check chains.data*
    MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=$tmp/chains.data \
        "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    is "$name: status" "$?" 0
    [ -f check ] || : >check
    grep -v '^checked' check | sed 's/^/# /' | head -20
    # shellcheck disable=SC2046
    set -- $(awk '$1 == "checked" { checked += $2; wrong += $4; frames += $6 }
        END { print checked + 0, wrong + 0, frames + 0 }' check)
    at_least "$name: enough to compare" "$1" "$least"
    at_least "$name: all chains are checked" "$1" $(($(total allocs chains.data) - early))
    is "$name: mismatches" "$2" 0
    at_least "$name: frames checked" "$3" $(($1 * depth))
    [ "$cut" = any ] || is "$name: chains cut" "$(total cut chains.data)" 0
}

seq 1 8 | awk '{ print "static int f" $1 "(int x) { for (int i = 0; i < x; i++) x += i * " $1 \
    "; return x; }\nint g" $1 "(int x) { return f" $1 "(x) + " $1 "; }" }' >unit.c

chains widgets 10000 5 "$top/examples/widgets"
if need gcc && gcc -O1 -o gaps "$src/examples/widgets.c" -Wl,-z,max-page-size=0x200000; then
    chains "gaps between segments" 10000 5 ./gaps
else
    skip "gaps between segments" "$missing"
fi
chains torture 10000 6 "$programs/torture" 2 2
chains deep 2000 150 "$programs/deep" 2000
chains threads 20000 3 "$programs/threads" 10000
chains cycles 8 5 "$programs/cycles"
chains family 19 4 "$programs/family"
chains reload 1000 5 "$programs/reload" "$programs/.libs/plug_a.so" "$programs/.libs/plug_b.so"
chains early 10 4 "$programs/early"
chains sqlite3 2000 8 sqlite3 :memory: 'create table t(a, b);
    with recursive n(x) as (values(1) union all select x + 1 from n where x < 2000)
    insert into t select x, hex(x) from n; create index i on t(b); select count(*) from t;'
chains jq 1000 8 jq -n '[range(1000) | {a: ., b: "x\(.)"}] | map(.b) | join(",") | length'
# shellcheck disable=SC2016
chains perl 2000 6 perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 2000;
    print length(join(",", sort { $h{$a} cmp $h{$b} } keys %h)), "\n"'
chains python3 1000 12 $python -S -B -c 'import json, ast
print(len(json.dumps([{"a": i} for i in range(500)])), ast.dump(ast.parse("x = 1 + 2\n" * 50))[:9])'
if cc1=$(gcc -print-prog-name=cc1 2>/dev/null) && [ -x "$cc1" ]; then
    chains cc1 1000 15 "$cc1" -quiet -O2 unit.c -o unit.s
else
    skip cc1 "gcc has no cc1 here"
fi

# A recursion whose frames are not all compared each time; then the same for all chains with more than 16 frames.
chains "6,000 frames" 150 5000 "$programs/deep" 200 5000 7000
MPROF_DEEP=16
export MPROF_DEEP
chains "torture, deep from 16 on" 10000 6 "$programs/torture" 1 2
chains "deep, deep from 16 on" 500 150 "$programs/deep" 500
# shellcheck disable=SC2016
chains "perl, deep from 16 on" 2000 6 perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 2000;
    print length(join(",", sort { $h{$a} cmp $h{$b} } keys %h)), "\n"'
chains "python3, deep from 16 on" 30000 12 $python -S -B -c 'import json
print(len(json.dumps([{"a": i} for i in range(500)])))'
unset MPROF_DEEP

# The other unwinder finds the same chains. A chain that ends because rules are missing is not compared.
cut=any
MPROF_UNWINDER=libunwind
export MPROF_UNWINDER
chains "torture, all by libunwind" 5000 6 "$programs/torture" 1 2
unset MPROF_UNWINDER
plan
# SPDX-License-Identifier: MIT
