#!/bin/sh
# The view "Functions": tables, and a function with its callers and callees, with the figures of the report.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record_functions
for name in perl cycles; do
    page "$name"
    "$mprof" report --no-pager --table=graph -v "$tmp/$name.data" >"$tmp/$name.txt"
done
browse view_functions.py "$tmp"
# SPDX-License-Identifier: MIT
