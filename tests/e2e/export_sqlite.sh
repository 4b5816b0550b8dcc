#!/bin/sh
# mprof export -F sqlite: a run is in the database with the figures of the report, once, or not at all.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile costs.data "$programs/costs"
if ! grep -q '^#define MP_HAVE_SQLITE 1' "$top/config.h"; then
    run "$mprof" export -F sqlite -o runs.db costs.data
    is "built without SQLite: one line" "$status $(cat err) $(ls runs.db 2>/dev/null)" \
        "1 mprof: runs.db: this mprof was built without SQLite "
    plan
    exit
fi
needs "runs in a database" jq sqlite3

# append FILE OPTION...: adds FILE to runs.db.
append()
{
    file=$1
    shift
    says "append $file $*" "0 " "$mprof" export -F sqlite -o runs.db "$@" "$file"
}

# sql QUERY: runs a query on runs.db.
sql()
{
    sqlite3 -separator ' ' -nullvalue null runs.db "$1"
}

# table NAME FILE: prints the rows of a table of the report.
table()
{
    "$mprof" report --json -v --chain=all --table="$1" "$2" | jq -c ".tables.$1.rows[] | select(.is == \"item\") | .values"
}

# same TITLE GOT EXPECTED: tests that two files have the same lines in any order, and are not empty.
same()
{
    LC_ALL=C sort "$2" >got.sorted
    LC_ALL=C sort "$3" >expected.sorted
    ok "$1: there are some" test -s expected.sorted
    ok "$1" diff got.sorted expected.sorted
}

# as_report FILE RUN: tests that the figures in the database are those of the report.
as_report()
{
    table direct "$1" |
        jq -r '[.function.function, .bytes, .kept_bytes, .calls, .peak_bytes, .temporary] | map(tostring) | join("|")' \
            >expected
    sqlite3 runs.db "SELECT function, bytes, kept_bytes, allocs, peak_bytes, temporary FROM direct WHERE run = $2" >got
    same "$1: direct" got expected
    "$mprof" report --json -v --table=graph "$1" |
        jq -r '.tables.graph.rows[] | select(.section == "self" and .values.cycle == null) | .values |
            "\(.function.function)|\(.bytes)|\(.share.part)"' >expected
    sqlite3 runs.db "SELECT function, self_bytes, bytes FROM graph WHERE run = $2" >all
    cut -d'|' -f1 expected >functions
    grep -Ff functions all | awk -F'|' 'FILENAME == "functions" { wanted[$0]; next } $1 in wanted' functions - >got
    same "$1: inclusive, as the call graph" got expected
    # The same as mprof export -F chains, which contains all functions. Each function of a chain counts once.
    rm -f whole.db
    "$mprof" export -F sqlite -o whole.db --no-skip "$1"
    "$mprof" export -F chains "$1" | awk '{
            for (i = 1; i <= 7; i++) {
                number[i] = $1
                sub(/^[^ ]+ /, "")
                sub(/~.*/, "", number[i])
            }
            sub(/ \[[^]]*\]$/, "")
            n = split($0, frames, ";")
            split("", met)
            for (i = 1; i <= n; i++)
                if (!(frames[i] in met)) {
                    met[frames[i]]
                    for (k = 1; k <= 7; k++)
                        sum[frames[i], k] += number[k]
                    all[frames[i]]
                }
        }
        END {
            for (f in all) {
                printf "%s", f
                for (k = 1; k <= 7; k++)
                    printf "|%.0f", sum[f, k]
                print ""
            }
        }' >expected
    sqlite3 whole.db "SELECT name, allocs, bytes, frees, freed_bytes, peak_bytes, peak, temporary
        FROM inclusive JOIN functions ON id = function" >got
    same "$1: inclusive, as chains of mprof export -F chains" got expected
    table leaks "$1" |
        jq -r 'select(.kept > 0) | "\(.chain.frames | map(.function) | join(" > "))|\(.kept)|\(.kept_bytes)"' >expected
    sqlite3 runs.db "SELECT chain, sum(kept), sum(kept_bytes) FROM leaks WHERE run = $2 GROUP BY chain" >got
    same "$1: leaks" got expected
    table bins "$1" | jq -r 'select(.size != null) | "\(.size)|\(.allocs)|\(.bytes)|\(.frees)|\(.kept_bytes)"' >expected
    sqlite3 runs.db "SELECT size, allocs, bytes, frees, kept_bytes FROM bins WHERE run = $2 AND size <= 1024" >got
    same "$1: bins" got expected
    is "$1: bins add up to all blocks" \
        "$(sql "SELECT sum(allocs), sum(bytes), sum(kept_bytes), max(peak), max(temporary) FROM bins WHERE run = $2")" \
        "$("$mprof" totals "$1" | awk '{ v[$1] = $2 } END { print v["allocs"], v["bytes"], v["kept"], "null null" }')"
    is "$1: types add up to all" "$(sql "SELECT sum(allocs), sum(bytes), sum(kept_bytes) FROM by_type WHERE run = $2")" \
        "$(sql "SELECT sum(allocs), sum(bytes), sum(kept_bytes) FROM cells WHERE run = $2")"
}

