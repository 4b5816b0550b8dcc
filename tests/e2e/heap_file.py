"""Writes heap snapshots (runtime/heap_format.h) for tests."""
import zlib

(FACT, FACT_TEXT, TEXT, TYPE, SITE, ROOT, OBJECT, BEGINNING, MORE, END, PART, NAME,
 KEYS, FREE) = range(1, 15)
OTHER, BLOCK, CONS, VECTOR, VECTOR_HEAD, HASH_TABLE, ENTRIES, INSTANCE, CLOSURE, SYMBOL, LEAF = range(11)
KINDS = ("other value function plist constant stack thread global foreign finalizer weak core").split()
MOST_BLOCK = 1 << 18


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


class Writer:
    """Writes records one after the other. If SEALED, sites have names."""

    def __init__(self, sealed=True, block=4096):
        self.out = bytearray(b"MPROFHEA" + (1).to_bytes(4, "little") + (2 if sealed else 1).to_bytes(4, "little"))
        self.most, self.block = block, bytearray()
        self.texts, self.n_types, self.n_sites = {"": 0}, 0, 0
        self.end, self.objects, self.references, self.roots, self.bytes = 0, 0, 0, 0, 0

    def record(self, tag, *fields):
        record = bytes([tag]) + b"".join(field if isinstance(field, bytes) else varint(field) for field in fields)
        if len(self.block) + len(record) > self.most:
            self.flush()
        self.block += record

    def flush(self):
        if self.block:
            head = len(self.block).to_bytes(4, "little") * 2
            self.out += head + self.block + zlib.crc32(head + bytes(self.block)).to_bytes(4, "little")
            self.block = bytearray()

    def text(self, text):
        if text not in self.texts:
            data = text.encode()
            self.record(TEXT, len(data), data)
            self.texts[text] = len(self.texts)
        return self.texts[text]

    def fact(self, number, value):
        self.record(FACT, number, value)

    def type(self, shape, name, slots=()):
        number = self.text(name)
        slots = [self.text(slot) for slot in slots]
        self.record(TYPE, shape, number, len(slots), *slots)
        self.n_types += 1
        return self.n_types

    def site(self, function, file="", line=0, caller=0):
        function, file = self.text(function), self.text(file)
        self.record(SITE, caller, function, file, 2 * line)
        self.n_sites += 1
        return self.n_sites

    def root(self, kind, title, group, target, place=0):
        title, group = self.text(title), self.text(group)
        self.record(ROOT, kind, title, group, place, target)
        self.roots += 1

    def object(self, address, size, type_, site, references=(), dead=False, most=8192):
        """Adds an object. REFERENCES are tuples (slot, target address, weak) in ascending order of slots."""
        encoded, next_slot = [], 0
        for slot, target, weak in references:
            encoded.append(varint(2 * (slot - next_slot) + weak) + signed(target - address))
            next_slot = slot + 1
        self.record(OBJECT, address - self.end, size, 2 * type_ + dead, site, len(encoded[:most]),
                    b"".join(encoded[:most]))
        for at in range(most, len(encoded), most):
            part = encoded[at:at + most]
            self.record(MORE, len(part), b"".join(part))
        self.end, self.objects = address + size, self.objects + 1
        self.references += len(encoded)
        self.bytes += size

    def beginning(self, text):
        data = text.encode()
        self.record(BEGINNING, len(data), data)

    def finish(self):
        self.record(END, self.objects, self.references, self.roots, self.bytes)
        self.flush()
        return bytes(self.out)
# SPDX-License-Identifier: MIT
