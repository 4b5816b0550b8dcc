#!/bin/sh
# How long blocks live: of programs whose lifetimes are known, and counted again from a log of the calls that
# reached the allocator.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
program=$programs/lifetimes
log="$programs/.libs/event_log.so libstdc++.so.6"       # see temporary.sh
EVENT_LOG=$tmp/events
PYTHONMALLOC=malloc
export EVENT_LOG PYTHONMALLOC

# rows FILE: `FUNCTION BUCKET BLOCKS BYTES`, sorted; of what is left out, too
rows()
{
    "$mprof" report --json -v --table=lifetimes "$1" | $python -c '
import json, sys
for row in json.load(sys.stdin)["tables"]["lifetimes"]["rows"]:
    values = row["values"]
    name = values["function"] or "TOTAL"
    for key, blocks in values.items():
        if key.startswith("lived_") and key.endswith("_blocks") and blocks:
            bucket = key[6:-7]
            print(name, bucket, blocks, values["lived_" + bucket]["part"])' | sort
}

# ----------------------------------------------------------------- known by construction
"$mprof" run -q --lifetimes -o known.data "$program" >said
is "known: status" "$?" 0
sort said >expected
rows known.data | grep -v -e '^TOTAL' -e '^filler' >counted
is "known: the histogram of each function" "$(diff expected counted)" ""
at_least "known: how many buckets" "$(wc -l <expected)" 30
is "known: what all fillers lived" "$(rows known.data | grep '^filler')" "filler 32 33 $(
    awk 'BEGIN { for (i = 0; i < 10; i++) sum += 3 * 2 ^ (5 + 2 * i) - 1; print sum + 600 + 40000 + 3000 }')"

"$mprof" run -q --lifetimes -f -o forked.data "$program" fork
child=$(find . -name 'forked.data.*')
rows "$child" | grep -v TOTAL >counted
is "a child: only what it allocated itself" "$(cat counted)" "filler 32 1 300
in_child 512 1 70"
is "a child: the other free is a foreign one" "$(total foreign-frees "$child")" 1

# ----------------------------------------------------------------- live, sealed, merged
LD_PRELOAD=$library MPROF_LIFETIMES=1 MPROF_FILE=live.data "$program" >said
is "a live file: the same" "$(rows live.data | diff expected - | grep -v -e TOTAL -e filler -e '^[0-9]')" ""
"$mprof" report --table=lifetimes live.data >out
has "as text" out '^ +33 +33597990 +33597990 100\.0 +\(100\) .* filler$'
"$mprof" merge -o both.data known.data live.data 2>/dev/null
awk '{ print $1, $2, 2 * $3, 2 * $4 }' expected >doubled
rows both.data | grep -v -e '^TOTAL' -e '^filler' | diff doubled - >differs
is "merged: the sums" "$(cat differs)" ""
"$mprof" run -q -o without.data "$program" >said
"$mprof" report --table=lifetimes without.data >out
has "not recorded: it is said" out '^How long blocks of malloc live was not recorded, as mprof run --lifetimes does\.$'
"$mprof" merge -o some.data known.data without.data 2>/dev/null
is "merged with one that has none: the others are unknown" \
    "$("$mprof" report --json -v --table=lifetimes some.data | $python -c '
import json, sys
rows = json.load(sys.stdin)["tables"]["lifetimes"]["rows"]
print([row["values"]["unknown"] for row in rows if row["values"]["function"] == "filler"])')" "[33]"
run "$mprof" report --table=lifetimes --from=peak known.data
is "a part of the time: status" "$status" 2
has "it is said" err '^mprof: --from, --to: how long blocks lived is not known of a part'
run "$mprof" run --lifetimes --sample "$program"
is "with samples: status" "$status" 2
has "why" err '^mprof: --lifetimes: not with --sample: '

# ----------------------------------------------------------------- without it all is as it was
is "the same totals" "$("$mprof" totals known.data | grep -v -e duration -e '^file')" \
    "$("$mprof" totals without.data | grep -v -e duration -e '^file')"

# ----------------------------------------------------------------- threads
"$mprof" run -q --lifetimes -o threads.data "$programs/threads" >said
is "threads: each free has a lifetime" \
    "$(rows threads.data | awk '$1 == "TOTAL" { sum += $3 } END { print sum }')" "$(total frees threads.data)"
# Its handlers allocate, which glibc's malloc cannot bear.
run timeout 120 env LD_PRELOAD="$library $programs/.libs/bump.so" MPROF_LIFETIMES=1 MPROF_FILE=stress.data \
    "$programs/stress" "$programs/.libs/plug_a.so" "$programs/.libs/plug_b.so" 300 4
is "stress: status" "$status" 0
is "stress: each free that was seen has one" \
    "$(rows stress.data | awk '$1 == "TOTAL" { sum += $3 } END { print sum + 0 }')" \
    "$(($(total frees stress.data) - $(total unseen-frees stress.data)))"

# ----------------------------------------------------------------- counted again
# By the log: `BUCKET BLOCKS BYTES` of all that was freed.
by_log()
{
    od -An -v -w32 -tu8 events | awk '
        BEGIN { n = split("32 128 512 2k 8k 32k 128k 512k 2m 8m 32m 128m 512m 2g longer", names, " ") }
        $1 == 0 { exit }
        $2 == 1 { clock += $4; birth[$3] = clock; size[$3] = $4 }
        $2 == 0 && $3 in birth {
            lived = clock - birth[$3]
            for (i = 1; i < n && lived >= 2 ^ (3 + 2 * i); i++)
                continue
            blocks[names[i]]++
            bytes[names[i]] += size[$3]
            delete birth[$3]
        }
        END { for (name in blocks) print name, blocks[name], bytes[name] }' | sort
}

# check NAME LEAST COMMAND...: in LEAST buckets at least
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
    MPROF_LIFETIMES=1 profile logged.data "$@"
    also=
    is "$name: status" "$status" 0
    by_log >logged
    at_least "$name: enough to compare" "$(wc -l <logged)" "$least"
    rows logged.data | sed -n 's/^TOTAL //p' | sort >counted
    is "$name: the histogram of all" "$(diff logged counted)" ""
}

awk 'BEGIN {
    print "<list>"
    for (i = 1; i <= 500; i++)
        print "<item n=\"" i "\"><name>number " i "</name></item>"
    print "</list>"
}' >list.xml
check widgets 1 "$top/examples/widgets"
check xmllint 6 xmllint --xpath 'count(//item[@n>100])' list.xml
check jq 8 jq -n '[range(500) | {a: ., b: "x\(.)"}] | map(.b) | join(",") | length'
check sqlite3 6 sqlite3 :memory: 'create table t(a, b); with recursive n(x) as
    (values(1) union all select x + 1 from n where x < 500) insert into t select x, hex(x) from n;
    select count(*) from t where b > "4";'
# shellcheck disable=SC2016
check perl 6 perl -e 'my %h; $h{$_} = $_ x 3 for 1 .. 500; print join(",", sort values %h), "\n"'
check python3 8 $python -S -c 'print(len([str(i) for i in range(1000)]))'
plan
