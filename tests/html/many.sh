#!/bin/sh
# A page of four million contexts in Chromium, of which it has the largest 300,000: figures of functions are of all.
# (As many are needed because the page bounds itself at that number; all takes some 15 s of one processor.)
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record many "$programs/bits" 20
page many
browse view_many.py "$tmp"
