#!/bin/sh
# Two clicks, or keys, lead from a card of the overview to a source line. The recorded program is mprof itself, whose
# debug information and sources exist.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record costs "$programs/costs"
record mprof "$mprof" report --no-pager -v "$tmp/costs.data"
page mprof --source="$src"
browse view_clicks.py "$tmp" "$src"
# SPDX-License-Identifier: MIT
