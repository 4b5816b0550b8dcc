"""Unusual heaps, each with figures that are known by construction.

heap_odd.py MPROF FOLDER
"""
import json
import resource
import subprocess
import sys

import heap_file as h

STACK = 512 << 10               # bytes: recursion along the long list needs far more
BASE = 0x1000


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def check(name, writer, expected, **tables):
    """Checks a heap. EXPECTED has objects, bytes, and the unreachable ones. TABLES has rows as {key: retained}."""
    path = f"{sys.argv[2]}/odd.heap"
    with open(path, "wb") as file:
        file.write(writer.finish())
    done = subprocess.run([sys.argv[1], "heap", "--json", "--max=all", path], capture_output=True, text=True,
                          preexec_fn=small_stack)
    if done.returncode != 0:
        raise SystemExit(f"{name}: status {done.returncode}, {done.stderr}")
    document = json.loads(done.stdout)
    head = document["heaps"][0]
    got = tuple(head[key] for key in ("objects", "bytes", "unreachable_objects", "unreachable_bytes"))
    if got != expected:
        raise SystemExit(f"{name}: expected {expected}, got {got}")
    found = {table["name"]: table["rows"] for table in document["tables"]}
    for table, (key, rows) in tables.items():
        got = {row[key]: row["retained"] for row in found.get(table, [])}
        if got != rows:
            raise SystemExit(f"{name}: {table}: expected {rows}, got {got}")


def tables_of(writer, *options):
    """Returns the rows of each table of the answer, by the table's name."""
    path = f"{sys.argv[2]}/odd.heap"
    with open(path, "wb") as file:
        file.write(writer.finish())
    output = subprocess.run([sys.argv[1], "heap", "--json", *options, path], check=True, capture_output=True).stdout
    return {table["name"]: table["rows"] for table in json.loads(output)["tables"]}


def new():
    writer = h.Writer(block=1 << 17)
    return writer, writer.type(h.CONS, "CONS"), writer.type(h.VECTOR, "VECTOR")


def main():
    writer, _, _ = new()
    check("no objects", writer, (0, 0, 0, 0), kinds=("kind", {}))

    writer, cons, _ = new()
    writer.root(1, "*SELF*", "USER", BASE)
    writer.object(BASE, 16, cons, 0, [(1, BASE, False)])
    check("one that refers to itself", writer, (1, 16, 0, 0), roots=("title", {"*SELF*": 16}))

    writer, cons, _ = new()
    n = 300_000
    writer.root(1, "*LONG*", "USER", BASE)
    for i in range(n):
        writer.object(BASE + 16 * i, 16, cons, 0, [(1, BASE + 16 * (i + 1), False)] if i < n - 1 else [])
    check("a long list", writer, (n, 16 * n, 0, 0), roots=("title", {"*LONG*": 16 * n}),
          types=("type", {"CONS": 16 * n}))

    writer, cons, vector = new()
    slots, part = 1 << 24, 8192
    writer.root(1, "*WIDE*", "USER", BASE + 16)
    writer.object(BASE, 16, cons, 0)
    writer.object(BASE + 16, 8 * slots, vector, 0)
    for _ in range(slots // part):
        writer.record(h.MORE, part, (h.varint(0) + h.signed(-16)) * part)
    writer.references += slots
    check("a vector of 2^24 slots", writer, (2, 16 + 8 * slots, 0, 0), roots=("title", {"*WIDE*": 16 + 8 * slots}),
          types=("type", {"CONS": 16, "VECTOR": 16 + 8 * slots}))

    writer, cons, _ = new()
    n = 1000
    for i in range(n):
        writer.root(1, f"R{i}", "USER", BASE + 16 * i)
    for i in range(n):          # each refers to the next: a root and an object hold each, so none dominates another
        writer.object(BASE + 16 * i, 16, cons, 0, [(1, BASE + 16 * ((i + 1) % n), False)])
    check("all are roots", writer, (n, 16 * n, 0, 0), roots=("title", {f"R{i}": 0 for i in range(n)}),
          types=("type", {"CONS": 16 * n}), kinds=("kind", {"value": 16 * n}))

    writer, cons, _ = new()
    writer.root(1, "*ONE*", "USER", BASE)
    writer.object(BASE, 16, cons, 0)
    for i in range(1, 4):
        writer.object(BASE + 16 * i, 16, cons, 0, [(0, BASE, False), (1, BASE + 16 * (i % 3 + 1), False)])
    check("a circle that nothing reaches", writer, (4, 64, 3, 48), roots=("title", {"*ONE*": 16}))

    writer, cons, vector = new()
    writer.root(10, "weak table", "", BASE)
    writer.object(BASE, 64, vector, 0, [(0, BASE + 64, True), (1, BASE + 80, True)])
    writer.object(BASE + 64, 16, cons, 0)
    writer.object(BASE + 80, 16, cons, 0)
    check("a weak table only", writer, (3, 96, 2, 32), kinds=("kind", {"weak": 64}))

    writer, cons, _ = new()
    writer.root(9, "finalizer", "", BASE)
    writer.object(BASE, 16, cons, 0, [(1, BASE + 16, False)])
    writer.object(BASE + 16, 16, cons, 0)
    check("a finalizer only", writer, (2, 32, 0, 0), kinds=("kind", {"finalizer": 32}))

    writer, cons, _ = new()
    writer.root(1, "*UNTYPED*", "USER", BASE)
    writer.object(BASE, 16, 0, 0, [(1, BASE + 16, False)])
    writer.object(BASE + 16, 16, cons, 0)
    rows = tables_of(writer, "--type=CONS", "--referrers")["referrers"]
    if [(row["references"], row["object"]) for row in rows] != [(1, "(no type)")]:
        raise SystemExit(f"an object without a type refers to one that is no part: {rows}")


main()
# SPDX-License-Identifier: MIT
