#!/bin/sh
# The view of time in Chromium: series that add up to what was alive, and all of its controls.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record moments "$programs/moments"
page moments
"$mprof" run -q --timeline=off -o "$tmp/off.data" "$programs/costs" >"$tmp/off.out" 2>&1
page off
browse view_time.py "$tmp"
