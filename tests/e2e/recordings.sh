#!/bin/sh
# Many recordings in one process, many generations of forked children: no resource grows without bound.
. "${srcdir:-.}/tests/e2e/lib.sh"

# The library is a test build with only 1,024 numbers for recorders, fewer than are needed here.
library=$top/tests/faults/.libs/libmprof-faults.so
MPROF_FAULT=rows:10
export MPROF_FAULT
profile first.data "$programs/recordings" last.data 130 15
unset MPROF_FAULT
is "recordings: status" "$status" 0
empty "recordings: nothing said" err
is "recordings: each began" "$(expected recordings out)" 130
at_most "recordings: the process does not grow (KB)" "$(expected grown-kilobytes out)" 400
at_most "recordings: nor do its mappings" "$(expected grown-mappings out)" 8
is "recordings: the last one, of all threads" "$(books self of_round last.data | cut -d' ' -f1-4)" \
    "15 600 15 600"
is "recordings: the last one, of a thread that slept through the others" \
    "$(books self of_sleeper last.data | cut -d' ' -f1-4)" "1 1000 0 0"
is "recordings: nothing dropped" "$(total dropped last.data)" 0

# With so few numbers, those of frames, cells and contexts, which are never reused, run out.
MPROF_FAULT=rows:5
export MPROF_FAULT
profile first.data "$programs/recordings" last.data 100 3
unset MPROF_FAULT
is "no more numbers: status" "$status" 0
within "no more numbers: as many recordings as there are numbers" "$(expected recordings out)" 25 32
has "no more numbers: the reason is said" err \
    '^mprof: .*last\.data: all numbers for records are used: recording stopped, the program goes on$'

library=${LIBMPROF:-$top/.libs/libmprof.so}
profile child.data "$programs/generations" 100
is "generations: status" "$status" 0
empty "generations: nothing said" err
is "generations: the last child has as many mappings as the first" \
    "$(sed -n 's/.*last //p' out)" "$(sed -n 's/.*first //p' out)"
set -- child.data*
is "generations: each has a file" "$#" 101
plan
# SPDX-License-Identifier: MIT
