#!/bin/sh
# mprof export -F dhat: valgrind's viewer, dh_view.html, shows the figures of the report.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

viewer=
for file in /usr/libexec/valgrind/dh_view.html /usr/lib/*/valgrind/dh_view.html /usr/lib/valgrind/dh_view.html; do
    [ -n "$viewer" ] || [ ! -f "$file" ] || viewer=$file
done
if [ -z "$viewer" ]; then
    echo "1..0 # SKIP valgrind, and its dh_view.html, is not installed"
    exit 0
fi
record costs "$programs/costs"
record deep "$programs/deep" 60
record jq jq -n '[range(2000) | tostring] | length'
cp "$src/tests/data/sealed-time.data" .
for data in costs deep jq sealed-time; do
    if ! "$mprof" export -F dhat -o $data.json --full-names --no-skip $data.data ||
        ! "$mprof" export -F ids $data.data >$data.dump; then
        echo "Bail out! $data is not exported"
        exit 99
    fi
done
browse view_dhat.py "$viewer" "$tmp" costs deep jq sealed-time
# SPDX-License-Identifier: MIT
