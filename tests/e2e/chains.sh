#!/bin/sh
# Every chain equals libunwind's. chains_programs.sh has larger programs.
. "${srcdir:-.}/tests/e2e/chains_lib.sh"

chains widgets 10000 5 "$top/examples/widgets"
if need gcc && gcc -O1 -o gaps "$src/examples/widgets.c" -Wl,-z,max-page-size=0x200000; then
    chains "gaps between segments" 10000 5 ./gaps
else
    skip "gaps between segments" "$missing"
fi
chains torture 10000 6 "$programs/torture" 1 2
chains deep 1000 150 "$programs/deep" 1000
chains threads 20000 3 "$programs/threads" 10000
chains cycles 8 5 "$programs/cycles"
chains family 19 4 "$programs/family"
chains reload 1000 5 "$programs/reload" "$programs/.libs/plug_a.so" "$programs/.libs/plug_b.so"
chains early 10 4 "$programs/early"
chains sqlite3 2000 8 sqlite3 :memory: 'create table t(a, b);
    with recursive n(x) as (values(1) union all select x + 1 from n where x < 2000)
    insert into t select x, hex(x) from n; create index i on t(b); select count(*) from t;'
# shellcheck disable=SC2016
chains perl 2000 6 perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 2000;
    print length(join(",", sort { $h{$a} cmp $h{$b} } keys %h)), "\n"'

# A recursion whose frames are not all compared each time; then the same for all chains with more than 16 frames.
chains "6,000 frames" 150 5000 "$programs/deep" 200 5000 7000
MPROF_DEEP=16
export MPROF_DEEP
chains "torture, deep from 16 on" 10000 6 "$programs/torture" 1 2
chains "deep, deep from 16 on" 500 150 "$programs/deep" 500
# shellcheck disable=SC2016
chains "perl, deep from 16 on" 2000 6 perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 2000;
    print length(join(",", sort { $h{$a} cmp $h{$b} } keys %h)), "\n"'
unset MPROF_DEEP

# The other unwinder finds the same chains. A chain that ends because rules are missing is not compared.
cut=any
MPROF_UNWINDER=libunwind
export MPROF_UNWINDER
chains "torture, all by libunwind" 5000 6 "$programs/torture" 1 2
unset MPROF_UNWINDER
plan
# SPDX-License-Identifier: MIT
