#!/bin/sh
# A page of a profile with millions of contexts, which shows only the largest 300,000: figures of functions include all
# contexts. With fewer contexts, the page would show all of them. The test takes some 15 s of processor time.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record many "$programs/bits" 20
page many
browse view_many.py "$tmp"
# SPDX-License-Identifier: MIT
