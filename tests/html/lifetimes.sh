#!/bin/sh
# Lifetimes of blocks: each function's histogram has the sums of its chains in mprof export -F lifetimes, which also
# has the allocation wrapper filler.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record plain "$programs/lifetimes"
record known --lifetimes "$programs/lifetimes"
record threads --lifetimes "$programs/threads"
for name in plain known threads; do
    page "$name"
done
"$mprof" export -F lifetimes "$tmp/known.data" | sed 's/;filler$//' >"$tmp/known.txt"
browse view_lifetimes.py "$tmp"
# SPDX-License-Identifier: MIT
