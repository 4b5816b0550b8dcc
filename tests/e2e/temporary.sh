#!/bin/sh
# Temporary allocations, counted again from a log of the calls that reached the allocator: those that
# their own thread freed before its next allocation.
. "${srcdir:-.}/tests/e2e/lib.sh"

EVENT_LOG=$tmp/events
PYTHONMALLOC=malloc
export EVENT_LOG PYTHONMALLOC
# Without libstdc++ the monitor looks in vain for an operator new, and the log has what dlerror() allocates.
log="$programs/.libs/event_log.so libstdc++.so.6"

# By the log: allocations, frees, temporary ones.
by_log()
{
    od -An -v -w32 -tu8 events | awk '$1 == 0 { exit }
        $2 == 1 { allocs++; owner[$3] = $1; last[$1] = $3 }
        $2 == 0 && $3 in owner { frees++; temporary += owner[$3] == $1 && last[$1] == $3
                                 delete owner[$3] }
        END { print allocs + 0, frees + 0, temporary + 0 }'
}

# check NAME LEAST COMMAND...: at least LEAST of COMMAND's are temporary
check()
{
    name=$1
    least=$2
    shift 2
    if ! need "$1"; then
        skip "$name" "$missing"
        return
    fi
    rm -f events
    also=$log
    profile temporary.data "$@"
    also=
    is "$name: status" "$status" 0
    logged=$(by_log)
    at_least "$name: enough to compare" "${logged##* }" "$least"
    is "$name: allocations, frees, temporary" \
        "$(total allocs temporary.data) $(total frees temporary.data) $(total temporary temporary.data)" "$logged"
}

awk 'BEGIN {
    print "<list>"
    for (i = 1; i <= 500; i++)
        print "<item n=\"" i "\"><name>number " i "</name></item>"
    print "</list>"
}' >list.xml
check temp 1000 "$programs/temp"
check widgets 0 "$top/examples/widgets"
check xmllint 100 xmllint --xpath 'count(//item[@n>100])' list.xml
check jq 100 jq -n '[range(500) | {a: ., b: "x\(.)"}] | map(.b) | join(",") | length'
check sqlite3 10 sqlite3 :memory: 'create table t(a, b); with recursive n(x) as
    (values(1) union all select x + 1 from n where x < 500) insert into t select x, hex(x) from n;
    select count(*) from t where b > "4";'
# shellcheck disable=SC2016
check perl 10 perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 500; print join(",", sort values %h), "\n"'
check python3 100 $python -S -c 'print(len([str(i) for i in range(1000)]))'
plan
