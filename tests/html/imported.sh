#!/bin/sh
# The page of a file of another tool has the functions of the report of the same file.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record_functions
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
# SPDX-License-Identifier: MIT
