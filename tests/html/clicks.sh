#!/bin/sh
# From the symptom to the source line in two clicks, also by keys: a card of the overview, then a line. The recording is of
# a real program whose debug information and sources are there, mprof itself.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record costs "$programs/costs"
record mprof "$mprof" report --no-pager -v "$tmp/costs.data"
page mprof --source="$src"
browse view_clicks.py "$tmp" "$src"
# SPDX-License-Identifier: MIT
