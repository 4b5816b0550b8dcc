#!/bin/sh
# The view of time in Chromium: series that add up to what was alive, and all of its controls.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record moments "$programs/moments"
page moments
cp "$src/tests/data/sealed-widgets.data" "$tmp/off.data"
page off
browse view_time.py "$tmp"
