#!/bin/sh
# The bridge forgets objects that die, and knows block sizes that libgc changes. Threads define and call functions in
# ROUNDS rounds.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# Methods die between two recordings.
cp "$src/tests/ecl/methods-again.lisp" .
ECLDIR='' "$ecl" --norc --load "$top/lisp/mprof.fas" --shell methods-again.lisp \
    >"$tmp/out" 2>"$tmp/err" </dev/null
is "methods die between two recordings: status" "$?" 0
has "and the program ends" "$tmp/out" '^:DONE'
is "functions of the second recording" "$(objects VECTOR SALUTE second.mprof)" 100
is "a method's name" "$(objects VECTOR '(METHOD WAVE ((EQL 3)))' second.mprof)" 1

# Instances die during a recording, before their thread has examined them again.
"$mprof" run -o dead.mprof -- "$top/tests/ecl/dead" >"$tmp/out" 2>"$tmp/err"
is "instances die before their thread allocates: status" "$?" 0
is "and the program ends" "$(cat "$tmp/out")" "done"
is "all of them were counted" "$(lisp_table dead.mprof | awk -F'\t' '
    index($2, "make_instances") { split($1, number, " "); sum += number[1] }
    END { print sum + 0 }')" 16000

# The recorded size of each block is libgc's.
"$mprof" run -o sizes.mprof -- "$top/tests/ecl/sizes" >"$tmp/out" 2>"$tmp/err"
is "blocks of all sizes: status" "$?" 0
is "their bytes" "$(lisp_table sizes.mprof | awk -F'\t' '
    index($2, "allocate_sizes") { split($1, number, " "); sum += number[2] }
    END { print sum + 0 }')" "$(cat "$tmp/out")"

# Threads define and call methods.
cp "$src/tests/ecl/methods-threads.lisp" .
export ROUNDS="${ROUNDS:-6}"
lisp threads.mprof methods-threads.lisp
is "methods defined in one thread, functions called in others: status" "$status" 0
has "and the program ends" "$tmp/out" '^:DONE'
is "a method that was defined over and over" \
    "$(objects VECTOR '(METHOD WAVE ((EQL 7)))' threads.mprof)" 1
plan
# SPDX-License-Identifier: MIT
