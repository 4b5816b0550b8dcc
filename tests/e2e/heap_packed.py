"""Examines a snapshot: heap_packed.py WHAT FILE [OUT]

lists    prints the lengths of the lists in *CONSES* and *STRINGS* of a raw one, and the types of their elements
share    prints how many blocks of a sealed one are compressed, and how many there are
plain    writes the same blocks of a sealed one to OUT without compression
damaged  writes OUT, whose first block has a right checksum but is not a frame of Zstandard
"""
import struct
import sys
import zlib

from heap_read import Heap, blocks

SEALED = 2                              # the form


def block(size, content):
    start = struct.pack("<II", size, len(content)) + content
    return start + struct.pack("<I", zlib.crc32(start))


def listed(heap, symbol):
    types, n, o = set(), 0, heap.value(symbol)
    while o is not None and o.type.shape == "cons":
        types.add(heap.slot(o, 0).type.name)
        n += 1
        o = heap.slot(o, 1)
    return f"{n} {' '.join(sorted(types))}"


what, path = sys.argv[1:3]
with open(path, "rb") as file:
    data = file.read()
if what == "share":
    packed = [stored < len(content) for content, stored in blocks(data, SEALED)]
    print(sum(packed), len(packed))
elif what == "lists":
    heap = Heap(path)
    print(*(listed(heap, symbol) for symbol in ("*CONSES*", "*STRINGS*")))
elif what == "plain":
    with open(sys.argv[3], "wb") as out:
        out.write(data[:16])
        for content, _ in blocks(data, SEALED):
            out.write(block(len(content), content))
else:
    size, stored = struct.unpack_from("<II", data, 16)
    assert stored < size
    frame = bytearray(data[24:24 + stored])
    frame[0] ^= 0x55               # the magic number
    with open(sys.argv[3], "wb") as out:
        out.write(data[:16] + block(size, bytes(frame)) + data[28 + stored:])
# SPDX-License-Identifier: MIT
