#!/usr/bin/python3
"""bombs.py KIND BASE OUT: copies the program BASE to OUT and gives it debug information or symbols of a few kilobytes
that take minutes or gigabytes to read without limits. `bombs.py` prints the kinds."""
import lzma
import struct
import sys
import zlib

KINDS = {}
ADDRESS, DATA8, FLAG, STRING, SEC_OFFSET, STRP, SIBLING = 0x01, 0x07, 0x19, 0x08, 0x17, 0x0e, 0x13
COMPILE_UNIT, SUBPROGRAM, BLOCK, VARIABLE = 0x11, 0x2e, 0x0b, 0x34
NAME, STMT_LIST, LOW, HIGH, RANGES = 0x03, 0x10, 0x11, 0x12, 0x55
MB = 1 << 20


def kind(function):
    KINDS[function.__name__] = function
    return function


def uleb(n):
    out = bytearray()
    while True:
        out.append(n & 0x7f | (0x80 if n > 0x7f else 0))
        n >>= 7
        if n == 0:
            return bytes(out)


class Repeated:
    """Bytes of which the middle is repeated many times; only their compressed form is ever in memory."""
    def __init__(self, *parts):
        self.parts = [(part, 1) if isinstance(part, bytes) else part for part in parts]
        self.size = sum(len(part) * n for part, n in self.parts)

    def packed(self):
        packer, out = zlib.compressobj(9), b''
        for part, n in self.parts:
            block = max(1, MB // max(1, len(part)))
            many = part * block
            for _ in range(n // block):
                out += packer.compress(many)
            out += packer.compress(part * (n % block))
        return out + packer.flush()


class Zstd:
    """SIZE bytes 0 in runs of 128 KB, compressed by zstd. The header claims a size and the logarithm of a window."""
    def __init__(self, size, claimed, window=17):
        runs = size // (128 << 10)
        self.size = claimed
        self.bytes = struct.pack('<IBBQ', 0xfd2fb528, 0xc0, window - 10 << 3, claimed)
        self.bytes += b''.join(((128 << 10) << 3 | 2 | (i == runs - 1)).to_bytes(3, 'little') + b'\0'
                               for i in range(runs))


class Elf:
    """A 64-bit little-endian ELF file whose sections can be replaced and added."""
    def __init__(self, path):
        self.bytes = bytearray(open(path, 'rb').read())
        offset, = struct.unpack_from('<Q', self.bytes, 0x28)
        n, names = struct.unpack_from('<HH', self.bytes, 0x3c)
        headers = [list(struct.unpack_from('<IIQQQQIIQQ', self.bytes, offset + 64 * i)) for i in range(n)]
        start = headers[names][4]
        self.headers = []
        for header in headers:
            end = self.bytes.index(b'\0', start + header[0])
            self.headers.append([bytes(self.bytes[start + header[0]:end]), header])
        self.names = names

    def find(self, name):
        return next((h for n, h in self.headers if n == name), None)

    def index(self, name):
        return next(i for i, (n, _) in enumerate(self.headers) if n == name)

    def put(self, name, content, sort=1, link=0, entry=0):
        flags = 0
        if isinstance(content, Repeated):
            content = struct.pack('<IIQQ', 1, 0, content.size, 1) + content.packed()
            flags = 0x800
        elif isinstance(content, Zstd):
            content = struct.pack('<IIQQ', 2, 0, content.size, 1) + content.bytes
            flags = 0x800
        header = self.find(name)
        if header is None:
            header = [0] * 10
            self.headers.append([name, header])
        header[1], header[2], header[3] = sort, flags, 0
        header[4], header[5], header[6], header[8], header[9] = len(self.bytes), len(content), link, 1, entry
        self.bytes += content

    def write(self, path):
        names = bytearray(b'\0')
        for name, header in self.headers:
            header[0] = len(names)
            names += name + b'\0'
        self.headers[self.names][1][4:6] = [len(self.bytes), len(names)]
        self.bytes += names
        self.bytes += b'\0' * (-len(self.bytes) % 8)
        struct.pack_into('<Q', self.bytes, 0x28, len(self.bytes))
        struct.pack_into('<H', self.bytes, 0x3c, len(self.headers))
        for _, header in self.headers:
            self.bytes += struct.pack('<IIQQQQIIQQ', *header)
        open(path, 'wb').write(self.bytes)


def abbreviation(code, tag, children, *attributes):
    return uleb(code) + uleb(tag) + bytes([children]) + b''.join(uleb(n) + uleb(f) for n, f in attributes) + b'\0\0'


TOP = abbreviation(1, COMPILE_UNIT, 1, (STMT_LIST, SEC_OFFSET), (LOW, ADDRESS), (HIGH, DATA8))
FUNCTION = abbreviation(2, SUBPROGRAM, 1, (NAME, STRING), (LOW, ADDRESS), (HIGH, DATA8))


def unit(size, abbrevs=0):
    """The header of a unit whose DIEs take SIZE bytes."""
    return struct.pack('<IHIB', size + 7, 4, abbrevs, 8)


def text(elf):
    header = elf.find(b'.text')
    return struct.pack('<QQ', header[3], header[5])


def program(elf, inside, more_abbrevs=b'', behind=(), top=TOP, top_values=b'\0\0\0\0'):
    """Gives ELF one unit: a function `bomb` for all of the code, which contains the DIEs INSIDE, and then BEHIND."""
    head = b'\1' + top_values + text(elf) + b'\2bomb\0' + text(elf)
    dies = Repeated(head, *inside, b'\0', *behind, b'\0')
    elf.put(b'.debug_abbrev', top + FUNCTION + more_abbrevs + b'\0')
    elf.put(b'.debug_info', Repeated(unit(dies.size), *dies.parts))


def line_program(version, files, opcodes):
    start = struct.pack('<BBBbBB', 1, 1, 1, -5, 14, 13) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + files
    body = Repeated(struct.pack('<I', len(start)), start, *opcodes)
    sizes = b'\10\0' if version == 5 else b''
    return Repeated(struct.pack('<IH', body.size + 2 + len(sizes), version) + sizes, *body.parts)


def with_lines(elf, table):
    program(elf, ())
    elf.put(b'.debug_line', table)


def with_rows(elf, n):
    start = b'\0\x09\x02' + text(elf)[:8]
    with_lines(elf, line_program(4, b'\0a.c\0\0\0\0\0', [start, (b'\x20', n), b'\0\1\1']))


@kind
def rows(elf):
    """A line table with 30 million rows."""
    with_rows(elf, 30 * MB)


@kind
def some_rows(elf):
    """A line table with 400,000 rows, which do not take too long to read."""
    with_rows(elf, 400000)


@kind
def defined_files(elf):
    """A line program that defines files in a folder with a long name."""
    with_lines(elf, line_program(4, b'd' * 60000 + b'\0\0a.c\0\1\0\0\0', [(b'\0\5\3b\0\1\0\0', MB), b'\0\1\1']))


@kind
def files(elf):
    """A line table of version 5 whose files are all in a folder with a long name."""
    names = b'\1' + uleb(1) + uleb(8) + uleb(1) + b'd' * 60000 + b'\0' + b'\2' + uleb(1) + uleb(8) + uleb(2) + uleb(0xb)
    with_lines(elf, line_program(5, names + uleb(200000) + b'a\0\0' * 200000, [b'\0\1\1']))


@kind
def zeros(elf):
    """Debug information that is unpacked to 512 MB of zeros."""
    elf.put(b'.debug_abbrev', TOP + b'\0')
    elf.put(b'.debug_info', Repeated((b'\0', 512 * MB)))


@kind
def dies(elf):
    """30 million DIEs without children or attributes beside a function."""
    program(elf, (), abbreviation(3, VARIABLE, 0), [(b'\3', 30 * MB)])


@kind
def blocks(elf):
    """Blocks in the function that libdw passes over for each address."""
    program(elf, [(b'\3', 20 * MB)], abbreviation(3, BLOCK, 0))


@kind
def last_child(elf):
    """A last child whose end libdw finds only by passing over its children."""
    program(elf, [b'\4', (b'\3', 20 * MB), b'\0'], abbreviation(3, VARIABLE, 0) + abbreviation(4, VARIABLE, 1))


@kind
def nested(elf):
    """DIEs in a hundred levels; each level is passed over again for the level around it."""
    program(elf, (), abbreviation(3, VARIABLE, 0) + abbreviation(4, 0x39, 1),
            [(b'\4', 100), (b'\3', 10 * MB), (b'\0', 100)])


@kind
def padding(elf):
    """A function without children: the null entry is padded by 20 MB."""
    head = b'\1\0\0\0\0' + text(elf) + b'\2bomb\0' + text(elf)
    content = Repeated(head, (b'\x80', 20 * MB), b'\0\0')
    elf.put(b'.debug_abbrev', TOP + FUNCTION + b'\0')
    elf.put(b'.debug_info', Repeated(unit(content.size), *content.parts))


@kind
def long_name(elf):
    """A unit whose first attribute is a string of 50 MB."""
    top = abbreviation(1, COMPILE_UNIT, 1, (NAME, STRING), (STMT_LIST, SEC_OFFSET), (LOW, ADDRESS), (HIGH, DATA8))
    head = b'\0\0\0\0\0' + text(elf) + b'\2bomb\0' + text(elf) + b'\0\0'
    content = Repeated(b'\1', (b'A', 50 * MB), head)
    elf.put(b'.debug_abbrev', top + FUNCTION + b'\0')
    elf.put(b'.debug_info', Repeated(unit(content.size), *content.parts))


@kind
def abbreviations(elf):
    """Ten thousand units that share a table of 100,000 abbreviations, of which they use the last."""
    table = b''.join(abbreviation(100000 - i, COMPILE_UNIT, 0) for i in range(100000)) + b'\0'
    elf.put(b'.debug_abbrev', table)
    elf.put(b'.debug_info', Repeated((unit(1) + b'\1', 10000)))


@kind
def attributes(elf):
    """An abbreviation with a million attributes that take no bytes."""
    many = uleb(3) + uleb(VARIABLE) + b'\0' + (uleb(0x3f) + uleb(FLAG)) * MB + b'\0\0'
    program(elf, (), many, [(b'\3', MB)])


@kind
def units(elf):
    """Four million units."""
    elf.put(b'.debug_abbrev', TOP + b'\0')
    elf.put(b'.debug_info', Repeated((unit(0), 4 * MB)))


def many_ranges(elf, ranges):
    block = abbreviation(3, BLOCK, 0, (RANGES, SEC_OFFSET))
    program(elf, [(b'\3\0\0\0\0', 100000)], block)
    elf.put(b'.debug_ranges', ranges)


@kind
def base_addresses(elf):
    """Blocks that share a range list of base addresses."""
    many_ranges(elf, Repeated((b'\xff' * 8 + b'\0' * 8, MB), b'\0' * 16))


@kind
def ranges(elf):
    """Blocks that share a list of a million ranges."""
    many_ranges(elf, Repeated((b'\1' + b'\0' * 7 + b'\2' + b'\0' * 7, MB), b'\0' * 16))


@kind
def debugdata(elf):
    """A .gnu_debugdata of 128 MB."""
    packer = lzma.LZMACompressor(preset=6)
    elf.put(b'.gnu_debugdata', b''.join(packer.compress(bytes(16 * MB)) for _ in range(8)) + packer.flush())


@kind
def debugdata_twice(elf):
    """A .gnu_debugdata whose symbol table is compressed, too."""
    inner = Elf(sys.argv[2])
    inner.put(b'.strtab', b'\0bomb\0', 3)
    inner.put(b'.symtab', Repeated((b'\0' * 24, 4 * MB)), 2, inner.index(b'.strtab'), 24)
    inner.write(sys.argv[3])
    elf.put(b'.gnu_debugdata', lzma.compress(open(sys.argv[3], 'rb').read()))


def symbol(elf, name, size=None):
    start, length = struct.unpack('<QQ', text(elf))
    return struct.pack('<IBBHQQ', name, 0x12, 0, elf.index(b'.text'), start, length if size is None else size)


def symbols(elf, names, table):
    elf.put(b'.strtab', names, 3)
    elf.put(b'.symtab', table, 2, elf.index(b'.strtab'), 24)


@kind
def many_symbols(elf):
    """4 million symbols for the same code."""
    symbols(elf, b'\0bomb\0', Repeated(b'\0' * 24, (symbol(elf, 1), 4 * MB)))


@kind
def long_symbols(elf):
    """200,000 symbols with names of 16,000 bytes that differ at the end."""
    table = b''.join(symbol(elf, 1 + i % 384) for i in range(200000))
    symbols(elf, b'\0' + b'A' * 16384 + b'\0', Repeated(b'\0' * 24, table))


@kind
def packs(elf):
    """A symbol whose pack expansion libiberty would visit in 2^34 steps."""
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    name = '_Z1fIDp1pI' + 'S0_I' * 34 + 'iiE' + ''.join(f'S{digits[1 + i]}_E' for i in range(34)) + 'Evv'
    symbols(elf, b'\0' + name.encode() + b'\0', b'\0' * 24 + symbol(elf, 1))
    elf.find(b'.symtab')[7] = 1         # the first global symbol


@kind
def zstd(elf):
    """A string table of 8 GB, compressed by zstd."""
    program(elf, ())
    elf.put(b'.debug_str', Zstd(8192 * MB, 8192 * MB))


@kind
def zstd_more(elf):
    """8 GB, compressed by zstd, which claim to be 1 MB."""
    program(elf, ())
    elf.put(b'.debug_str', Zstd(8192 * MB, MB))


@kind
def zstd_window(elf):
    """1 MB, compressed by zstd with a window of 1 TB."""
    program(elf, ())
    elf.put(b'.debug_str', Zstd(MB, MB, 40))


@kind
def same_start(elf):
    """100,000 symbols without a size at the start of the code, and one that covers it."""
    table = b''.join(symbol(elf, 1, 0 if i else None) for i in range(100000))
    symbols(elf, b'\0bomb\0', b'\0' * 24 + table)


@kind
def endless_names(elf):
    """Names of symbols whose table does not end."""
    symbols(elf, Repeated(b'\0', (b'A', 10 * MB)), b'\0' * 24 + symbol(elf, 1) * 50000)


@kind
def notes(elf):
    """Ten thousand sections of notes that each have the whole file, and no build-id."""
    for i in range(10000):
        elf.headers.append([b'.note', [0, 7, 0, 0, i, MB, 0, 0, 4, 0]])
    elf.bytes += bytes(MB)


@kind
def hole(elf):
    """A hole of 8 GB in a section that is copied."""
    elf.put(b'.debug_str', b'')
    elf.find(b'.debug_str')[5] = 8192 * MB
    program(elf, ())


def package(elf, units, info, **more):
    """Gives ELF skeleton units whose parts are all in the same row of a package beside it: INFO and MORE."""
    elf.put(b'.debug_abbrev', abbreviation(1, 0x4a, 0, (0x76, STRING)) + b'\0')
    elf.put(b'.debug_info', b''.join(struct.pack('<IHBBIQ', 23, 5, 4, 8, 0, i + 1) + b'\1a.dwo\0'
                                     for i in range(units)))
    slots = 16384
    parts = {b'info': (1, info), **{name.encode(): part for name, part in more.items()}}
    columns = [(kind, len(part)) for kind, part in parts.values() if kind]
    elf.beside = Elf(sys.argv[2])
    elf.beside.put(b'.debug_cu_index', struct.pack('<HHIII', 5, 0, len(columns), 1, slots) +
                   b''.join(struct.pack('<Q', i) for i in range(slots)) + struct.pack('<I', 1) * slots +
                   b''.join(struct.pack('<I', kind) for kind, _ in columns) + bytes(4 * len(columns)) +
                   b''.join(struct.pack('<I', size) for _, size in columns))
    for name, (_, part) in parts.items():
        elf.beside.put(b'.debug_' + name + b'.dwo', part)


@kind
def package_units(elf):
    """10,000 units of a package that all have the same 8 MB."""
    package(elf, 10000, bytes(8 * MB))


@kind
def package_strings(elf):
    """A unit of a package with 250,000 strings that are all the same 4 MB."""
    package(elf, 1, bytes(64), str_offsets=(6, bytes(MB)), str=(0, b'A' * 4 * MB + b'\0'))


def main():
    if len(sys.argv) == 1:
        print('\n'.join(KINDS))
        return
    elf = Elf(sys.argv[2])
    KINDS[sys.argv[1]](elf)
    elf.write(sys.argv[3])
    if hasattr(elf, 'beside'):
        elf.beside.write(sys.argv[3] + '.dwp')
    if sys.argv[1] == 'hole':
        with open(sys.argv[3], 'r+b') as file:
            file.truncate(9 << 30)


main()
# SPDX-License-Identifier: MIT
