"""Compares the figures of mprof heap with those of a naive computation, which removes objects and determines again
what is reachable, for small random heaps.

heap_reference.py MPROF FOLDER COUNT SEED
"""
import json
import random
import subprocess
import sys

import heap_file

PASSING = {heap_file.KINDS.index(kind) for kind in ("stack", "thread")}


class Heap:
    """A heap as lists and sets of Python."""

    def __init__(self, rng):
        self.rng = rng
        n = rng.randint(0, 24)
        self.address, self.size, self.type, self.site = [], [], [], []
        at = rng.choice([0x10, 0x1000, 1 << 40])
        for _ in range(n):
            at += rng.choice([0, 0, 16, 4096, 1 << 33]) if self.address else 0
            size = rng.choice([8, 16, 24, 40, 1000])
            self.address.append(at)
            self.size.append(size)
            self.type.append(rng.randint(0, 3))
            self.site.append(rng.randint(0, 4))
            at += size
        self.references = [self.some_references(i) for i in range(n)]
        self.roots = [self.some_root() for _ in range(rng.randint(0, 6))]
        self.dead = [rng.random() < 0.1 for _ in range(n)]
        self.lasting = set()
        self.lasting = self.reached(roots=lambda root: root[0] not in PASSING)
        self.passing = self.reached() - self.lasting

    def some_target(self):
        """Returns an address and the object that contains it, or None."""
        if not self.address or self.rng.random() < 0.1:
            return 3, None
        to = self.rng.randrange(len(self.address))
        return self.address[to] + (self.rng.randrange(self.size[to]) if self.rng.random() < 0.2 else 0), to

    def some_references(self, _):
        slots = sorted(self.rng.sample(range(200), self.rng.choice([0, 1, 2, 2, 3, 9])))
        return [(slot, *self.some_target(), self.rng.random() < 0.15) for slot in slots]

    def some_root(self):
        return (self.rng.randrange(12), self.rng.choice("XYZ"), self.rng.choice(["", "G", "H"]), *self.some_target())

    def write(self):
        writer = heap_file.Writer(block=self.rng.choice([64, 4096]) + 2048)
        types = [0] + [writer.type(shape, name, slots) for shape, name, slots in
                       ((heap_file.INSTANCE, "POINT", ("X", "Y")), (heap_file.CONS, "CONS", ()),
                        (heap_file.VECTOR, "VECTOR", ()))]
        sites = [0, writer.site("f", "a.c", 3), writer.site("PKG:g"), writer.site("f", "a.c", 4),
                 writer.site("PKG:g")]
        for kind, title, group, target, _ in self.roots:
            writer.root(kind, title, group, target)
        for i, address in enumerate(self.address):
            writer.object(address, self.size[i], types[self.type[i]], sites[self.site[i]],
                          [(slot, target, weak) for slot, target, _, weak in self.references[i]], self.dead[i],
                          most=self.rng.choice([1, 2, 8192]))
            if self.rng.random() < 0.1:
                writer.beginning("text")
        return writer.finish()

    def starts(self, roots):
        """Returns the objects to which some roots refer. Stacks and threads do not count for objects of other roots."""
        return [root[4] for root in self.roots
                if roots(root) and root[4] is not None and not (root[0] in PASSING and root[4] in self.lasting)]

    def held(self, i):
        """Returns the objects to which object I refers. If only stacks and threads reach I, objects that others reach do
        not count."""
        return [to for _, _, to, weak in self.references[i]
                if to is not None and not weak and (i in self.lasting or to not in self.lasting)]

    def reached(self, without=frozenset(), roots=lambda root: True):
        """Returns the objects that are reachable from some roots without passing objects of WITHOUT."""
        todo = self.starts(roots)
        seen = set()
        while todo:
            at = todo.pop()
            if at in seen or at in without:
                continue
            seen.add(at)
            todo += self.held(at)
        return seen

    def steps(self, i):
        """Returns the minimum number of references from an object of a root to object I, or None if I is unreachable."""
        n, level = 0, set(self.starts(lambda root: True))
        seen = set(level)
        while level and i not in level:
            level = {to for at in level for to in self.held(at)} - seen
            seen |= level
            n += 1
        return n if level else None

    def bytes(self, objects):
        return sum(self.size[i] for i in objects)

    def retained(self, i, reached):
        """Returns the retained size of one object: what is not reachable without it."""
        return reached - self.reached(without={i})

    def retained_of_rows(self, row_of):
        """Returns for each row the sum of the retained sizes of its objects that no other object of the row dominates."""
        reached, sums = self.reached(), {}
        gone = {i: self.retained(i, reached) for i in reached}
        for i in reached:
            if not any(j != i and row_of[j] == row_of[i] and i in gone[j] for j in reached):
                sums[row_of[i]] = sums.get(row_of[i], 0) + self.bytes(gone[i])
        return sums

    def retained_of_roots(self, key):
        """Returns for each set of roots what is reachable from no other root."""
        reached = self.reached()
        return {k: self.bytes(reached - self.reached(roots=lambda root, k=k: key(root) != k))
                for k in map(key, self.roots)}


