#!/bin/sh
# Lifetimes of blocks, of programs with known lifetimes, and computed independently from a log of the calls that
# reached the allocator.
. "${srcdir:-.}/tests/e2e/log_lib.sh"

program=$programs/lifetimes

# rows FILE [OPTION]: prints `FUNCTION BUCKET BLOCKS BYTES`, sorted, including what is left out. The program's function
# filler is an allocation wrapper, which is shown unless OPTION is another one.
rows()
{
    "$mprof" report --json --table=lifetimes "${2:---no-skip}" -v "$1" | $python -c '
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
ok "known: the histogram of each function" diff expected counted
rows known.data >counted.all
at_least "known: how many buckets" "$(wc -l <expected)" 30
is "known: what all fillers lived" "$(rows known.data | grep '^filler')" "filler 32 33 $(
    awk 'BEGIN { for (i = 0; i < 10; i++) sum += 3 * 2 ^ (5 + 2 * i) - 1; print sum + 600 + 40000 + 3000 }')"
rows known.data -v | grep -v '^TOTAL' >counted
awk 'BEGIN { for (i = 0; i < 10; i++) sum += 2 ^ (5 + 2 * i) }
     $1 " " $2 == "just_below 32" { $3 += 10; $4 += sum - 10 }
     $1 " " $2 == "grow 32" { $3 += 2; $4 += 600 + 40000 }
     { print }
     END { printf "just_at 32 20 %d\ntake_over 32 1 3000\n", 2 * sum }' expected | sort >charged
ok "known: what fillers allocate counts for their callers" diff charged counted

"$mprof" run -q --lifetimes -f -o forked.data "$program" fork
child=$(find . -name 'forked.data.*')
rows "$child" | grep -v TOTAL >counted
is "a child: only what it allocated itself" "$(cat counted)" "filler 32 1 300
in_child 512 1 70"
is "a child: the other free is a foreign one" "$(total foreign-frees "$child")" 1

# ----------------------------------------------------------------- live, sealed, merged
LD_PRELOAD=$library MPROF_LIFETIMES=1 MPROF_FILE=live.data "$program" >said
is "a live file: the same" "$(rows live.data | diff expected - 2>&1 | grep -v -e TOTAL -e filler -e '^[0-9]')" ""
"$mprof" report --table=lifetimes --no-lines --no-skip live.data >out
has "as text" out '^ +33 +33597990 +33597990 100\.0 +\(100\) .* filler$'
"$mprof" merge -o both.data known.data live.data 2>/dev/null
awk '{ print $1, $2, 2 * $3, 2 * $4 }' expected >doubled
rows both.data | grep -v -e '^TOTAL' -e '^filler' | diff doubled - >differs
empty "merged: the sums" differs
"$mprof" run -q -o without.data "$program" >said
"$mprof" report --table=lifetimes without.data >out
has "not recorded: it is said" out '^How long blocks of malloc live was not recorded, as mprof run --lifetimes does\.$'
"$mprof" merge -o some.data known.data without.data 2>/dev/null
is "merged with one that has none: the others are unknown" \
    "$("$mprof" report --json -v --table=lifetimes --no-skip some.data | $python -c '
import json, sys
rows = json.load(sys.stdin)["tables"]["lifetimes"]["rows"]
print([row["values"]["unknown"] for row in rows if row["values"]["function"] == "filler"])')" "[33]"
returns "a part of the time: status" 2 "$mprof" report --table=lifetimes --from=peak known.data
has "it is said" err '^mprof: --from, --to: lifetimes are unknown for a part of the time'
returns "with samples: status" 2 "$mprof" run --lifetimes --sample "$program"
has "why" err '^mprof: --lifetimes cannot be combined with --sample, '

