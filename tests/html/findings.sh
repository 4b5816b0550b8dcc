#!/bin/sh
# Findings of the overview in Chromium: where their links lead.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

for name in leak leak-twice churn; do
    record $name "$programs/findings" $name
    page $name
done
browse view_findings.py "$tmp"
