#!/bin/sh
# The view "Time": its series add up to what was live, and all its controls work.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record moments "$programs/moments"
page moments
record rounds "$programs/checkpoints" threads
page rounds
cp "$src/tests/data/sealed-widgets.data" "$tmp/off.data"
page off
browse view_time.py "$tmp"
# SPDX-License-Identifier: MIT