# ----------------------------------------------------------------- in other outputs
# named: converts lines `BELOW BLOCKS BYTES CHAIN` to the format of rows().
named()
{
    awk '{ name[32 * 4 ^ 0] = "32"
           split("32 128 512 2k 8k 32k 128k 512k 2m 8m 32m 128m 512m 2g", names, " ")
           for (i = 1; i <= 14; i++) name[32 * 4 ^ (i - 1)] = names[i]
           n = split($4, chain, ";")
           bucket = $1 == "-" ? "longer" : name[$1]
           blocks[chain[n] " " bucket] += $2
           bytes[chain[n] " " bucket] += $3 }
         END { for (key in blocks) printf "%s %d %d\n", key, blocks[key], bytes[key] }' "$1" | sort
}
grep -v '^TOTAL' counted.all >by_function
run "$mprof" export -F lifetimes known.data
named out >dumped
is "mprof export -F lifetimes" "$status $(diff by_function dumped)" "0 "
run "$mprof" export -F lifetimes without.data
is "mprof export -F lifetimes: of what was not recorded" "$status $(cat out err)" \
    "1 mprof: how long blocks lived was not recorded, as mprof run --lifetimes does, or is not known of a part of the time"
refuses "mprof export -F lifetimes: of a part of the time" 1 '^mprof: ' "$mprof" export -F lifetimes --from=peak known.data
says "csv: status" "0 " "$mprof" export -F csv -o flat.csv known.data
says "ndjson: status" "0 " "$mprof" export -F ndjson -o flat.ndjson known.data
# by_line FILE: prints the lines of rows() from an export in the format csv or ndjson, and compares its numbers of
# short-lived blocks with the histogram.
by_line()
{
    $python - "$1" <<'END' | sort
import collections, csv, json, sys
keys = "32 128 512 2k 8k 32k 128k 512k 2m 8m 32m 128m 512m 2g longer".split()
sums = collections.Counter()
with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file)) if sys.argv[1].endswith("csv") else [json.loads(line) for line in file]
for row in rows:
    name = row["function"] if "function" in row else row["frames"][-1]["function"]
    lived = [row[key] if isinstance(row[key], list) else list(map(int, row[key].split(";")))
             for key in ("lived_blocks", "lived_bytes")]
    assert [int(row["short_blocks"]), int(row["short_bytes"])] == [sum(values[:6]) for values in lived]
    for i, key in enumerate(keys):
        sums[name, key, 0] += lived[0][i]
        sums[name, key, 1] += lived[1][i]
for name, key, which in sums:
    if which == 0 and sums[name, key, 0]:
        print(name, key, sums[name, key, 0], sums[name, key, 1])
END
}
is "csv: the histogram of each function" "$(by_line flat.csv | diff charged - 2>&1)" ""
is "ndjson: the same" "$(by_line flat.ndjson | diff charged - 2>&1)" ""
"$mprof" export -F csv --no-skip -o whole.csv known.data
is "csv: with wrappers" "$(by_line whole.csv | diff by_function - 2>&1)" ""
"$mprof" export -F csv -o without.csv without.data
is "csv: empty where it was not recorded" "$(sed 1d without.csv | grep -cv '[0-9],,,,,,"')" 0
"$mprof" export -F ndjson -o without.ndjson without.data
is "ndjson: null" "$(grep -cv '"short_blocks":null,"short_bytes":null,"lived_blocks":null,"lived_bytes":null' without.ndjson)" 0
if ! grep -q '^#define MP_HAVE_SQLITE 1' "$top/config.h"; then
    skip "SQL" "built without SQLite"
elif need sqlite3; then
    "$mprof" export -F sqlite -o runs.db known.data
    "$mprof" export -F sqlite -o runs.db without.data
    sqlite3 -separator ' ' -nullvalue - runs.db "SELECT below, sum(blocks), sum(bytes), function FROM lived
        WHERE run = 1 GROUP BY function, least" >out
    named out >queried
    ok "SQL: the histogram of each function" diff charged queried
    is "SQL: which run has them" "$(sqlite3 -separator ' ' runs.db 'SELECT id, lifetimes,
        (SELECT count(*) > 0 FROM lifetimes WHERE run = id) FROM runs')" "1 1 1
2 0 0"
else
    skip "SQL" "$missing"
fi
run "$mprof" diff --json --by=function,chain,type --cost=allocs known.data forked.data
cp out diff.json
ok "mprof diff: short-lived bytes of both sides, and the share of each function" $python - diff.json <<'END'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
rows = {row["values"]["function"]["function"]: row["values"] for row in tables["function"]["rows"]
        if row["is"] == "item"}
