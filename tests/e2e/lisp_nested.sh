#!/bin/sh
# The Lisp module's own tests, the ASDF system mprof/tests, in an ECL that mprof run records, too.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

# It is compiled before, because a recorded compiler would fill the recording.
with_system "(asdf:load-system :mprof/tests)" "$ecl"
is "compiled: status" "$status" 0
test_system "under mprof run" "$mprof" run -q -o outer.data -- "$ecl"
run "$mprof" report --lisp --no-pager outer.data
has "its own report has what the tests allocated" out 'MPROF-TESTS::MAKE-PAIRS'
plan
# SPDX-License-Identifier: MIT
