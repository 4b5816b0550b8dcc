#!/bin/sh
# Findings in the overview: their links lead to the right frames of the flame graph.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

for name in leak leak-twice churn; do
    record $name "$programs/findings" $name
    page $name
done
cp "$tmp/leak.data" "$tmp/names.data"
page names --frames=c
browse view_findings.py "$tmp"
# SPDX-License-Identifier: MIT
