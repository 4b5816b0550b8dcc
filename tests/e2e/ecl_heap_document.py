"""Checks what mprof heap prints about the snapshot of tests/ecl/document.lisp against an independent reader, which
computes retained sizes by removing objects.

ecl_heap_document.py MPROF SNAPSHOT ELEMENTS ATTRIBUTES TEXTS RETAINED
"""
import collections
import json
import subprocess
import sys

from heap_read import Heap

PASSING = ("stack", "thread")
failures = 0


def same(what, found, expected):
    global failures
    if found != expected:
        failures += 1
        print(f"{what}: {found}, expected {expected}")


def tables(*arguments):
    out = subprocess.run([sys.argv[1], "heap", "--json", "--max=all", *arguments, sys.argv[2]], check=True,
                         capture_output=True, text=True).stdout
    document = json.loads(out)
    return document["heaps"][0], {table["name"]: table["rows"] for table in document["tables"]}


heap = Heap(sys.argv[2])
elements, attributes, texts, retained = map(int, sys.argv[3:])
head, whole = tables()
parts = {o.address for o in heap.objects.values() if o.type.name in heap.parts}
same("objects", head["objects"], len(heap.objects) - len(parts))
same("bytes", head["bytes"], sum(o.size for o in heap.objects.values()))

document = heap.value("*DOCUMENT*")
lasting = heap.reached(ignore=PASSING)
held = lasting - heap.reached([document.address], PASSING)
bytes_held = sum(heap.objects[a].size for a in held)
same("what the program was told", retained, bytes_held)
same("retained by the variable", [row["retained"] for row in whole["roots"] if row["title"] == "*DOCUMENT*"],
     [bytes_held])

# Each attribute has its own text.
_, below = tables("--root=*DOCUMENT*")
types = collections.Counter(heap.objects[a].type.name for a in held)
same("nodes", [types["RUNE-DOM::" + name] for name in ("ELEMENT", "ATTRIBUTE", "TEXT")],
     [elements, attributes, texts + attributes])
shown = collections.Counter()
for row in below["types"]:
    shown[row["type"]] += row["objects"]
same("objects shown", sum(shown.values()), len(held - parts))
same("nodes shown", {row["type"]: row["objects"] for row in below["types"]}["RUNE-DOM::ELEMENT"], elements)

# The retained sizes of other packages: what is reachable from their roots only.
groups = collections.Counter({row["group"]: row["retained"] for row in whole["groups"]})
for group in ("BABEL-ENCODINGS", "CXML", "RUNES"):
    roots, heap.roots = heap.roots, [r for r in heap.roots if r.group != group]
    others = heap.reached(ignore=PASSING)
    heap.roots = roots
    same(group, groups[group], sum(heap.objects[a].size for a in lasting - others))
    same(group + " holds something", groups[group] > 0, True)
sys.exit(failures > 0)
# SPDX-License-Identifier: MIT
