"""Blocks of a raw snapshot, packed and not: heap_packed.py WHAT FILE [OUT]

share    bytes of FILE for each hundred of its objects; how many blocks are packed, of how many
lists    how long the lists are that *CONSES* and *STRINGS* hold, of what types the objects in them are
plain    OUT has the same blocks, none of them packed
damaged  what OUT has first is no frame, with the right checksum
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
