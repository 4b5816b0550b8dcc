#!/bin/sh
# A C program with ECL in it: C and Lisp in one chain; and a kill.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

embed=$top/tests/ecl/embed
"$mprof" run -o embed.mprof -- "$embed" >"$tmp/out" 2>"$tmp/err"
is "status" "$?" 0
is "output" "$(cat "$tmp/out")" "done"
"$mprof" export -F chains --lisp --frames=all embed.mprof >all
has "one chain through C, Lisp and C" all 'main;run_lisp;.*;THROUGH-LISP;(SI:APPLY-FROM-STACK-FRAME;)?CALL-BACK;ecl_cons'
"$mprof" export -F chains --lisp embed.mprof >lisp
has "the Lisp view keeps the program's C" lisp 'main;run_lisp;.*THROUGH-LISP;CALL-BACK$'
"$mprof" export -F chains --frames=all embed.mprof >both
has "C blocks on the same chain" both '^1000 100000 .*run_lisp;.*THROUGH-LISP;(SI:APPLY-FROM-STACK-FRAME;)?CALL-BACK$'
is "conses of the callback" "$(objects CONS CALL-BACK embed.mprof)" 1000

"$mprof" run -o killed.mprof -- "$embed" kill >"$tmp/out" 2>"$tmp/err"
is "killed" "$?" 137
is "conses of the callback after a kill" "$(objects CONS CALL-BACK killed.mprof)" 1000
LD_PRELOAD=$library MPROF_FILE=$tmp/killed.live "$embed" kill >"$tmp/out" 2>"$tmp/err"
"$mprof" export -F chains --lisp killed.live >lisp
has "names are in the file that was not sealed" lisp 'THROUGH-LISP;CALL-BACK$'
plan
