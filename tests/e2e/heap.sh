#!/bin/sh
# mprof heap: the figures of random heaps are those of a simple independent reader; damaged snapshots are refused in
# one line.
. "${srcdir:-.}/tests/e2e/lib.sh"

PYTHONPATH=$src/tests/e2e
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

ok "random heaps: ${HEAPS:=100} are as a naive reader finds them" \
    "$python" "$src/tests/e2e/heap_reference.py" "$mprof" "$tmp" "$HEAPS" 11
ok "random containers, random threes: $HEAPS are as a naive reader finds them" \
    "$python" "$src/tests/e2e/heap_containers.py" "$mprof" "$tmp" "$HEAPS" 7
ok "heaps at the edges are as they were made" "$python" "$src/tests/e2e/heap_odd.py" "$mprof" "$tmp"

"$python" - <<'END'
import heap_file as h
def made(name, n, extra, pid=7, language=None):
    w = h.Writer()
    w.fact(5, pid)
    if language:
        w.record(2, 1, w.text(language))
    cons, text = w.type(h.CONS, "CONS"), w.type(h.LEAF, "STRING")
    f = w.site("f", "a.c", 3)
    w.root(1, "*LIST*", "USER", 0x1000)
    for i in range(n):
        w.object(0x1000 + 16 * i, 16, cons, f, ([(0, 0x8000, False)] if i % 2 else []) +
                 ([(1, 0x1010 + 16 * i, False)] if i < n - 1 else []))
    w.object(0x8000, 32, text, f)
    for i in range(extra):
        w.object(0x9000 + 32 * i, 32, text, f)
    data = w.finish()
    open(name, "wb").write(data)
    return data
a = made("a.heap", 10, 0)
made("b.heap", 20, 3)
made("c.heap", 15, 2)
made("other.heap", 20, 3, pid=8)
made("blocks.heap", 20, 3, language="C")
def odd(name, *records):
    w = h.Writer()
    table = w.type(h.ENTRIES, "ENTRIES")
    w.type(h.LEAF, "STRING")
    w.object(0x1000, 32, table, 0)
    for record in records:
        w.record(*record)
    open(name, "wb").write(w.finish())
odd("keys.heap", (h.KEYS, 5, bytes([0, 2, 5, 1, 65])), (h.NAME, 1, b"n"), (h.FREE, 3, 65, 96), (h.PART, 2, 1))
odd("half.heap", (h.KEYS, 2, bytes([1, 9])))
odd("kind.heap", (h.KEYS, 2, bytes([3, 0])))
odd("part.heap", (h.PART, 1, 1))
for i in range(len(a)):
    open(f"cut.{i}", "wb").write(a[:i])
    open(f"bit.{i}", "wb").write(a[:i] + bytes([a[i] ^ 1 << i % 8]) + a[i + 1:])
END

"$mprof" heap --no-pager a.heap >a
has "a list is told" a '1 +10 +10.0 +160 .* list of immediate values 50 %, STRING 50 %$|list of STRING 50 %, immediate values 50 %$'
has "a root" a '^\*LIST\* +USER +value +16 '
"$mprof" heap --json a.heap b.heap >ab.json
is "what grew" "$("$python" -c 'import json; print([[r["type"], r["objects_change"], r["shallow_change"]]
    for t in json.load(open("ab.json"))["tables"] if t["name"] == "types" for r in t["rows"]])')" \
    "[['CONS', 10, 160], ['STRING', 3, 96]]"
"$mprof" heap --json a.heap b.heap c.heap >abc.json
is "what came and stayed" "$("$python" -c 'import json; print([[r["type"], r["objects"]]
    for r in json.load(open("abc.json"))["tables"][0]["rows"]])')" "[['CONS', 5], ['STRING', 2]]"

run "$mprof" heap --no-pager a.heap other.heap
is "two processes: it is said" "$status $(grep -c '^note: the snapshots are of different processes$' out)" "0 1"
run "$mprof" heap --no-pager a.heap b.heap
is "... of one it is not" "$status $(grep -c '^note: the snapshots are of different processes$' out)" "0 0"

