"""Examines the blocks of a raw snapshot, compressed or not: heap_packed.py WHAT FILE [OUT]

share    prints the bytes of FILE for each hundred of its objects, and how many of its blocks are compressed
lists    prints the lengths of the lists in *CONSES* and *STRINGS*, and the types of their elements
plain    writes the same blocks to OUT without compression
damaged  writes OUT, whose first block has a right checksum but is not a frame of Zstandard
"""
import struct
import sys
import zlib

from heap_read import Heap, blocks


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
    heap = Heap(path)
    print(100 * len(data) // heap.end[3], heap.packed, sum(1 for _ in blocks(data)))
elif what == "lists":
    heap = Heap(path)
    print(*(listed(heap, symbol) for symbol in ("*CONSES*", "*STRINGS*")))
elif what == "plain":
    with open(sys.argv[3], "wb") as out:
        out.write(data[:16])
        for content, _ in blocks(data):
            out.write(block(len(content), content))
else:
    size, stored = struct.unpack_from("<II", data, 16)
    assert stored < size
    frame = bytearray(data[24:24 + stored])
    frame[0] ^= 0x55               # the magic number
    with open(sys.argv[3], "wb") as out:
        out.write(data[:16] + block(size, bytes(frame)) + data[28 + stored:])
