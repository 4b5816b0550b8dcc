"""Makes N data files from one, as if other processes of nearly the same program had written them.

usage: merge_copies.py FILE N DIRECTORY

Each copy has its own process id and start time. One of fifty names of functions has twenty variants, which the copies
use in turn.
"""
import sys
import zlib

STRINGS, META = 1, 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def put(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def sections(content):
    at = 0
    while at < len(content):
        tag, at = varint(content, at)
        size, at = varint(content, at)
        yield tag, content[at:at + size]
        at += size


def other_strings(body, copy):
    count, at = varint(body, 0)
    texts = body[at:].split(b"\0")[:count]
    for i in range(0, count, 50):
        if texts[i].replace(b"_", b"").isalnum():
            texts[i] += b"_%d" % (copy % 20)
    return put(count) + b"".join(text + b"\0" for text in texts)


def other_process(body, copy):
    at = 0
    for _ in range(2):                                  # program, monitor
        _, at = varint(body, at)
    n, at = varint(body, at)
    for _ in range(n + 1):                              # arguments, whether they are cut
        _, at = varint(body, at)
    pid, ppid = varint(body, at)
    parent, machine = varint(body, ppid)
    kind, start = varint(body, machine)
    time, rest = varint(body, start)
    return (body[:at] + put(pid + copy) + body[ppid:start] + put(time + 1000 * copy) + body[rest:])


def main():
    name, n, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    file = open(name, "rb").read()
    content = file[32:-4]
    if file[12] & 1:
        content = zlib.decompress(content, -15)
    parts = list(sections(content))
    for copy in range(n):
        out = b""
        for tag, body in parts:
            if tag == STRINGS:
                body = other_strings(body, copy)
            elif tag == META:
                body = other_process(body, copy)
            out += put(tag) + put(len(body)) + body
        packer = zlib.compressobj(5, zlib.DEFLATED, -15)
        packed = packer.compress(out) + packer.flush()
        whole = (file[:12] + (1).to_bytes(4, "little") + len(out).to_bytes(8, "little")
                 + len(packed).to_bytes(8, "little") + packed)
        with open(f"{folder}/{copy:04}.data", "wb") as to:
            to.write(whole + zlib.crc32(whole).to_bytes(4, "little"))


main()
# SPDX-License-Identifier: MIT
