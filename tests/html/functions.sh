#!/bin/sh
# The view of functions in Chromium: tables, and a function between its callers and callees, with the
# figures of the report.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

if ! need perl; then
    echo "1..0 # SKIP $missing"
    exit 0
fi
# shellcheck disable=SC2016
record perl perl -e '$h{$_ % 997} .= "$_," for 1 .. 50000; print length(join "", sort values %h), "\n"'
record cycles "$programs/cycles"
for name in perl cycles; do
    page "$name"
    "$mprof" report --no-pager --table=graph -v "$tmp/$name.data" >"$tmp/$name.txt"
done
browse view_functions.py "$tmp"
