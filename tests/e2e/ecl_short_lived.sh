#!/bin/sh
# Interpreted functions die, and others are created at their addresses.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cp "$src/tests/ecl/short-lived.lisp" . || exit 99
lisp short.mprof short-lived.lisp
is "status" "$status" 0
lisp_table short.mprof | awk -F'\t' '
    match($2, /FUNCTION-[0-9]+/) {
        split($1, number, " ")
        if (number[11] == "CONS")
            conses[substr($2, RSTART + 9, RLENGTH - 9)] += number[1]
    }
    END {
        wrong = conses[1] < 1           # an interpreted call makes some of its own
        for (n = 1; n <= 200; n++)
            if (conses[n] != n * conses[1]) {
                wrong++
                print "# FUNCTION-" n ": " conses[n] + 0 " conses"
            }
        exit wrong != 0
    }'
is "each function made its own conses" "$?" 0
plan
# SPDX-License-Identifier: MIT
