#!/bin/sh
# libmprof.so loaded at run time: nothing is recorded until that is requested, and the environment remains unchanged.
. "${srcdir:-.}/tests/e2e/lib.sh"

unset MPROF_CACHE                # set by tap.sh; this script tests the environment
cat >environment <<'END'
LD_PRELOAD=
MPROF_FILE=unasked.data
MPROF_OTHER=stays
END
for how in local global; do
    { echo "active 0"; cat environment; } >wanted
    returns "$how: status" 0 env LD_PRELOAD= MPROF_FILE=unasked.data MPROF_OTHER=stays "$programs/late" "$library" $how
    ok "$how: not recording, the environment untouched" diff wanted out
    empty "$how: nothing on stderr" err
    ok "$how: no data file" test ! -e unasked.data
done

run "$programs/late" "$library" start asked.data
is "asked to record: it does" "$(tr '\n' ' ' <out)" "active 0 restart 0 active 1 "
is "asked to record: the program's malloc is not ours" "$(total allocs asked.data)" 0
returns "asked to record: a whole file" 0 "$mprof" report asked.data --no-pager
plan
# SPDX-License-Identifier: MIT
