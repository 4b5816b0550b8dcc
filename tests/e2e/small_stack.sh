#!/bin/sh
# Every command with a small stack, as of a container or a thread.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
profile live.data "$programs/costs"
"$mprof" run -q --leaks -o a.data "$programs/costs" >/dev/null
"$mprof" run -q -o b.data "$programs/killme" 100 exit >/dev/null

# small STATUS COMMAND...: with 140 KB of stack
small()
{
    expected=$1
    shift
    (
        ulimit -s 140
        exec "$@"
    ) >out 2>err </dev/null
    is "$(echo "$*" | sed "s|$mprof|mprof|; s|$programs/||"): status" "$?" "$expected"
}

for file in live.data a.data; do
    for command in totals report dump findings "flamegraph -o x" "html -o x" "report --json" "report --table=tree" plot \
        "check --max-kept=1G" "annotate main"; do
        # shellcheck disable=SC2086
        case $command in
        annotate*) "$mprof" $command $file >/dev/null 2>&1; expected=$? ;;
        *) expected=0 ;;
        esac
        # shellcheck disable=SC2086
        small "$expected" "$mprof" $command $file
    done
done
for format in $("$mprof" export --formats | awk '{ print $1 }'); do
    [ "$format" != sqlite ] || grep -q '^#define MP_HAVE_SQLITE 1' "$top/config.h" || continue
    small 0 "$mprof" export -F "$format" -o "x.$format" a.data
done
small 0 "$mprof" leaks a.data
small 0 "$mprof" diff a.data live.data
small 0 "$mprof" diff --html=x.html a.data live.data
small 0 "$mprof" merge -o merged.data a.data b.data
for snapshot in a.data.*heap; do
    [ ! -f "$snapshot" ] || small 0 "$mprof" heap "$snapshot"
done
small 7 "$mprof" run -o c.data "$programs/killme" 100 exit
ok "... with a summary" grep -q '100 allocations' err
small 0 "$mprof" run --leaks -o d.data "$programs/costs"
small 7 "$mprof" run -f --report -o e.data "$programs/killme" 100 exit
"$programs/killme" 0 sleep >/dev/null 2>&1 &
pid=$!
small 1 "$mprof" top -b -n 1 "$pid"
small 1 "$mprof" snapshot "$pid"
small 1 "$mprof" leaks "$pid"
kill "$pid"
plan
