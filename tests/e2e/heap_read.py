"""A reader of heap snapshots (runtime/heap_format.h, RAW form) that is independent of mprof's own.

    heap = Heap(path)
    heap.facts, heap.types, heap.roots, heap.objects     # objects by address
    heap.retained(addresses)                             # bytes that only they keep alive, computed by removal
"""
import bisect
import collections
import ctypes
import struct
import sys
import zlib

FACTS = [None, "language", "name", "number", "trigger", "pid", "program", "data file", "run 1", "run 2", "realtime",
         "since start", "stopped", "writing", "forked", "word", "heap", "free", "live", "allocated",
         "since collection", "collections", "missing sites", "threads without registers", "resized",
         "usable 1", "usable 2", "usable 3", "usable 4", "unseen"]
ROOTS = ["other", "value", "function", "plist", "constant", "stack", "thread", "global", "foreign", "finalizer",
         "weak", "core"]
SHAPES = ["other", "block", "cons", "vector", "vector head", "hash table", "entries", "instance", "closure",
          "symbol", "leaf"]
Type = collections.namedtuple("Type", "shape name slots")
Free = collections.namedtuple("Free", "blocks size places bytes")
Root = collections.namedtuple("Root", "kind title group place target")


class Object:
    __slots__ = ("address", "size", "type", "dead", "site", "references", "beginning", "name", "keys")

    def strong(self):
        return [(slot, held) for slot, weak, held in self.references if not weak]


class Damaged(Exception):
    pass


