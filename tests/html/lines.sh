#!/bin/sh
# Lines of calls: frames, sites and lines of the page have the lines of the debug information.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record lines "$programs/call_lines"
page lines --source="$src"
"$mprof" diff --html -o "$tmp/diff.html" "$tmp/lines.data" "$tmp/lines.data" >"$tmp/diff.out" 2>&1 ||
    echo "# $(cat "$tmp/diff.out")"
browse view_lines.py "$tmp" "$src/tests/programs/call_lines.c"
# SPDX-License-Identifier: MIT
