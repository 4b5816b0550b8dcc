#!/bin/sh
# The view "Source", which only pages with source files have.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record moments "$programs/moments"
page moments --source="$src"
cp "$tmp/moments.data" "$tmp/plain.data"
page plain
mkdir "$tmp/copy"
cp "$src/tests/programs/moments.c" "$tmp/copy"
cp "$tmp/moments.data" "$tmp/changed.data"
page changed --source="$tmp/copy"
browse view_source.py "$tmp" "$src/tests/programs/moments.c"
# SPDX-License-Identifier: MIT
