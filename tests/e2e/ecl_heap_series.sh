#!/bin/sh
# mprof plot --heaps: snapshots of a program whose heap grows in a known way, compared with what mprof heap prints for
# each.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >grow.lisp <<'END'
(defpackage #:app (:use #:common-lisp))
(in-package #:app)
(defclass thing () ((a :initarg :a)))
(defvar *things* '())
(defvar *vectors* '())
(defun things (n) (dotimes (i n) (push (make-instance 'thing :a i) *things*)))
(defun vectors (n) (dotimes (i n) (push (make-array 1000 :element-type 'double-float) *vectors*)))
(defvar *first* (make-instance 'thing))         ; makes one for the class, too, and is never garbage
(mprof:heap-snapshot :name "before" :gc t)
(things 1000)
(mprof:heap-snapshot :gc t)
(vectors 50)
(mprof:heap-snapshot :gc t)
(things 500)
(vectors 150)
(mprof:heap-snapshot :name "after" :gc t)
(ext:quit 0)
END
"$ecl" --norc --load "$top/lisp/mprof.fas" --eval '(progn (compile-file "grow.lisp") (ext:quit 0))' >log 2>&1
returns "status" 0 "$mprof" run -q -o grow.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell grow.fas

for by in type site package function; do
    says "by $by" "0 " "$mprof" plot --heaps --json=$by.json --by=$by grow.mprof
done
for number in 1 2 3 4; do
    "$mprof" heap --json --max=all grow.mprof.$number.*heap >heap.$number.json
done

# grew TEXT EXTRA DOCUMENT NAME OBJECTS...: tests that each later snapshot has OBJECTS more than the first one. Up to
# EXTRA more are accepted, because stacks are scanned conservatively and may still refer to lists that were dropped
# last.
grew()
{
    text=$1
    shift
    ok "$text" "$python" - "$@" <<'END'
import json, sys
extra, document, name, *wanted = sys.argv[1:]
rows = json.load(open(document))["rows"]
objects = next(row["objects"] for row in rows if row["name"].startswith(name))
more = [later - objects[0] for later in objects[1:]]
assert len(more) == len(wanted) and all(0 <= a - int(b) <= int(extra) for a, b in zip(more, wanted)), more
END
}
grew "instances by type grow as they were made" 0 type.json APP::THING 1000 1000 1500
grew "... and with their conses by function" 20 function.json APP::THINGS 2000 2000 3000
grew "... and by site" 20 site.json 'APP::THINGS (grow.lisp:6)' 2000 2000 3000
grew "vectors grow as they were made, too" 0 type.json '(VECTOR DOUBLE-FLOAT)' 0 50 200

cat >same.py <<'END'
import json, re, sys
heaps = [json.load(open(f"heap.{i}.json")) for i in (1, 2, 3, 4)]
for by in ("type", "site", "package", "function"):
    series = json.load(open(f"{by}.json"))
    assert series["by"] == by and len(series["snapshots"]) == 4
    times = [taken["since_start_ns"] for taken in series["snapshots"]]
    assert times == sorted(times)
    for i, heap in enumerate(heaps):
        taken, head = series["snapshots"][i], heap["heaps"][0]
        for key in ("number", "name", "trigger", "since_start_ns", "heap_bytes", "free_bytes", "live_bytes",
                    "allocated_bytes", "collections", "objects", "bytes"):
            assert taken[key] == head[key], (by, i, key)
        assert sum(row["shallow"][i] for row in series["rows"]) == head["bytes"], (by, i)
        assert sum(row["objects"][i] for row in series["rows"]) == head["objects"], (by, i)
        if by == "function":
            continue
        table = next(table["rows"] for table in heap["tables"] if table["name"] == by + "s")
        wanted = {}
        for row in table:               # a series adds up tables of any fill
            name = re.sub(", (under a quarter|a quarter|half) full", "", row[by])
            objects, shallow = wanted.get(name, (0, 0))
            wanted[name] = (objects + row["objects"], shallow + row["shallow"])
        assert by == "type" or len(table) == len(wanted), (by, i)
        got = {row["name"]: (row["objects"][i], row["shallow"][i]) for row in series["rows"]
               if row["objects"][i] or row["shallow"][i]}
        assert wanted == got, (by, i, set(wanted.items()) ^ set(got.items()))
END
ok "each row at each moment is what mprof heap has of the snapshot" "$python" same.py
if "$python" -c 'import jsonschema' 2>/dev/null; then
    ok "as the schema says" "$python" -c 'import json, sys, jsonschema
for file in sys.argv[2:]: jsonschema.validate(json.load(open(file)), json.load(open(sys.argv[1])))' \
        "$src/doc/mprof-heap-series.schema.json" type.json site.json package.json function.json
else
    skip "the schema" "python3-jsonschema is not installed"
fi

# ----------------------------------------------------------------- columns
"$mprof" plot --heaps --data=columns grow.mprof
# block N: prints the lines of block N except the first.
block()
{
    awk -v wanted="$1" '/^#/ { next } /^$/ { empty++; next } { block = int(empty / 2) } block == wanted && $1 != "seconds"' \
        columns
}
is "columns: as many bytes as the document has" "$(block 0 | cut -d' ' -f2,3 | tr '\n' ' ')" \
    "$(jq -r '.snapshots[] | "\(.bytes) \(.objects)"' type.json | tr '\n' ' ')"
is "columns: parts add up to all objects" \
    "$(block 1 | awk '{ sum = 0; for (i = 4; i <= NF; i++) sum += $i; printf "%d ", sum }')" \
    "$(block 0 | awk '{ printf "%d ", $2 }')"
is "columns: snapshots by name or number" "$(block 1 | cut -d' ' -f2,3 | tr '\n' ' ')" \
    'snapshot "before" snapshot "2" snapshot "3" snapshot "after" '
is "columns: collections are those of the recording" "$(block 2 | cut -d' ' -f1,2 | tr '\n' ' ')" \
    "$("$mprof" plot --json grow.mprof | jq -r '.timeline.moments[] | select(.is == "collection") |
        "\(.time_ns / 1e9 | floor).\(.time_ns % 1000000000 | tostring | ("000000000" + .)[-9:]) \(.pause_ns)"' | tr '\n' ' ')"
at_least "... four of them, which the snapshots asked for" "$(block 2 | grep -c .)" 4
"$mprof" plot --data=named grow.mprof.4.after.heap grow.mprof.2.heap grow.mprof.1.before.heap grow.mprof.3.heap
ok "snapshots that are named, in any order, are the same" cmp named columns
from=$(jq '.snapshots[1].since_start_ns' type.json)
"$mprof" plot --heaps --data=columns --from="${from}ns" grow.mprof 2>err ||
    "$mprof" plot --heaps --data=columns --from="$((from / 1000000))ms" grow.mprof
is "a part of the time" "$(block 1 | cut -d' ' -f3 | tr '\n' ' ')" '"2" "3" "after" '

# ----------------------------------------------------------------- picture
"$mprof" plot --heaps -o picture.svg grow.mprof
ok "the picture is well formed" xmllint --noout picture.svg
has "its areas" picture.svg '<title>\(VECTOR DOUBLE-FLOAT\): 1\.6 MB at most, where it was counted</title>'
has "its heap" picture.svg '<title>heap, as the system gave it</title>'
has "its collections" picture.svg '<title>collection full, after '
is "its snapshots" "$(grep -c '<title>snapshot [^<]* objects; asked for by the program</title>' picture.svg)" 4
hasnt "nothing of it is interpolated" picture.svg 'interpolated'
if need gnuplot; then
    "$mprof" plot --heaps --data=columns grow.mprof
    ok "gnuplot draws the columns" gnuplot -e "data='columns'; output='gnuplot.svg'" "$src/examples/timeline.gnuplot"
    ok "... well formed" xmllint --noout gnuplot.svg
else
    skip "gnuplot draws the columns" "gnuplot is not installed"
    skip "... well formed" "gnuplot is not installed"
fi

# Without the recording there are no marks. The rows are the same, because sealed snapshots contain names.
mkdir alone && cp grow.mprof.*.heap alone && mv grow.mprof away
"$mprof" plot --json=alone.json --by=site alone/*.heap
"$mprof" plot -o alone.svg alone/*.heap
mv away grow.mprof
is "without the recording: the same rows" "$(jq -cS .rows alone.json)" "$(jq -cS .rows site.json)"
hasnt "... no collections" alone.svg '<title>collection '
ok "... well formed" xmllint --noout alone.svg

# ------------------------------------------------------------------ refused
"$mprof" run -q -o other.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell grow.fas >out 2>&1
refused 2 'different processes, whose times' plot grow.mprof.1.before.heap other.mprof.2.heap
refused 2 'the same snapshot' plot grow.mprof.1.before.heap grow.mprof.2.heap grow.mprof.1.before.heap
refused 1 'one snapshot is no series' plot grow.mprof.1.before.heap
refused 2 'is not a heap snapshot' plot grow.mprof.1.before.heap grow.mprof
refused 2 'one file too many' plot grow.mprof other.mprof
refused 2 'type, package, function, site or file' plot --heaps --by=thread grow.mprof
refused 2 'requires --heaps' plot --by=package grow.mprof
refused 2 'cannot be combined with --focus' plot --heaps --function=x grow.mprof
refused 2 'cannot be combined with --from' plot --heaps --json --from=start grow.mprof
refused 2 'no two snapshots' plot --heaps --to=1ms grow.mprof
head -c 3000 grow.mprof.2.heap >cut.heap
refused 1 'cut.heap' plot grow.mprof.1.before.heap cut.heap
mkdir mixed && cp grow.mprof mixed && for number in 1 2; do cp other.mprof.$number.*heap mixed/grow.mprof.$number.heap; done
refused 1 'is a snapshot of another process' html -o x.html --heaps mixed/grow.mprof
refused 2 '^mprof: --heaps cannot be combined' html -o x.html --heaps --at=peak grow.mprof
rm grow.mprof.*.heap
refused 1 '^mprof: there are no heap snapshots grow.mprof.1.heap \.\.\.$' html -o x.html --heaps grow.mprof
is "... and no page is left" "$(ls x.html 2>/dev/null)" ""
refused 1 '^mprof: there are no heap snapshots grow.mprof.1.heap \.\.\.$' plot --heaps grow.mprof
plan
# SPDX-License-Identifier: MIT
