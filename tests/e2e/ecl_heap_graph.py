"""Checks the snapshots that tests/ecl/heap-graph.lisp made: ecl_heap_graph.py FILE WHAT..."""
import sys

from heap_read import Heap

heap = Heap(sys.argv[1])
what = sys.argv[2:]
tests = failures = 0


def same(name, found, wanted):
    global tests, failures
    tests += 1
    if found != wanted:
        failures += 1
        print(f"not ok: {name}: {found!r}, not {wanted!r}")


def value(name):
    return heap.value("WIDGETS::" + name)


def listed(o):
    """Returns the elements and the conses of a finite list."""
    elements, conses = [], []
    while o is not None and o.type.shape == "cons" and o not in conses[:1]:
        conses.append(o)
        elements.append(heap.slot(o, 0))
        o = heap.slot(o, 1)
    return elements, conses


def retained(*objects):
    return heap.retained([o.address for o in objects])


def structure(o, slot):
    return heap.slot(heap.slot(o, "slots"), slot)


def beginnings(objects):
    return [o.beginning for o in objects]


# Everything in the snapshot is reachable from roots, because nothing is reachable by weak references only.
reached = heap.reached()
same("all objects are reached", len(reached), len(heap.objects))
same("roots lead to objects", [r for r in heap.roots if heap.at(r.target) is None], [])
same("references lead to objects", [o.type.name for o in heap.objects.values() for _, _, a in o.references
                                    if heap.at(a) is None], [])

pair = value("*PAIR*")
same("a pair", (pair.type.name, pair.size, beginnings([heap.slot(pair, 0), heap.slot(pair, 1)])),
     ("CONS", 16, ["left", "right"]))
same("... retains its strings", retained(pair), 16 + sum(heap.slot(pair, i).size for i in (0, 1)))
circle = value("*CIRCLE*")
same("a circle of conses", (len(listed(circle)[1]), retained(circle)), (5, 80))

first, second = value("*FIRST*"), value("*SECOND*")
same("shared tail", (len(listed(first)[1]), len(listed(second)[1])), (150, 150))
same("... is retained by neither", (retained(first), retained(second)), (1600, 1600))
same("... but by both", retained(first, second), 250 * 16)

points = value("*POINTS*")
data = heap.slot(points, "data")
same("a vector", (points.type.name, points.type.shape, data.type.name, data.type.shape),
     ("(VECTOR T)", "vector head", "(VECTOR T) data", "vector"))
same("... has its elements", (len(data.references), {heap.at(a).type.name for _, _, a in data.references}),
     (1000, {"WIDGETS::POINT"}))
point = heap.at(data.references[0][2])
slots = heap.slot(point, "slots")
same("a structure", (point.type.shape, slots.type.name, slots.type.shape, slots.type.slots),
     ("instance", "WIDGETS::POINT: slots", "instance", ["X", "Y"]))
same("... with what it holds", structure(point, "X").type.name, "CONS")
same("all that it retains", retained(points), points.size + data.size + 1000 * (point.size + slots.size + 16))

deep = value("*DEEP*")
same("a structure that includes another", (deep.type.name, heap.slot(deep, "slots").type.slots),
     ("WIDGETS::POINT-3", ["X", "Y", "Z"]))
same("... slots", (structure(deep, "X").beginning, structure(deep, "Y").type.name, structure(deep, "Z").type.name),
     ("x of it", "WIDGETS::POINT", "(VECTOR T)"))
shape = value("*SHAPE*")
same("an instance", (shape.type.name, structure(shape, "NAME").beginning, structure(shape, "ORIGIN").type.name),
     ("WIDGETS::SHAPE", "a shape", "WIDGETS::POINT"))

lists = 10000 if "small" in what else 100000
huge = heap.slot(value("*HUGE*"), "data")
same("a huge vector", (len(huge.references), [s for s, _, _ in huge.references] == list(range(0, 3 * lists, 3))),
     (lists, True))
same("... retains its lists", retained(huge), huge.size + lists * 16)

for name, kind, size in (("*DOUBLES*", "(VECTOR DOUBLE-FLOAT)", 8000), ("*BYTES*", "(VECTOR (UNSIGNED-BYTE 8))", 5000),
                         ("*BITS*", "BIT-VECTOR", 500)):
    o = value(name)
    data = heap.slot(o, "data")
    same(f"{name}: type", (o.type.name, data.type.name, data.type.shape), (kind, kind + " data", "leaf"))
    same(f"{name}: size", size <= data.size < size + 4096, True)
matrix = value("*MATRIX*")
same("a matrix", (matrix.type.name, len(heap.slot(matrix, "data").references)), ("(ARRAY T)", 100))
whole, part = value("*WHOLE*"), value("*PART*")
same("a displaced vector", (part.type.name, heap.slot(part, "data") is heap.slot(whole, "data")),
     ("(VECTOR T), displaced", True))
