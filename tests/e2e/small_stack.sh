#!/bin/sh
# Every command works with a small stack, as in a container. libdw alone needs 160 KB for a line table.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile live.data "$programs/costs"
"$mprof" run -q --leaks -o a.data "$programs/costs" >/dev/null
"$mprof" run -q -o b.data "$programs/killme" 100 exit >/dev/null

# small COMMAND...: tests that COMMAND ends with 256 KB of stack as it does with a usual one.
small()
{
    "$@" >out 2>err </dev/null
    expected=$?
    (
        # shellcheck disable=SC3045
        ulimit -s 256
        exec "$@"
    ) >out 2>err </dev/null
    is "$(echo "$*" | sed "s|$mprof|mprof|; s|$programs/||"): status" "$?" "$expected"
}

for file in live.data a.data; do
    for command in totals report findings "flamegraph -o x" "html -o x" "report --json" "report --table=tree" plot \
        "check --max-kept=1G" "annotate main"; do
        # shellcheck disable=SC2086
        small "$mprof" $command $file
    done
done
for format in $("$mprof" export --formats | awk '{ print $1 }'); do
    [ "$format" != sqlite ] || grep -q '^#define MP_HAVE_SQLITE 1' "$top/config.h" || continue
    small "$mprof" export -F "$format" -o "x.$format" a.data
done
small "$mprof" leaks a.data
small "$mprof" diff a.data live.data
small "$mprof" diff --html -o x.html a.data live.data
small "$mprof" merge -o merged.data a.data b.data
for snapshot in a.data.*heap; do
    [ ! -f "$snapshot" ] || small "$mprof" heap "$snapshot"
done
small "$mprof" run -o c.data "$programs/killme" 100 exit
has "... with a summary" err '^mprof: killme: exit status 7'
small "$mprof" run --leaks -o d.data "$programs/costs"
small "$mprof" run -f --report -o e.data "$programs/killme" 100 exit
"$programs/killme" 0 sleep >/dev/null 2>&1 &
pid=$!
small "$mprof" top -b -n 1 "$pid"
small "$mprof" snapshot "$pid"
small "$mprof" leaks "$pid"
kill "$pid"
plan
# SPDX-License-Identifier: MIT
