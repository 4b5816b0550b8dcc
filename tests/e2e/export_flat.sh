#!/bin/sh
# mprof export -F csv and ndjson: real readers find the figures of the report, and unchanged names.
. "${srcdir:-.}/tests/e2e/lib.sh"

LC_ALL=C.UTF-8
needs "flat exports" jq sqlite3

MPROF_LABELS=container=         # the labels are the same if the tests run in a container
export MPROF_LABELS
# shellcheck disable=SC2016
"$mprof" run -q -o perl.data perl -e '$h{$_ % 997} .= "$_," for 1 .. 5000; print sort values %h' >printed
"$mprof" run -q --sample=4k -o sampled.data perl -e 'print sort map { $_ x 9 } 1 .. 5000' >printed
"$mprof" run -q -o window.data "$programs/checkpoints" phases

# flat FILE OPTION...: exports FILE in both formats.
flat()
{
    file=$1
    shift
    says "csv of $file $*: status" "0 " "$mprof" export -F csv -o flat.csv "$@" "$file"
    says "ndjson of $file $*: status" "0 " "$mprof" export -F ndjson -o flat.ndjson "$@" "$file"
}

# sql QUERY: runs a query on flat.csv in sqlite3, where empty fields are ''.
sql()
{
    sqlite3 -separator ' ' :memory: '.import --csv flat.csv cells' "$1"
}

figures='allocs bytes frees freed_bytes kept kept_bytes temporary peak peak_bytes'
sums=$(for figure in $figures; do printf 'sum(%s),' "$figure"; done)
sums=${sums%,}

# json_sums, python_sums: print the sums of all figures in flat.ndjson, as jq and as Python read it.
json_sums()
{
    jq -rs --arg figures "$figures" '[($figures | split(" "))[] as $f | map(.[$f]) | add] | join(" ")' flat.ndjson
}
python_sums()
{
    "$python" - flat.csv flat.ndjson "$figures" <<'END'
import csv, json, sys
names = sys.argv[3].split()
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file, strict=True))
with open(sys.argv[2], encoding="utf-8") as file:
    objects = [json.loads(line) for line in file]
assert len(rows) == len(objects)
for row, each in zip(rows, objects):
    for name in names + ["pid", "started_ns"]:
        assert row[name] == ("" if each[name] is None else str(each[name])), (name, row, each)
    for name in "run", "program", "host", "type", "size_class":
        assert row[name] == (each[name] or ""), (name, row, each)
    last = each["frames"][-1] if each["frames"] else {}
    for name in "function", "module", "file", "line":
        assert row[name] == str(last.get(name) or ""), (name, row, each)
print(" ".join(str(sum(int(row[name]) for row in rows)) for name in names))
END
}

for file in perl.data sampled.data; do
    flat $file
    expected=$(for key in allocs bytes frees freed kept-blocks kept temporary; do total $key $file; done | paste -sd' ' -)
    [ $file = perl.data ] ||
        expected=$(total allocs-by-samples $file)\ $(total bytes-by-samples $file)\ ${expected#* * }
    is "$file: sqlite3's sums" "$(sql "select $sums from cells" | cut -d' ' -f1-7)" "$expected"
    is "$file: jq's" "$(json_sums)" "$(sql "select $sums from cells")"
    is "$file: Python's, line by line" "$(python_sums 2>&1 | tail -1)" "$(json_sums)"
done
is "what is sampled says so" "$(sql 'select distinct estimated from cells')" true
is "... with intervals" "$(jq -s 'all(.estimates.bytes.low <= .bytes and .bytes <= .estimates.bytes.high)' flat.ndjson)" true

flat perl.data
is "by function: as table 3" \
    "$(sql 'select function, sum(bytes), sum(kept_bytes), sum(allocs) from cells group by function' | sort)" \
    "$("$mprof" report --json -v --table=direct perl.data |
        jq -r '.tables.direct.rows[] | select(.is == "item") | .values |
            "\(.function.function) \(.bytes) \(.kept_bytes) \(.calls)"' | sort)"
is "the peak" "$(sql 'select sum(peak), sum(peak_bytes) from cells')" "$(total peak-blocks perl.data) $(total peak perl.data)"
is "one process" "$(sql 'select count(distinct run), count(distinct pid), program from cells')" "1 1 $(command -v perl)"
flat window.data --from=one --to=two
is "of a part of the time: what shrank" "$(sql "select kept_bytes from cells where function = 'alpha'")" -40000
is "... what is not known is empty" "$(sql "select distinct temporary, peak || peak_bytes from cells")" "0 "
is "... and null" "$(jq -c '[.temporary, .peak, .peak_bytes]' flat.ndjson | sort -u)" '[0,null,null]'
flat window.data --to=peak
is "... nor is what was temporary, until the peak" "$(jq -c .temporary flat.ndjson | sort -u)" null
flat window.data --function=beta
is "a part: one function" "$(sql 'select distinct function from cells')" beta
if ! grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    skip "types of Lisp" "configured --without-ecl"
elif need ecl; then
    printf '(defvar *kept* (list (make-list 100) (make-string 50)))\n(ext:quit)\n' >work.lisp
    "$mprof" run -q -o lisp.data ecl --norc --load work.lisp >printed
    flat lisp.data --lisp
    is "types of Lisp" "$(sql 'select sum(allocs), sum(bytes) from cells')" \
        "$(total lisp-objects lisp.data) $(total lisp-bytes lisp.data)"
    is "... have no class of sizes" \
        "$(sql "select count(*) from cells where size_class <> '' or type = 'malloc'")" 0
else
    skip "types of Lisp" "$missing"
fi

# Rows of a merged file name their process.
"$mprof" run -q -o first.data "$programs/costs" >printed
"$mprof" run -q -o second.data "$programs/costs" >printed
"$mprof" merge --by=process -o merged.data perl.data first.data second.data >printed 2>&1
flat merged.data --label=build=17 --label='branch=a;b'
is "merged: each process has its figures" \
    "$(sql 'select sum(allocs), sum(bytes), sum(kept_bytes) from cells group by run order by started_ns')" \
    "$(for file in perl.data first.data second.data; do
        echo "$(total allocs $file) $(total bytes $file) $(total kept $file)"
    done)"