def unpacked(frame, size):
    """Returns the SIZE bytes in FRAME, which is compressed by Zstandard."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    content = ctypes.create_string_buffer(size)
    if library.ZSTD_decompress(content, size, frame, len(frame)) != size:
        raise Damaged("frame")
    return content.raw


def blocks(data, expected=1):
    """Yields the contents of all blocks of a file of the form EXPECTED, and how many bytes each has in the file."""
    if data[:8] != b"MPROFHEA":
        raise Damaged("no snapshot")
    version, form = struct.unpack_from("<II", data, 8)
    if (version, form) != (1, expected):
        raise Damaged(f"version {version}, form {form}")
    at = 16
    while at < len(data):
        size, stored = struct.unpack_from("<II", data, at)
        end = at + 8 + stored
        if not 1 <= stored <= size <= 1 << 18 or end + 4 > len(data):
            raise Damaged(f"block at {at}")
        if zlib.crc32(data[at:end]) != struct.unpack_from("<I", data, end)[0]:
            raise Damaged(f"checksum at {at}")
        content = data[at + 8:end]
        yield content if stored == size else unpacked(content, size), stored
        at = end + 4


class Heap:
    def __init__(self, path):
        self.facts, self.types, self.roots, self.sites = {}, [None], [], [None]
        self.objects, self.texts, self.end = {}, [None], None
        self.parts, self.free = {}, []      # parts: {name of a part's type: name of its owner's type}
        self.last, self.after = None, 0
        with open(path, "rb") as file:
            data = file.read()
        self.size = len(data)                       # bytes of the file
        for block, stored in blocks(data):
            if self.end:
                raise Damaged("something behind the end")
            if stored < len(block):
                raise Damaged("a block of a raw snapshot is compressed")
            self.read_block(block)
        if not self.end:
            raise Damaged("no end")
        references = sum(len(o.references) for o in self.objects.values())
        found = (len(self.objects), references, len(self.roots), sum(o.size for o in self.objects.values()))
        if found != self.end:
            raise Damaged(f"{found} found, {self.end} told")
        self.starts, self.all, self.held = sorted(self.objects), {}, {}

    def read_block(self, block):
        at = 0

        def number():
            nonlocal at
            byte = value = block[at]
            at += 1
            shift = 7
            while byte >= 128:
                byte = block[at]
                at += 1
                value += (byte - 1) << shift        # byte - 1 also removes the former byte's top bit
                shift += 7
            return value

        def signed():
            value = number()
            return value >> 1 ^ -(value & 1)

        def text():
            nonlocal at
            size = number()
            at += size
            return block[at - size:at].decode("utf-8")

        def keys():
            """Reads texts or numbers by entry of the hash table."""
            size, found, entry = number(), {}, -1
            end = at + size
            while at < end:
                value = number()
                entry += (value >> 2) + 1
                found[entry] = signed() if value & 3 == 0 else text()
            return found

        def references(o, n):
            slot = o.references[-1][0] if o.references else -1
            for _ in range(n):
                value = number()
                slot += (value >> 1) + 1
                o.references.append((slot, bool(value & 1), o.address + signed()))

        while at < len(block):
            tag = number()
            if tag == 1:
                fact = FACTS[number()]
                self.facts[fact] = number()
            elif tag == 2:
                fact = FACTS[number()]
                self.facts[fact] = self.texts[number()]
            elif tag == 3:
                self.texts.append(text())
            elif tag == 4:
                shape, name, n = SHAPES[number()], self.texts[number()], number()
                self.types.append(Type(shape, name, [self.texts[number()] for _ in range(n)]))
            elif tag == 5:
                self.sites.append(number())
            elif tag == 6:
                kind, title, group = ROOTS[number()], self.texts[number()], self.texts[number()]
                self.roots.append(Root(kind, title, group, number(), number()))
            elif tag == 7:
                o = Object()
                o.address = self.after + number()
                o.size = number()
                kind = number()
                o.type, o.dead = self.types[kind >> 1], bool(kind & 1)
                site = number()
                if site >= len(self.sites):
                    raise Damaged("site")
                o.site = site and self.sites[site]
                o.references, o.beginning, o.name, o.keys = [], None, None, {}
                references(o, number())
                self.after = o.address + o.size
                self.objects[o.address] = self.last = o
            elif tag == 8:
                self.last.beginning = text()
            elif tag == 9:
                references(self.last, number())
            elif tag == 10:
                self.end = (number(), number(), number(), number())
            elif tag == 11:
                part, owner = number(), number()
                self.parts[self.types[part].name] = self.types[owner].name
            elif tag == 12:
                self.last.name = text()
            elif tag == 13:
                self.last.keys.update(keys())
            elif tag == 14:
                blocks, size, size_of_all = number(), number(), number()
                self.free.append(Free(blocks, size >> 1, bool(size & 1), size_of_all))
            else:
                raise Damaged(f"record {tag}")

    def at(self, address):
        """Returns the object that contains ADDRESS, or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return None
        o = self.objects[self.starts[i]]
        return o if address < o.address + o.size else None

    def addresses(self, held):
        """Returns the addresses of the objects into which the words of HELD point."""
        return [o.address for o in map(self.at, held) if o]

    def slot(self, o, slot):
        """Returns the object to which a slot of O, a number or a name, refers, or None."""
        if isinstance(slot, str):
            slot = o.type.slots.index(slot)
        for number, _, held in o.references:
            if number == slot:
                return self.at(held)
        return None

    def of(self, name):
        return [o for o in self.objects.values() if o.type.name == name]

    def targets(self, kind, title=None):
        return [self.at(r.target) for r in self.roots if r.kind == kind and title in (None, r.title)]

    def value(self, symbol):
        """Returns the value of the global variable SYMBOL."""
        found = self.targets("value", symbol)
        assert len(found) == 1, (symbol, found)
        return found[0]

    def reached(self, without=(), ignore=()):
        """Returns the addresses of all objects that are reachable from roots, except through objects of WITHOUT. Roots
        of the kinds IGNORE are left out."""
        if not self.held:
            self.held = {o.address: self.addresses(held for _, held in o.strong()) for o in self.objects.values()}
        without, found = set(without), set()
        to_do = self.addresses(r.target for r in self.roots if r.kind not in ignore)
        while to_do:
            address = to_do.pop()
            if address not in found and address not in without:
                found.add(address)
                to_do += self.held[address]
        return found

    def retained(self, addresses, ignore=("stack", "thread", "global")):
        """Returns the retained bytes. Ambiguous words, such as those of stacks, may be left over, so they are ignored."""
        if ignore not in self.all:
            self.all[ignore] = self.reached((), ignore)
        return sum(self.objects[a].size for a in self.all[ignore] - self.reached(addresses, ignore))


if __name__ == "__main__":
    heap = Heap(sys.argv[1])
    for fact, value in heap.facts.items():
        print(f"{fact}: {value}")
    roots = collections.Counter(r.kind for r in heap.roots)
    print(dict(roots))
    print(len(heap.objects), "objects,", len(heap.reached()), "reached")
    sizes, counts = collections.Counter(), collections.Counter()
    for o in heap.objects.values():
        sizes[o.type.name] += o.size
        counts[o.type.name] += 1
    for name, size in sizes.most_common(40):
        print(f"{size:12} {counts[name]:9}  {name}")
# SPDX-License-Identifier: MIT
