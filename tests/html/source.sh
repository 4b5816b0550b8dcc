#!/bin/sh
# The view "Source", which only pages with source files have.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record moments "$programs/moments"
page moments --source
cp "$tmp/moments.data" "$tmp/plain.data"
page plain
browse view_source.py "$tmp" "$src/tests/programs/moments.c"
