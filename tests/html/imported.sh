#!/bin/sh
# The page of what another tool recorded, in Chromium: functions as in the report of the same file.
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
    if ! "$mprof" export -F pprof -o "$tmp/$name.pb.gz" "$tmp/$name.data"; then
        echo "Bail out! $name cannot be exported"
        exit 99
    fi
    mv "$tmp/$name.pb.gz" "$tmp/$name.data"
    page "$name"
    "$mprof" report --no-pager --table=graph -v "$tmp/$name.data" >"$tmp/$name.txt"
done
browse view_functions.py "$tmp"
