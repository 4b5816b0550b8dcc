"""Compares the tables of mprof heap with those of a simple reader, for random heaps of lists, vectors and hash tables,
and for triples of snapshots.

heap_containers.py MPROF FOLDER COUNT SEED
"""
import json
import random
import subprocess
import sys

import heap_file as h

TYPES = ((h.CONS, "CONS"), (h.VECTOR_HEAD, "VECTOR"), (h.VECTOR, "BLOCK"), (h.HASH_TABLE, "HASH-TABLE"),
         (h.ENTRIES, "ENTRIES"), (h.LEAF, "STRING"), (h.LEAF, "DOUBLE-FLOAT"), (h.SYMBOL, "SYMBOL"),
         (h.INSTANCE, "POINT"), (h.LEAF, "BIGNUM"))
SHAPES = [shape for shape, _ in TYPES]
MOST = 4                        # kinds of elements that a row lists; the others are summed


def run(mprof, *arguments):
    done = subprocess.run([mprof, "heap", "--json", "--max=all", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return {table["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def same(what, expected, got):
    if expected != got:
        raise SystemExit(f"{what}: expected {expected}, got {got}")


class Heap:
    """A heap: objects are (type, {slot: object}). Each has 16 bytes, and its index times 8 more."""

    def __init__(self, rng):
        self.type = [rng.choice((0, 0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9)) for _ in range(rng.randint(0, 40))]
        self.slots = [self.some_slots(rng, i) for i in range(len(self.type))]

    def some(self, rng, shape=None):
        fit = [i for i, type_ in enumerate(self.type) if shape is None or SHAPES[type_] == shape]
        return rng.choice(fit) if fit else None

    def some_slots(self, rng, i):
        shape = SHAPES[self.type[i]]
        if shape == h.CONS:
            found = {0: self.some(rng) if rng.random() < 0.8 else None,
                     1: self.some(rng, h.CONS) if rng.random() < 0.7
                     else self.some(rng) if rng.random() < 0.2 else None}
        elif shape == h.VECTOR_HEAD:
            found = {2: self.some(rng, h.VECTOR) if rng.random() < 0.9 else None}
        elif shape == h.HASH_TABLE:
            found = {3: self.some(rng, h.ENTRIES) if rng.random() < 0.9 else None}
        elif shape in (h.VECTOR, h.ENTRIES):
            slots = rng.sample(range(100), rng.randint(0, 9))
            found = {slot: self.some(rng) for slot in slots}
        else:
            found = {}
        return {slot: to for slot, to in sorted(found.items()) if to is not None}

    def address(self, i):
        return 0x1000 + 0x1000 * i

    def size(self, i):
        return 16 + 8 * i

    def shape(self, i):
        return SHAPES[self.type[i]]

    def write(self, path):
        writer = h.Writer()
        types = [writer.type(shape, name) for shape, name in TYPES]
        for i in range(len(self.type)):
            writer.object(self.address(i), self.size(i), types[self.type[i]], 0,
                          [(slot, self.address(to), False) for slot, to in self.slots[i].items()])
        with open(path, "wb") as file:
            file.write(writer.finish())

    def block(self, i, shape):
        """Returns the first object of the shape to which an object refers."""
        return next((to for to in self.slots[i].values() if self.shape(to) == shape), None)

    def name(self, i, depth):
        """Returns the name of an element, which contains the first of its own elements."""
        if i is None:
            return "immediate values"
        plain = TYPES[self.type[i]][1]
        if depth == 0:
            return plain
        if self.shape(i) == h.CONS:
            return "list of " + self.name(self.slots[i].get(0), depth - 1)
        block = i if self.shape(i) == h.VECTOR else None
        if self.shape(i) == h.VECTOR_HEAD:
            block = self.block(i, h.VECTOR)
        if block is None or not self.slots[block]:
            return plain
        return f"{plain} of {self.name(next(iter(self.slots[block].values())), depth - 1)}"

    def lists(self):
        """Returns the conses of each list: first from conses to which no cdr refers, then circles, by address."""
        conses = [i for i in range(len(self.type)) if self.shape(i) == h.CONS]
        held = {self.slots[i][1] for i in conses if self.slots[i].get(1, i) != i}
        taken = set()
        for head in [i for i in conses if i not in held] + conses:
            row = []
            while head is not None and self.shape(head) == h.CONS and head not in taken:
                taken.add(head)
                row.append(head)
                head = self.slots[head].get(1)
            if row:
                yield row

    def containers(self, depth):
        """Yields (what, keys or None, elements, bytes) of each container; keys and elements are lists of names."""
        for row in self.lists():
            yield ("list", None, [self.name(self.slots[i].get(0), depth) for i in row], sum(map(self.size, row)))
        heads = {self.block(i, h.VECTOR) for i in range(len(self.type)) if self.shape(i) == h.VECTOR_HEAD}
        for i in range(len(self.type)):
            if self.shape(i) == h.VECTOR and self.slots[i] and i not in heads:
                yield ("BLOCK", None, [self.name(to, depth) for to in self.slots[i].values()], self.size(i))
            if self.shape(i) == h.VECTOR_HEAD and (block := self.block(i, h.VECTOR)) is not None:
                yield ("VECTOR", None, [self.name(to, depth) for to in self.slots[block].values()],
                       self.size(i) + self.size(block))
            if self.shape(i) == h.HASH_TABLE and (block := self.block(i, h.ENTRIES)) is not None:
                held = self.slots[block]
                entries = sorted({slot // 2 for slot in held})
                yield ("HASH-TABLE", [self.name(held.get(2 * entry), depth) for entry in entries],
                       [self.name(held.get(2 * entry + 1), depth) for entry in entries],
                       self.size(i) + self.size(block))


def kinds(names):
    """Returns the key by which a container is grouped."""
    return "several" if len(set(names)) > MOST else frozenset(names)


def shares(text):
    """Parses "A 70 %, B 30 %" to {name: percent or None}."""
    found = {}
    for part in text.split(", "):
        words = part.split(" ")
        name, share = (" ".join(words[:-2]), int(words[-2])) if words[-1] == "%" else (part, None)
        found[name] = share
    return found


def percent(names, name):
    """Returns the share of NAME, rounded. Only all names are 100 %."""
    share = (names.count(name) * 200 + len(names)) // (2 * len(names))
    return min(share, 99) if len(set(names)) > 1 else share


def expected_shares(names):
    if not names:
        return {"nothing": None}
    return {name: percent(names, name) if len(set(names)) > 1 else None for name in names}


def check_words(what, names, text):
    """If there are many kinds, the first four are printed, so only these and the sum of the others are compared."""
    got = shares(text)
    if len(set(names)) <= MOST:
        same(what, expected_shares(names), got)
        return
    others = got.pop("others")
    same(what + ": kinds", MOST, len(got))
    for name, share in got.items():
        if not 0 <= share <= percent(names, name):
            raise SystemExit(f"{what}: {name} has {share} % of {names}")
    if not 100 - MOST <= sum(got.values()) + others <= 100 + MOST:
        raise SystemExit(f"{what}: shares of {text} are not the whole")


def check_containers(mprof, path, rng):
    heap, depth = Heap(rng), rng.choice([1, 2, 2, 3, 4, 8, 20])
    heap.write(path)
    groups = {}
    for prefix, keys, elements, size in heap.containers(min(depth, 8) - 1):
        key = (prefix, kinds(keys) if keys is not None else None, kinds(elements))
        group = groups.setdefault(key, [0, [], [], 0])
        group[0] += 1
        group[1] += keys or []
        group[2] += elements
        group[3] += size
    rows = run(mprof, f"--levels={depth}", path).get("containers", [])
    expected = {}
    for (prefix, _, _), (n, keys, elements, size) in groups.items():
        figures = (n, len(elements), len(elements) * 10 // n, size)
        expected.setdefault((prefix, figures), []).append((keys, elements))
    for row in rows:
        text = row["container"]
        prefix = "list" if text.startswith("list of") else text.split(" ")[0]
        words = text[len(prefix) + (1 if prefix == "HASH-TABLE" else 4):]
        key = (prefix, (row["containers"], row["elements"], row["mean_tenths"], row["bytes"]))
        problem = SystemExit(f"a row that is not expected: {row}; of {expected}")
        for candidate in expected.get(key, []):
            try:
                if prefix == "HASH-TABLE":
                    left, right = words.split(" -> ")
                    check_words("keys", candidate[0], left)
                    check_words("values", candidate[1], right)
                else:
                    check_words("elements", candidate[1], words)
            except SystemExit as other:
                problem = other
                continue
            expected[key].remove(candidate)
            break
        else:
            raise problem
    same("rows that are missing", [], [key for key, left in expected.items() if left])


def check_three(mprof, paths, rng):
    """Checks the objects that have the same address, type and size in the second and third snapshot, but not in the first."""
    sites = ["f (a.c:3)", "g (b.c:1)"]
    heaps = []
    for path in paths:
        writer, objects, end = h.Writer(), {}, 0
        order = rng.sample(range(4), 4)         # a type has another number in each file
        numbers = {kind: writer.type(h.LEAF, f"T{kind}") for kind in order}
        where = [writer.site("f", "a.c", 3), writer.site("g", "b.c", 1)]
        for place in range(rng.randint(0, 60)):
            if rng.random() < 0.5:
                continue
            address = max(0x1000 + 64 * place, end)
            kind, size = rng.choice((0, 0, 0, rng.randrange(4))), rng.choice((16, 16, 16, 48, 80))
            site = rng.randrange(2)
            writer.object(address, size, numbers[kind], where[site])
            objects[address] = (kind, size, site)
            end = address + size
        with open(path, "wb") as file:
            file.write(writer.finish())
        heaps.append(objects)
    first, second, third = heaps
    stayed = [(*third[at], at) for at in third
              if second.get(at, ())[:2] == third[at][:2] and first.get(at, ())[:2] != third[at][:2]]
    tables = run(mprof, *paths)
    for table, key, text in (("types", "type", lambda o: f"T{o[0]}"), ("sites", "site", lambda o: sites[o[2]])):
        expected = {}
        for one in stayed:
            n, size = expected.get(text(one), (0, 0))
            expected[text(one)] = (n + 1, size + one[1])
        same(f"what came and stayed, {table}", expected,
             {row[key]: (row["objects"], row["shallow"]) for row in tables.get(table, [])})


def main():
    mprof, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for i in range(count):
        try:
            check_containers(mprof, f"{folder}/typed.heap", random.Random(seed * 1000003 + i))
            check_three(mprof, [f"{folder}/{n}.heap" for n in ("one", "two", "three")],
                        random.Random(seed * 1000003 + i))
        except SystemExit as problem:
            raise SystemExit(f"heap {i} of seed {seed}: {problem}") from None
    print(f"{count} heaps of seed {seed}")


main()
# SPDX-License-Identifier: MIT