# ------------------------------------------------------------------ the command
for to in "" "-o-"; do
    # shellcheck disable=SC2086
    says "no file $to: one line" "2 mprof: sqlite is appended to a file; use -o FILE; see mprof export --help" \
        "$mprof" export -F sqlite $to costs.data
done
run "$mprof" export -F pprof --label=a=b costs.data
is "labels elsewhere" "$status $(cat err)" "2 mprof: --label: the format pprof has no labels; see mprof export --help"
for label in none =value; do
    says "a label that is none: $label" "2 mprof: --label=$label: expected KEY=VALUE; see mprof export --help" \
        "$mprof" export -F sqlite -o runs.db --label=$label costs.data
done
run "$mprof" export -F sqlite -o runs.db --label=a=1 --label=a=2 costs.data
is "a label twice" "$status $(cat err)" "2 mprof: --label=a: given twice; see mprof export --help"
is "... and no database" "$(ls runs.db 2>/dev/null)" ""

# ------------------------------------------------------------------ figures
# shellcheck disable=SC2016
"$mprof" run -q -o perl.data perl -e '$h{$_ % 997} .= "$_," for 1 .. 5000; print sort values %h' >printed
append costs.data --label=build=1 --label=service=small --label='note=a=b'
append perl.data --label=build=2 --label=service=large
is "labels" "$(sql 'SELECT * FROM labels WHERE run = 1 ORDER BY key')" "1 build 1
1 note a=b
1 service small"
as_report costs.data 1
as_report perl.data 2
for each in "costs 1" "perl 2"; do
    file=${each% *}.data
    is "$file: the run" "$(sql "SELECT allocs, bytes, peak_bytes FROM runs WHERE id = ${each#* }")" \
        "$(total allocs "$file") $(total bytes "$file") $(total peak "$file")"
done
is "nothing is estimated" "$(sql 'SELECT DISTINCT bytes_low, kept_high FROM cells')" "null null"
is "names are there once" "$(sql 'SELECT count(*) - count(DISTINCT path) FROM modules')" 0
cp runs.db before.db
run "$mprof" export -F sqlite -o runs.db costs.data
is "the same again: said" "$status $(cat err)" "0 mprof: runs.db: contains this run already; nothing was appended"
ok "... and the file as it was" cmp runs.db before.db

profile cycles.data "$programs/cycles"
append cycles.data
as_report cycles.data "$(sql 'SELECT max(id) FROM runs')"
# shellcheck disable=SC2016
"$mprof" run -q --sample=4k -o sampled.data perl -e 'print sort map { $_ x 9 } 1 .. 5000' >printed
append sampled.data
sampled=$(sql 'SELECT max(id) FROM runs')
as_report sampled.data "$sampled"
is "sampled: intervals" \
    "$(sql "SELECT count(*) > 0, min(bytes_low <= bytes AND bytes <= bytes_high) FROM inclusive WHERE run = $sampled")" "1 1"
"$mprof" run -q -o window.data "$programs/checkpoints" phases
append window.data
marks=$(sql 'SELECT max(id) FROM runs')
is "marks" "$(sql "SELECT name, exact FROM marks WHERE run = $marks AND kind = 'checkpoint' ORDER BY number")" "nothing 1
one 1
two 1
one 1"
"$mprof" report --json -v --at=two --table=direct window.data |
    jq '[.tables.direct.rows[] | select(.is == "item") | .values.bytes] | add' >expected
is "... what lived" "$(sql "SELECT live_bytes FROM marks WHERE run = $marks AND name = 'two'")" "$(cat expected)"
append window.data --from=one --to=two
is "of a part there are no bins" "$(sql 'SELECT count(*) FROM bins WHERE run = (SELECT max(id) FROM runs)')" 0
is "a part of the time is said, and signed" \
    "$(sql "SELECT part <> '', d.kept_bytes, d.peak_bytes, d.temporary FROM runs JOIN direct d ON run = id
        WHERE function = 'alpha' AND id = (SELECT max(id) FROM runs)" | tail -1)" "1 -40000 null 0"

# The time line has the points of mprof plot.
"$mprof" run -q -o time.data perl -e '$h{$_ % 997} .= "$_," for 1 .. 5000000' >printed
append time.data
"$mprof" plot --data=- time.data | awk '/^$/ { exit } /^[0-9]/' >expected
sql "SELECT printf('%d.%09d', time_ns / 1000000000, time_ns % 1000000000), live_bytes, live_lisp_bytes, live_blocks,
        allocs, bytes, resident_bytes FROM points WHERE run = (SELECT max(id) FROM runs)" | sed 's/null/?/g' >got
same "points, as columns of mprof plot" got expected

# Recordings of other tools have fewer figures.
"$mprof" export -F pprof -o perl.pb.gz perl.data
append perl.pb.gz
imported=$(sql 'SELECT max(id) FROM runs')
is "imported: the figures that there are" "$(sql "SELECT sum(allocs), sum(bytes) FROM cells WHERE run = $imported")" \
    "$(total allocs perl.data) $(total bytes perl.data)"
is "... which tool wrote it" "$(sql "SELECT source LIKE 'pprof%' FROM runs WHERE id = $imported")" 1
run "$mprof" export -F sqlite -o runs.db perl.pb.gz
is "... again: said" "$status $(cat err)" "0 mprof: runs.db: contains this run already; nothing was appended"
"$python" - <<'END'
# A profile like Go's, without the memory in use, with one function.
import gzip
def field(number, value):
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value
texts = [b"", b"alloc_objects", b"count", b"alloc_space", b"bytes", b"grow"]
kinds = [field(1, field(1, 1) + field(2, 2)), field(1, field(1, 3) + field(2, 4))]
sample = field(2, field(1, 1) + field(2, 7) + field(2, 99))
location = field(4, field(1, 1) + field(4, field(1, 1)))
function = field(5, field(1, 1) + field(2, 5))
with gzip.open("go.pb.gz", "wb") as file:
    file.write(b"".join(kinds) + sample + location + function + b"".join(field(6, text) for text in texts))
END
append go.pb.gz
is "of another tool: what it has not recorded is NULL" \
    "$(sql 'SELECT function, allocs, bytes, frees, kept_bytes, peak_bytes, temporary FROM direct
        WHERE run = (SELECT max(id) FROM runs)')" "grow 7 99 null null null null"
run "$mprof" export -F sqlite -o runs.db go.pb.gz
is "... known by what is in it" "$status $(cat err)" "0 mprof: runs.db: contains this run already; nothing was appended"
"$mprof" merge -o merged.data costs.data perl.data 2>err
append merged.data
merged=$(sql 'SELECT max(id) FROM runs')
is "merged: its processes" "$(sql "SELECT program, bytes FROM processes WHERE run = $merged ORDER BY started_ns")" \
    "$programs/costs $(total bytes costs.data)
$(command -v perl) $(total bytes perl.data)"
as_report merged.data "$merged"
run "$mprof" export -F sqlite -o runs.db merged.data
is "merged again: said" "$status $(cat err)" "0 mprof: runs.db: contains this run already; nothing was appended"
if ! grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    skip "types of Lisp" "configured --without-ecl"
elif need ecl; then
    printf '(defvar *kept* (list (make-list 100) (make-string 50)))\n(dotimes (i 3) (ext:gc t))\n(ext:quit)\n' >work.lisp
    "$mprof" run -q -o lisp.data ecl --norc --load work.lisp >printed
    append lisp.data --lisp
    is "types of Lisp" "$(sql 'SELECT sum(allocs), sum(bytes), count(size_class) FROM by_type
            WHERE run = (SELECT max(id) FROM runs)')" \
        "$(total lisp-objects lisp.data) $(total lisp-bytes lisp.data) 0"
    "$mprof" report lisp.data >printed
    is "collections" "$(sql 'SELECT count(*), min(freed = heap_before - heap_after), min(pause_ns > 0) FROM collections
            WHERE run = (SELECT max(id) FROM runs)')" "$(sed -n 's/^Collections *//p' printed) 1 1"
else
    skip "types of Lisp" "$missing"
fi
is "SQLite finds no fault" "$(sql 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok

# ------------------------------------------------------------------ what is no database of ours
# spared NAME WHY: tests that an export to the file NAME is refused with the reason WHY, and that the file is unchanged.
spared()
{
    cp "$1" before
    says "$1: refused" "1 mprof: $1: $2" "$mprof" export -F sqlite -o "$1" perl.data
    ok "... as it was" cmp "$1" before
}
sqlite3 foreign.db 'CREATE TABLE a (b)'
spared foreign.db "a database of something else than mprof"
cp before.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 99'
spared newer.db "its tables are of another version of mprof"
cp costs.data text.db
spared text.db "no database of SQLite"
sqlite3 hollow.db 'PRAGMA application_id = 1836085871; PRAGMA user_version = 3; CREATE TABLE runs (id)'
refuses "tables that are not ours: one line" 1 '^mprof: hollow\.db: ' "$mprof" export -F sqlite -o hollow.db perl.data
size=$(wc -c <before.db)
head -c $((size / 2)) before.db >cut.db
says "cut: one line" "1 mprof: cut.db: damaged database" "$mprof" export -F sqlite -o cut.db perl.data
says "no such directory" "1 mprof: none/runs.db: No such file or directory" "$mprof" export -F sqlite -o none/runs.db perl.data
says "a directory" "1 mprof: .: no file, so no database" "$mprof" export -F sqlite -o . perl.data
run "$mprof" export -F sqlite -o :memory: perl.data
is "a name that means something to SQLite is a file" "$status $(test -s :memory: && echo file)" "0 file"

# ------------------------------------------------------------------ others at work
cp before.db busy.db
mkfifo hold held
{
    echo 'BEGIN EXCLUSIVE; SELECT 1;'
    cat hold >printed
    echo 'ROLLBACK;'
} | sqlite3 -bail busy.db >held &
exec 4<held
read -r _ <&4
run "$mprof" export -F sqlite -o busy.db sampled.data
is "busy: one line, in the end" "$status $(cat err)" "1 mprof: busy.db: another process writes to it, and does not end"
: >hold
cat <&4 >printed
wait
says "... then it works" "0 " "$mprof" export -F sqlite -o busy.db sampled.data
for i in 1 2 3 4; do
    "$mprof" run -q -o "many$i.data" "$programs/costs" >printed
done
for i in 1 2 3 4; do
    "$mprof" export -F sqlite -o many.db "many$i.data" 2>"many$i.err" &
done
wait
is "four at once: all are there" "$(cat many?.err; sqlite3 many.db 'SELECT count(*), count(DISTINCT name) FROM runs')" "4|4"

# ------------------------------------------------------------------ the manual's queries
awk '/^\.Ed/ { on = 0 } on { print > ("query" n) } /^\.Bd/ { getline line; if (line ~ /^SELECT/) { on = 1; n++; print line > ("query" n) } }' \
    "$src/man/mprof-sql.7"
is "the manual has four" "$(find . -name 'query?' | wc -l)" 4
rm -f runs.db
for i in 1 2 3 4; do
    service=even
    [ "$i" = 2 ] || [ "$i" = 4 ] || service=odd
    append "many$i.data" --label=build="b$i" --label=service=$service
done
append perl.data --label=service=perl
bytes=$("$mprof" report --json -v --table=graph costs.data | jq -r '.tables.graph.rows[] |
    select(.section == "self" and .values.function.function == "churn") | .values.share.part')
is "growth of a function, latest build first" "$(sql "$(cat query1)")" "b4 $bytes 0
b3 $bytes 0
b2 $bytes 0
b1 $bytes null"
sql "$(cat query2)" >types
is "types by service" "$(cut -d' ' -f1 types | uniq -c | awk '$1 > 0 && $1 <= 3 { print $2 }' | paste -sd' ' -)" "even odd perl"
is "... of two runs twice as much" "$(awk '$1 == "even" { print $4; exit }' types)" \
    "$(sqlite3 before.db 'SELECT 2 * max(bytes) FROM by_type WHERE run = 1')"
rm -f runs.db
"$mprof" run -q --lifetimes -o lived.data "$programs/lifetimes" >printed
append lived.data
table direct lived.data | jq -r '"\(.function.function) \(.calls)"' |
    awk 'BEGIN {    # blocks of the wrapper filler, freed at once, which the program does not print
             young["just_below"] = 10
             young["just_at"] = 20
             young["grow"] = 2
             young["take_over"] = 1
         }
         NR == FNR { young[$1] += $2 ~ /^(32|128|512|2k|8k|32k)$/ ? $3 : 0; next }
         young[$1] > .9 * $2 { print $1, sprintf("%.1f", young[$1] * 100 / $2), $2 }' printed - >expected
sql "$(cat query4)" >got
same "functions whose blocks die young" got expected
rm -f runs.db
if unshare -ru hostname elsewhere.example 2>/dev/null; then
    # shellcheck disable=SC2016
    unshare -ru sh -c 'hostname elsewhere.example; exec "$@"' sh "$mprof" run -q -o far.data "$programs/costs" >printed
    append costs.data
    append far.data
    is "two hosts" "$(sql 'SELECT count(DISTINCT host) FROM runs')" 2
    sql "$(cat query3)" | cut -d' ' -f1,3- | LC_ALL=C sort >got
    table leaks costs.data | jq -r 'select(.kept > 0) | "\(.kept_bytes) \(.chain.frames | map(.function) | join(" > "))"' |
        LC_ALL=C sort >expected
    ok "leaks that all hosts have" diff got expected
    append perl.data
    is "... none that one of them has not" "$(sql "$(cat query3)" | grep -c perl)" 0
else
    skip "leaks that all hosts have" "no other host name: unshare -ru"
fi
plan
# SPDX-License-Identifier: MIT
