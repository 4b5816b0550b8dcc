"""Writes a profile of pprof (profile.proto) that has one sample, on a chain of one location.

    make_pprof.py FILE TYPE,... VALUE,... [gzip]

TYPE is the name of a sample type, such as alloc_space. All types get the unit "bytes".
"""
import gzip
import sys


def number(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(f, value):
    if isinstance(value, int):
        return number(f << 3) + number(value)
    return number(f << 3 | 2) + number(len(value)) + value


types = sys.argv[2].split(",")
values = [int(x) for x in sys.argv[3].split(",")]
strings = [""] + types + ["bytes", "f", "f.c"]
out = b"".join(field(1, field(1, i + 1) + field(2, len(types) + 1)) for i in range(len(types)))
out += field(2, field(1, 7) + b"".join(field(2, v) for v in values))
out += field(4, field(1, 7) + field(4, field(1, 5) + field(2, 12)))
out += field(5, field(1, 5) + field(2, len(types) + 2) + field(4, len(types) + 3))
out += b"".join(field(6, s.encode()) for s in strings)
open(sys.argv[1], "wb").write(gzip.compress(out) if len(sys.argv) > 4 else out)
# SPDX-License-Identifier: MIT