def document(mprof, *arguments):
    done = subprocess.run([mprof, "heap", "--json", "--max=all", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


def run(mprof, *arguments):
    made = document(mprof, *arguments)
    return made["heaps"], {table["name"]: table["rows"] for table in made["tables"]}


def same(what, expected, got):
    if expected != got:
        raise SystemExit(f"{what}: expected {expected}, got {got}")


def check_rows(name, heap, rows, key, row_of, text_of):
    """Checks one of the tables by type, site, package."""
    expected = {}
    reached = heap.reached()
    retained = heap.retained_of_rows(row_of)
    for row in set(row_of):
        members = [i for i in range(len(row_of)) if row_of[i] == row]
        lost = heap.bytes(i for i in members if i not in reached)
        expected[text_of[row]] = (len(members), heap.bytes(members), lost, retained.get(row, 0))
    got = {row[key]: (row["objects"], row["shallow"], row["unreachable"], row["retained"]) for row in rows}
    same(name, expected, got)


def check_roots(heap, tables):
    retained = heap.retained_of_roots(lambda root: root[:3])
    expected = {(heap_file.KINDS[kind], title, group): size for (kind, title, group), size in retained.items()
                if size > 0}
    same("roots", expected, {(row["kind"], row["title"], row["group"]): row["retained"] for row in tables["roots"]
                             if row["retained"] > 0})
    retained = heap.retained_of_roots(lambda root: root[0])
    expected = {heap_file.KINDS[kind]: size for kind, size in retained.items() if size > 0}
    same("kinds", expected, {row["kind"]: row["retained"] for row in tables["kinds"] if row["retained"] > 0})
    retained = heap.retained_of_roots(lambda root: root[2])
    expected = {group: size for group, size in retained.items() if size > 0 and group}
    same("groups", expected, {row["group"]: row["retained"] for row in tables["groups"]})
    for row in tables["roots"]:
        own = {root[4] for root in heap.roots
               if (heap_file.KINDS[root[0]], root[1], root[2]) == (row["kind"], row["title"], row["group"])}
        same("a root's own", heap.bytes(own - {None}), row["shallow"])


def check_object(mprof, path, heap):
    """Checks the answer about one object: its size, and its path, which must exist and have the minimum length."""
    i = heap.rng.randrange(len(heap.address))
    _, tables = run(mprof, "--path", "--object=%x" % heap.address[i], path)
    reached = heap.reached()
    row = tables["object"][0]
    same("object", (heap.size[i], heap.bytes(heap.retained(i, reached)) if i in reached else 0),
         (row["shallow"], row["retained"]))
    steps = heap.steps(i)
    same("length of the path", 0 if steps is None else 5 + steps, len(tables["path"]))
    way = [heap.address.index(int(row["address"], 16)) for row in tables["path"][4:]]
    for a, b in zip(way, way[1:]):
        same("a step", True, b in heap.held(a))
    same("references", [[slot, heap.address[to]] for slot, _, to, _ in heap.references[i] if to is not None],
         [[row["slot"], int(row["address"], 16)] for row in tables["references"]])
    same("left out", [to is not None and to not in heap.passing and i in heap.passing
                      for _, _, to, _ in heap.references[i] if to is not None],
         [row["how"] == "left out" for row in tables["references"]])
    held = {row["address"] for row in tables.get("held", []) if row["depth"] == 1}
    gone = heap.retained(i, reached) - {i}
    below = {j for j in gone if not any(k not in (i, j) and j in heap.retained(k, reached) for k in gone)}
    same("held", {hex(heap.address[j]) for j in below}, held)


def most_ways(edges, to):
    """Returns the maximum number of edge-disjoint paths from None to an object. Each edge is (from, to)."""
    left, n = list(edges), 0
    while True:
        came, todo = {None: None}, [None]
        for at in todo:
            for edge in left:
                if edge[0] == at and edge[1] not in came:
                    came[edge[1]] = edge
                    todo.append(edge[1])
        if to not in came:
            return n
        n, at = n + 1, to
        while at is not None:
            edge = came[at]
            left.remove(edge)
            left.append(edge[::-1])
            at = edge[0]


def check_ways(mprof, path, heap):
    """Checks the disjoint paths to an object, and the references that keep it alive."""
    i = heap.rng.randrange(len(heap.address))
    edges = [(None, root[4]) for root in heap.roots
             if root[4] is not None and not (root[0] in PASSING and root[4] in heap.lasting)]
    edges += [(at, to) for at in range(len(heap.address)) for to in heap.held(at)]
    tables = document(mprof, "--path=all", "--referrers", "--object=%x" % heap.address[i], path)["tables"]
    ways = [[heap.address.index(int(row["address"], 16)) for row in table["rows"][1:]] for table in tables
            if table["name"] == "path"]
    same("number of ways", most_ways(edges, i), len(ways))
    left = list(edges)
    for way in ways:
        for edge in zip([None] + way, way):
            left.remove(edge)           # raises ValueError if two ways have the edge
        same("end of a way", i, way[-1])
    cut = [(int(row["address"], 16), row["slot"]) for table in tables if table["name"] == "cut" for row in table["rows"]]
    same("number of references to be cleared", len(ways), len(cut))
    names = {1: {0: "X", 1: "Y"}, 2: {0: "car", 1: "cdr"}}
    left = [edge for edge in edges if edge[0] is None and 0 not in dict(cut)]
    for at in range(len(heap.address)):
        for slot, _, to, weak in heap.references[at]:
            name = names.get(heap.type[at], {}).get(slot, str(slot))
            if not weak and to in heap.held(at) and (heap.address[at], name) not in cut:
                left.append((at, to))
    same("... without them there is no way", 0, most_ways(left, i))
    same("referrers", sum(to == i for at in range(len(heap.address)) for _, _, to, _ in heap.references[at]) +
         sum(root[4] == i for root in heap.roots),
         sum(len(table["rows"]) for table in tables if table["name"] == "referrers"))


def check_set(mprof, path, heap):
    """Checks the answer about a type: exactly the objects that are reachable only through its objects."""
    if 1 not in heap.type:
        return
    _, tables = run(mprof, "--type=POINT", "--slots", path)
    members = {i for i, type_ in enumerate(heap.type) if type_ == 1}
    reached = heap.reached()
    gone = reached - heap.reached(without=members)
    same("set", [[len(members), heap.bytes(members)], [len(members - reached), heap.bytes(members - reached)],
                 [len(gone), heap.bytes(gone)]], [[row["objects"], row["bytes"]] for row in tables["set"]])
    slots = {}
    for i in members & reached:
        inner = heap.retained(i, reached) - {i}
        taken = set()
        for slot, _, to, weak in heap.references[i]:
            top = to in inner and not any(k not in (i, to) and to in heap.retained(k, reached) for k in inner)
            if weak or not top or to in taken:
                continue
            taken.add(to)
            name = {0: "X", 1: "Y"}.get(slot, "(others)")
            slots[name] = slots.get(name, 0) + heap.bytes(heap.retained(to, reached))
    same("slots", slots, {row["slot"]: row["retained"] for row in tables["slots"]})


def check(mprof, path, rng):
    heap = Heap(rng)
    with open(path, "wb") as file:
        file.write(heap.write())
    heads, tables = run(mprof, path)
    reached = heap.reached()
    same("head", (len(heap.address), sum(heap.size), len(heap.address) - len(reached),
                  sum(heap.size) - heap.bytes(reached)),
         tuple(heads[0][key] for key in ("objects", "bytes", "unreachable_objects", "unreachable_bytes")))
    check_rows("types", heap, tables["types"], "type", heap.type, ["(no type)", "POINT", "CONS", "VECTOR"])
    check_rows("sites", heap, tables["sites"], "site", [(0, 1, 2, 3, 2)[site] for site in heap.site],
               ["(not recorded)", "f (a.c:3)", "PKG:g", "f (a.c:4)"])
    check_rows("packages", heap, tables["packages"], "package",
               [(0, 1, 2, 1, 2)[site] for site in heap.site], ["(not known)", "a.c", "PKG"])
    check_roots(heap, tables)
    if heap.address:
        check_object(mprof, path, heap)
        check_ways(mprof, path, heap)
        check_set(mprof, path, heap)


def main():
    mprof, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for i in range(count):
        path = f"{folder}/random.heap"
        try:
            check(mprof, path, random.Random(seed * 1000003 + i))
        except SystemExit as problem:
            raise SystemExit(f"heap {i} of seed {seed}: {problem}") from None
    print(f"{count} heaps of seed {seed}")


main()
# SPDX-License-Identifier: MIT
