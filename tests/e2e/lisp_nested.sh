#!/bin/sh
# The Lisp module's own tests, the ASDF system mprof/tests, in an ECL that mprof run records, too.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

# The system is compiled before the recording, which would otherwise contain mostly the compiler.
with_system "(asdf:load-system :mprof/tests)" "$ecl"
is "compiled: status" "$status" 0
test_system "under mprof run" "$mprof" run -q -o outer.data -- "$ecl"
run "$mprof" report --lisp --no-pager outer.data
has "its own report has what the tests allocated" out 'MPROF-TESTS::MAKE-PAIRS'
plan
# SPDX-License-Identifier: MIT
