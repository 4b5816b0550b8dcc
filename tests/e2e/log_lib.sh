# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from lib.sh, or scripts use them)
#
# log_lib.sh -- functions for tests that compute figures independently, from a log of all calls that reached the
# allocator. A script sources this file instead of lib.sh.
#
#   logged NAME FILE COMMAND...   records COMMAND to FILE, with the log in $tmp/events. Skips the test NAME and returns
#                          false if COMMAND is not installed
#   each_program CHECK     calls `CHECK NAME COMMAND...` for each of some programs
. "${srcdir:-.}/tests/e2e/lib.sh"

EVENT_LOG=$tmp/events
PYTHONMALLOC=malloc
export EVENT_LOG PYTHONMALLOC
# If no library has an operator new, the monitor's search for it fails, and the log contains what dlerror() allocates.
log="$programs/.libs/event_log.so libstdc++.so.6"

logged()
{
    name=$1
    file=$2
    shift 2
    if ! need "$1"; then
        skip "$name" "$missing"
        return 1
    fi
    rm -f events
    also=$log
    profile "$file" "$@"
    also=
    is "$name: status" "$status" 0
}

each_program()
{
    awk 'BEGIN {
        print "<list>"
        for (i = 1; i <= 500; i++)
            print "<item n=\"" i "\"><name>number " i "</name></item>"
        print "</list>"
    }' >list.xml
    $1 widgets "$top/examples/widgets"
    $1 xmllint xmllint --xpath 'count(//item[@n>100])' list.xml
    $1 jq jq -n '[range(500) | {a: ., b: "x\(.)"}] | map(.b) | join(",") | length'
    $1 sqlite3 sqlite3 :memory: 'create table t(a, b); with recursive n(x) as
        (values(1) union all select x + 1 from n where x < 500) insert into t select x, hex(x) from n;
        select count(*) from t where b > cast(4 as text);'
    # shellcheck disable=SC2016
    $1 perl perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 500; print join(",", sort values %h), "\n"'
    $1 python3 $python -S -c 'print(len([str(i) for i in range(1000)]))'
}
# SPDX-License-Identifier: MIT
