#!/bin/sh
# All chains of Lisp equal libunwind's from the first object of ECL on. Nearly all of the time is spent in libunwind.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

compiled names
printf '(load "names.fas")\n(all)\n' >start.lisp
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=$tmp/start.live \
    "$ecl" --norc --shell start.lisp >"$tmp/out" 2>&1 </dev/null
checked "from the start" 100000
"$mprof" export -F chains --frames=all start.live >chains
has "loading a file" chains '[	;]LOAD;'
is "no chain contains a frame of ours" "$(own_frames start.live)" ""
plan
# SPDX-License-Identifier: MIT