held = dict((s, a) for s, _, a in part.references)[part.type.slots.index("data")]
same("... begins within the other's data", held - heap.slot(whole, "data").address, 40 * 8)
letters = value("*LETTERS*")
same("a string", (letters.beginning, letters.type.name), ("u" * 40, "STRING"))

table = value("*BY-NAME*")
entries = heap.slot(table, "entries")
same("a hash table", (table.type.shape, table.type.name.split(",")[0], entries.type.shape),
     ("hash table", "HASH-TABLE EQUAL", "entries"))
by_slot = {s: heap.at(a) for s, _, a in entries.references}
values = sorted(s for s, o in by_slot.items() if o.type.name == "WIDGETS::POINT")
same("... its entries", (len(values), {s % 2 for s in values}, {by_slot[s - 1].beginning[:4] for s in values}),
     (100, {1}, {"key "}))
weakly = value("*WEAKLY*")
same("a weak table", weakly.type.name.split(", ")[:2], ["HASH-TABLE EQ", "weak by key"])
key = value("*WEAK-KEY*")
pointers = [o for o in heap.of("WEAK-POINTER") if heap.at(o.references[0][2]) is key]
same("weak pointers to the key, of the table and our own", len(pointers), 2)
same("... are weak", {w for o in pointers for _, w, _ in o.references}, {True})
same("... and keep nothing alive", retained(key), 16 + heap.slot(key, 0).size)

adders = listed(value("*ADDERS*"))[0]
same("closures", (len(adders), {o.type.shape for o in adders}), (50, {"closure"}))
if "names" in what:
    same("... of a function with a name", {o.type.name for o in adders}, {"CLOSURE LAMBDA in WIDGETS::MAKE-ADDER"})
same("... hold what they closed over", len({a for o in adders for a in
                                            [heap.slot(o, "environment").address]}), 50)

uninterned = value("*FUNCTION-OF*")
same("a symbol without package", (uninterned.type.name, uninterned.type.shape), ("SYMBOL without package", "symbol"))
same("... and its value", beginnings(listed(heap.slot(uninterned, "value"))[0]), ["of a symbol without package"])
plist = heap.targets("plist", "WIDGETS::IN-THE-PLIST")
same("a property list", [beginnings(listed(listed(p)[0][1])[0]) for p in plist], [["in a plist"]])
same("functions of the package", {r.title for r in heap.roots if r.kind == "function" and r.group == "WIDGETS"} >=
     {"WIDGETS::MAKE-ADDER", "WIDGETS::MAIN", "WIDGETS::MAKE-POINT"}, True)
same("symbols are typed by package", heap.at(next(r.target for r in heap.roots if r.kind == "core" and
                                                  r.title == "cl_core")) is not None, True)


# Four threads: their dynamic bindings, and what is on their stacks.
def threes(text):
    return [o for o in heap.of("WIDGETS::POINT-3") if getattr(structure(o, "X"), "beginning", None) == text]


# A stack may contain what another thread left there, so bound values are searched in the bindings only.
for text, kinds in (("bound", {"value"}), ("on the stack", {"stack"})):
    found = threes(text)
    same(f"{text}: in four threads", len(found), 4)
    for o in found:
        groups = set()
        for r in heap.roots:
            if r.kind in kinds and "worker" in (r.group or ""):
                target = heap.at(r.target)
                if target is o or (target and target.type.name == "CONS" and heap.slot(target, 0) is o):
                    groups.add(r.group)
        same(f"{text}: by a thread of its own", len(groups), 1)
finalized = [o for o in heap.of("WIDGETS::POINT-3") if getattr(structure(o, "Z"), "beginning", None) == "finalized"]
same("what has a finalizer is there", len(finalized), 20)
waiting = heap.targets("finalizer", "to be finalized")
same("... only for its finalizer, but for what the stack still shows", len([o for o in finalized if o in waiting]) >= 15,
     True)
same("what else has one is not waiting", value("*WITH-FINALIZER*") in waiting, False)
same("functions that finalize", len(heap.targets("finalizer", "finalizer")) >= 21, True)

facts = heap.facts
same("facts", (facts["language"].startswith("ECL 2"), facts["word"], facts["trigger"], facts["stopped"] > 0,
               facts["heap"] > sum(o.size for o in heap.objects.values())), (True, 8, 1, True, True))
same("fact: threads whose registers are missing", facts["threads without registers"] >= 4, "stopped" not in what)
same("fact: a copy wrote it", facts["forked"], 0 if "in-place" in what else 1)
same("fact: its name", facts.get("name"), "by this name" if "named" in what else None)
same("fact: missing sites", facts["missing sites"], sum(not o.site for o in heap.objects.values()))
if "sites" in what:
    same("objects of ours have sites", [o for o in adders + [pair, first, deep, shape] if not o.site], [])
    same("... of one function one", len({o.site for o in adders}), 1)
print(sum(o.beginning is not None for o in heap.objects.values()), "strings,", facts.get("data file"))
print(f"{tests} checked, {failures} failed")
sys.exit(failures > 0)
# SPDX-License-Identifier: MIT
