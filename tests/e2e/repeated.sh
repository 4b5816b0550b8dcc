#!/bin/sh
# Some tests try a small number of cases in make check. This script runs them with more cases.
. "${srcdir:-.}/tests/e2e/tap.sh"

# more NAME=NUMBER SCRIPT: runs SCRIPT with NUMBER cases.
more()
{
    ok "$2, $1" env srcdir="$src" "$1" "$src/tests/e2e/$2"
}

more GRAPHS=40 tables.sh
more HEAPS=300 heap.sh
more ROUNDS=20 ecl_dead.sh
more COPIES=20 live.sh
more FAILURES=120 run_status.sh
ok "unit/file/test_seal_hostile, EVERY_VALUE=1" env EVERY_VALUE=1 "$top/tests/unit/file/test_seal_hostile"
plan
# SPDX-License-Identifier: MIT