if "$python" -c 'import jsonschema' 2>/dev/null; then
    "$mprof" heap --json a.heap >all.json
    "$mprof" heap --json --object=1000 --path a.heap >object.json
    "$mprof" heap --json --type=CONS --slots --path a.heap >type.json
    "$mprof" heap --json --root='*LIST*' a.heap >root.json
    ok "as the schema says" "$python" -c 'import json, sys, jsonschema
for file in sys.argv[2:]: jsonschema.validate(json.load(open(file)), json.load(open(sys.argv[1])))' \
        "$src/doc/mprof-heap.schema.json" all.json object.json type.json root.json ab.json abc.json
else
    skip "the schema" "python3-jsonschema is not installed"
fi

# ------------------------------------------------------------------ damage
bad=
for file in cut.* bit.*; do
    run "$mprof" heap --no-pager "$file"
    [ "$status" = 1 ] && [ ! -s out ] && [ "$(grep -c '^mprof: ' err)" = 1 ] && [ "$(wc -l <err)" = 1 ] || bad="$bad $file"
done
is "each cut, each changed bit is one line" "$bad" ""

refuses "a recording is no snapshot" 1 'is not a snapshot of a heap' "$mprof" heap "$src/tests/data/sealed-widgets.data"
refuses "a snapshot is no recording" 1 'see mprof heap' "$mprof" report a.heap
refuses "incomplete keys" 1 'half.heap: .*keys are incomplete' "$mprof" heap half.heap
refuses "a key of no kind" 1 'kind.heap: .*keys are incomplete' "$mprof" heap kind.heap
refuses "a type that is a part of itself" 1 'part.heap: .*a part without an owner' "$mprof" heap part.heap
run "$mprof" heap --no-pager --object=1000 keys.heap
is "keys, names, parts and what is free are read" "$status $(grep -c 'ENTRIES n$' out)" "0 1"
refuses "--path of no number" 2 "^mprof: --path=0: " "$mprof" heap --path=0 --type=CONS a.heap
refuses "no such type" 1 "no objects of type 'X'" "$mprof" heap --type=X a.heap
refuses "no such object" 1 'no object at 0x77' "$mprof" heap --object=77 a.heap
refuses "a kind of roots that is not there" 1 '^mprof: no roots of the kind finalizer are in this heap$' "$mprof" heap --root=finalizer a.heap
refuses "no such root" 1 "'X': no kind, group or title of a root" "$mprof" heap --root=X a.heap
refuses "the heap of another language" 2 '^mprof: blocks.heap and a.heap are heaps of different languages$' "$mprof" heap a.heap blocks.heap
refuses "objects of two processes" 2 '^mprof: three snapshots must be of one process' "$mprof" heap a.heap b.heap other.heap
refuses "--slots without a type" 2 '^mprof: ' "$mprof" heap --slots a.heap

# The memory that mprof heap needs for a million objects, conses and vectors in turn. Each object refers to the previous
# and the next one.
"$python" - <<'END'
import heap_file as h
N = 1000000
w = h.Writer(block=h.MOST_BLOCK)
types = [w.type(h.CONS, "CONS"), w.type(h.VECTOR, "(SIMPLE-VECTOR T)")]
site = w.site("make", "a.lisp", 1)
w.root(1, "*LIST*", "APP", 0x1000)
middle = [h.varint(8) + h.varint(24) + h.varint(2 * type_) + h.varint(site) + h.varint(2) + h.varint(0) + h.signed(-32) +
          h.varint(0) + h.signed(32) for type_ in types]
w.object(0x1000, 24, types[0], site, [(1, 0x1020, False)])
for i in range(1, N - 1):
    w.record(h.OBJECT, middle[i % 2])
w.end += 32 * (N - 2)
w.objects += N - 2
w.references += 2 * (N - 2)
w.bytes += 24 * (N - 2)
w.object(0x1000 + 32 * (N - 1), 24, types[1], site, [(0, 0x1000 + 32 * (N - 2), False)])
with open("long.heap", "wb") as file:
    file.write(w.finish())
END
size=$("$python" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=open("text", "w"), check=True)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$mprof" heap --no-pager long.heap)
has "all of it is held by its root" text '^\*LIST\* .* 24,000,000 +100\.0'
at_most "a million objects: bytes of memory for each" $((size / 1000000)) 42
plan
# SPDX-License-Identifier: MIT
