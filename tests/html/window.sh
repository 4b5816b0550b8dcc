#!/bin/sh
# Pages of a part of a recording: changes between two checkpoints, what was live at one, and one function. Also changes
# between moments on a page of a whole recording, and estimates from samples.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record data "$programs/checkpoints" phases
record moments "$programs/moments"
page moments
for part in "growth --from=one --to=two" "moment --at=two" "part --function=^beta$"; do
    # shellcheck disable=SC2086
    set -- $part
    name=$1
    shift
    cp "$tmp/data.data" "$tmp/$name.data"
    page "$name" "$@"
done
record round "$programs/checkpoints" threads
page round "--from=round 4" "--to=round 5"
"$mprof" run -q --sample=4096 -o "$tmp/sampled.data" "$programs/costs" >"$tmp/sampled.out" 2>&1
page sampled
browse view_window.py "$tmp"
# SPDX-License-Identifier: MIT