is "... its program, and one of three process ids" \
    "$(sql 'select program from cells group by pid order by started_ns')" \
    "$(printf '%s\n' "$(command -v perl)" "$programs/costs" "$programs/costs")"
is "... its host" "$(sql 'select distinct host from cells')" "$(uname -n)"
is "... and chains without the process" "$(sql "select count(*) from cells where chain like '%[%]%'")" 0
ok "... in both" python_sums
is "--label" "$(sql 'select distinct labels from cells')" 'build=17;branch=a\x3bb'
is "... in JSON" "$(jq -c .labels flat.ndjson | sort -u)" '{"build":"17","branch":"a;b"}'
flat merged.data --by-process
is "--by-process: chains begin with it, too" "$(sql "select count(*) from cells where chain not like '%[%];%'")" 0
"$mprof" merge --by=program -o programs.data perl.data first.data second.data >printed 2>&1
flat programs.data
is "merged by program: the process is not known" \
    "$(sql "select pid, sum(bytes) from cells where program like '%costs'")" " $((2 * $(total bytes first.data)))"

# Names that contain delimiters of fields and lines.
cp "$programs/odd_names" odd
LC_ALL=C sed -i -e 's/odd_name_escape/odd,";name\n\x1b[xy/g' odd
"$mprof" run -q -o odd.data ./odd
flat odd.data
ok "hostile names: Python reads the same from both" python_sums
# shellcheck disable=SC1003
is "... sqlite3, too" "$(sql "select distinct function from cells where function like 'odd,%'")" 'odd,";name\x0a\x1b[xy'
# shellcheck disable=SC1003
has "... functions of chains stay apart" flat.csv 'odd,""\\x3bname'

# Tables of database engines have the columns of the formats.
flat sampled.data
for engine in clickhouse duckdb postgres sqlite; do
    for format in csv ndjson; do
        "$mprof" export -F $format --schema=$engine -o $engine.$format.sql
        sed -n '2,$s/^    \([a-z_]*\) .*/\1/p' $engine.$format.sql >$engine.$format
    done
    is "--schema=$engine: columns of csv" "$(paste -sd, $engine.csv)" "$(head -n 1 flat.csv)"
    is "... of ndjson" "$(paste -sd, $engine.ndjson)" \
        "$(jq -rs 'map(select(.estimates))[0] | keys_unsorted | join(",")' flat.ndjson)"
done
refuses "--schema of another format" 2 '^mprof: --schema: only ' "$mprof" export -F pprof --schema=sqlite
flat merged.data
for again in "" " again"; do
    sqlite3 loaded.db ".read sqlite.csv.sql" 2>printed
    for file in perl merged odd perl; do
        "$mprof" export -F csv -o $file.csv $file.data
        sqlite3 loaded.db ".import --csv $file.csv fresh" 'INSERT OR IGNORE INTO allocations SELECT * FROM fresh' \
            'DROP TABLE fresh'
    done
    is "sqlite3 loads csv$again: each row once" "$(sqlite3 loaded.db 'SELECT count(*), sum(bytes) FROM allocations')" \
        "$(cat perl.csv merged.csv odd.csv | grep -vc ^run,)|$(for file in perl merged odd; do total bytes $file.data; done |
            awk '{ n += $1 } END { print n }')"
done
is "... with the meaning of columns" "$(sqlite3 loaded.db .schema | grep -c -- '-- bytes of these blocks$')" 2

# DuckDB, if Node has it.
if need node && printf 'require("@duckdb/node-api")' | node >/dev/null 2>&1; then
    flat perl.data
    cat >duck.cjs <<'END'
const { DuckDBInstance } = require("@duckdb/node-api");
(async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const query of process.argv.slice(2))
        for (const row of (await connection.runAndReadAll(query)).getRows())
            console.log(row.map(String).join(" "));
})();
END
    for file in flat.csv flat.ndjson; do
        is "DuckDB: $file" "$(node duck.cjs "select $sums from '$file'")" "$(json_sums)"
    done
    is "DuckDB: chains" "$(node duck.cjs "select sum(kept_bytes) from 'flat.ndjson' where len(list_filter(frames, f -> f.function = 'main')) > 0")" \
        "$(jq -s 'map(select(any(.frames[]; .function == "main")) | .kept_bytes) | add' flat.ndjson)"
else
    skip "DuckDB" "Node has no @duckdb/node-api (npm install @duckdb/node-api, and NODE_PATH)"
fi
plan
# SPDX-License-Identifier: MIT
