#!/bin/sh
# Layout of pages: no text is cut or overlaps other text, in wide and narrow windows, in light and dark, and on paper.
# With KEEP=FOLDER, pictures of the pages stay in FOLDER.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

if ! need perl; then
    echo "1..0 # SKIP $missing"
    exit 0
fi
record moments "$programs/moments"
record cycles "$programs/cycles"
# shellcheck disable=SC2016
record perl perl -e '$h{$_ % 997} .= "$_," for 1 .. 50000; print length(join "", sort values %h), "\n"'
for name in cycles perl; do
    page "$name"
done
page moments --source="$src"
[ -z "${KEEP-}" ] || mkdir -p "$KEEP"
browse view_layout.py "$tmp" ${KEEP:+"$KEEP"}
# SPDX-License-Identifier: MIT