assert rows["many"]["short_before"] == {"part": 12750, "whole": 12750}, rows["many"]
assert rows["many"]["short_after"] is None                      # nothing was allocated there
assert rows["just_at"]["short_before"]["part"] < rows["just_at"]["short_before"]["whole"]
for name, key in ("type", "type"), ("chain", "chain"):
    for row in tables[name]["rows"]:
        if row["is"] == "item":
            assert row["values"]["short_before"] or row["values"]["short_after"], row
END
is "mprof diff: as the table has it" \
    "$($python -c 'import json
print([row["values"]["before"] for row in json.load(open("diff.json"))["tables"]["sides"]["rows"]
       if row["values"]["figure"] == "bytes short-lived"])')" \
    "[$(awk '$2 ~ /^(32|128|512|2k|8k|32k)$/ { sum += $4 } END { print sum }' by_function)]"
run "$mprof" diff --json --by=function known.data without.data
is "mprof diff: of what was not recorded nothing" "$(grep -c 'short-lived' out) $(grep -c '"short_before":[^n]' out)" "0 0"

# ----------------------------------------------------------------- totals without lifetimes
is "the same totals" "$("$mprof" totals known.data | grep -v -e duration -e '^file')" \
    "$("$mprof" totals without.data | grep -v -e duration -e '^file')"

# ----------------------------------------------------------------- no room for a record
# lost FILE: prints the number of frees with a known lifetime, and of those whose lifetime is stated as unknown.
lost()
{
    "$mprof" report --json -v --table=lifetimes "$1" | $python -c '
import json, sys
known = unknown = 0
for row in json.load(sys.stdin)["tables"]["lifetimes"]["rows"]:
    if row["is"] == "total":
        values = row["values"]
        known = sum(blocks or 0 for key, blocks in values.items() if key.startswith("lived_") and key.endswith("_blocks"))
        unknown = values["unknown"] or 0
print(known, unknown)'
}
for every in 1 2; do
    MPROF_FAULT=lifetimes:$every MPROF_LIFETIMES=1 MPROF_FILE=lost$every.data \
        LD_PRELOAD=$top/tests/faults/.libs/libmprof-faults.so "$program" >said
    is "no room for records: status" "$?" 0
done
frees=$(total frees known.data)
is "no room for any: all are counted as unknown" "$(lost lost1.data)" "0 $frees"
lost lost2.data >out
is "room for some: each free is known or unknown" "$(awk '{ print $1 + $2 }' out)" "$frees"
ok "... and there are both" awk '{ exit !($1 > 0 && $2 > 0) }' out
"$mprof" report --table=lifetimes lost2.data >out
has "... it is in the text" out ' unknown '

# ----------------------------------------------------------------- threads
"$mprof" run -q --lifetimes -o threads.data "$programs/threads" >said
is "threads: each free has a lifetime" \
    "$(rows threads.data | awk '$1 == "TOTAL" { sum += $3 } END { print sum }')" "$(total frees threads.data)"
# bump.c's allocator, because the program's handlers allocate, which glibc's malloc does not allow.
returns "stress: status" 0 timeout 120 env LD_PRELOAD="$library $programs/.libs/bump.so" MPROF_LIFETIMES=1 MPROF_FILE=stress.data \
    "$programs/stress" "$programs/.libs/plug_a.so" "$programs/.libs/plug_b.so" 300 4
is "stress: each free that was seen has one" \
    "$(rows stress.data | awk '$1 == "TOTAL" { sum += $3 } END { print sum + 0 }')" \
    "$(($(total frees stress.data) - $(total unseen-frees stress.data)))"

# ----------------------------------------------------------------- compared with the lifetimes in a log
# by_log: prints `BUCKET BLOCKS BYTES` of all freed blocks, from the log.
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

# check NAME COMMAND...: compares COMMAND's histogram of lifetimes with that of by_log, and tests that enough buckets
# are filled.
check()
{
    case $1 in
    widgets) least=1 ;;
    jq | python3) least=8 ;;
    *) least=6 ;;
    esac
    name=$1
    shift
    MPROF_LIFETIMES=1 logged "$name" logged.data "$@" || return
    by_log >logged
    at_least "$name: enough to compare" "$(wc -l <logged)" "$least"
    rows logged.data | sed -n 's/^TOTAL //p' | sort >counted
    ok "$name: the histogram of all" diff logged counted
}

each_program check
plan
# SPDX-License-Identifier: MIT
