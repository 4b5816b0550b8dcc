"""tables_data.py -- the input of tables.py: the figures of a sealed file, as mprof-data(5) describes it,
and their chains, which `mprof export -F chains` writes."""
import re
import subprocess
import zlib
from collections import defaultdict

KINDS = 4               # s m l x


class Wrong(Exception):
    """Raised if the report is wrong."""


def same(got, expected, *what):
    if got != expected:
        raise Wrong("%s: got %r, expected %r" % (" ".join(map(str, what)), got, expected))


def share(part, whole):
    return 0 if whole == 0 else min(100, part * 100 // whole)


def tenths(part, whole):
    if not whole:
        return "0.0"
    tenths = (part * 1000 + whole // 2) // whole
    if tenths == 1000 and part < whole:         # only all is 100 %
        tenths = 999
    return "%d.%d" % divmod(tenths, 10)


def shares(parts, whole):
    return [share(part, whole) for part in parts]


# ---------------------------------------------------------------- the sealed form

class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)


def recordings(path):
    """Yields the sections of each recording in a sealed file."""
    with open(path, "rb") as file:
        data = file.read()
    while data:
        same(data[:8], b"MPROFDAT", path)
        end = 36 + int.from_bytes(data[24:32], "little")
        yield sections_of(data[:end])
        data = data[end:]


def sections(path):
    only, = recordings(path)
    return only


def sections_of(data):
    same(zlib.crc32(data[:-4]), int.from_bytes(data[-4:], "little"), "checksum")
    content, found = data[32:-4], {}
    if data[12] & 1:
        content = zlib.decompress(content, -15)
    reader = Bytes(content)
    while reader.at < len(content):
        tag, size = reader.number(), reader.number()
        found[tag] = Bytes(content[reader.at:reader.at + size])
        reader.at += size
    return found


def other_result(section, base):
    """Returns the result of a step of the walk that was not among the latest ones: a frame, or None for a return."""
    difference = section.signed()
    return None if difference == 0 else base + difference - (difference > 0)


def read_contexts(section):
    """Returns for each context, including the root, its frame (None for the root) and whether it has a child."""
    n, order = section.number() + 1, section.number()
    frames, calls, parents = [None], [False] * n, [0]
    if order == 1:
        parents += [i - section.number() for i in range(n - 1)]
        frames += [section.number() for _ in range(n - 1)]
        for parent in parents[1:]:
            calls[parent] = True
        return frames, calls
    steps = [section.number() for _ in range(2 * n - 1)]
    latest, first, entered, at, left = defaultdict(list), {}, 0, 0, None
    for position in steps:
        results = latest[frames[at], left]
        if position < len(results):
            result = results.pop(position)
        else:
            result = other_result(section, first.get(frames[at], entered) if left is None else left)
            del results[3:]
        results.insert(0, result)
        if result is None:
            left, at = frames[at], parents[at]
            continue
        if left is None:
            first[frames[at]] = entered = result
        calls[at], left = True, None
        frames.append(result)
        parents.append(at)
        at = len(frames) - 1
    same(section.at, len(section.data), "end of the contexts")
    same(len(frames), n, "number of contexts")
    return frames, calls


class Cell:
    """Blocks of one kind on one chain."""


def predicted(section, column, last):
    """Returns the next number of COLUMN. LAST has the last number for each key of similar cells."""
    value = section.number()
    if value > 0:
        last[column] = value - 1
    return last[column]


def read_cells(section, contexts):
    frames, calls = contexts
    cells, last = [Cell() for _ in range(section.number())], defaultdict(int)
    numbers = [section.signed() + (not calling) for calling in calls]
    owners = [context for context, number in enumerate(numbers) for _ in range(number)]
    same(len(owners), len(cells), "number of cells")
    for cell, context in zip(cells, owners):
        cell.context = context
    for before, cell in zip([None] + cells, cells):
        kind = before.kind if before and before.context == cell.context else None
        cell.kind = predicted(section, ("kind", frames[cell.context], kind), last)
    for field in "flags", "allocs":
        for cell in cells:
            setattr(cell, field, section.number())
    for cell in cells:
        cell.size = predicted(section, ("largest", frames[cell.context], cell.kind), last)
    mixed = [cell for cell in cells if not cell.flags & 1]
    for cell in mixed:
        cell.size = predicted(section, ("smallest", frames[cell.context], cell.kind), last)
    for cell in cells:
        cell.bytes = cell.allocs * cell.size
    for cell in mixed:
        cell.bytes = (cell.bytes + section.number()) % (1 << 64)
    for cell in cells:
        cell.frees, cell.freed = (cell.allocs, cell.bytes) if cell.flags & 4 else (0, 0)
        if cell.flags & 2:
            cell.frees = section.number()
            cell.freed = cell.frees * cell.size if cell.flags & 1 else section.number()
    for cell in cells:
        cell.temporary = section.number() if cell.flags & 8 else 0
    for cell in cells:
        cell.peak, cell.peak_blocks = 0, 0
        if cell.flags & 32:
            cell.peak, cell.peak_blocks = cell.bytes - cell.freed, cell.allocs - cell.frees
        if cell.flags & 16:
            cell.peak_blocks = section.signed()
            cell.peak = cell.peak_blocks * cell.size if cell.flags & 1 else section.signed()
    same(section.at, len(section.data), "end of the cells")
    return cells


def read_names(section, strings):
    texts = [""] + [text.decode() for text in strings.data[strings.at:].split(b"\0")]
    names, last = [], -1
    for _ in range(section.number()):
        last += section.signed()
        names.append(texts[last])
    return names


def read_bins(section, types):
    """Returns {size: (allocs, bytes, frees, freed, types)}."""
    bins, size = {}, -1
    for _ in range(section.number()):
        size += section.number() + 1
        flags, allocs, frees = section.number(), section.number(), section.number()
        amount, freed = allocs * size, frees * size
        if flags & 1:
            amount, freed = section.number(), section.number()
        names = []
        if flags & 2:
            first, n = section.number(), section.number()
            names = types[first:first + n]
        bins[size] = (allocs, amount, frees, freed, ", ".join(names))
    return bins


# ---------------------------------------------------------------- the chains

class Chain:
    def __init__(self, functions, cells):
        self.functions = functions      # outermost first; marks of cut chains are among them
        self.bytes = [0] * KINDS
        self.kept = [0] * KINDS
        self.allocs = sum(cell.allocs for cell in cells)
        self.frees = sum(cell.frees for cell in cells)
        self.freed = sum(cell.freed for cell in cells)
        for cell in cells:
            self.bytes[cell.kind] += cell.bytes
            self.kept[cell.kind] += cell.bytes - cell.freed


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def read_chains(mprof, path, cells):
    of_context, parts, chains = defaultdict(list), {}, []
    for cell in cells:
        of_context[cell.context].append(cell)
    lists = iter(sorted(of_context.items()))
    for line in run(mprof, "export", "-F", "chains", path).splitlines():
        fields = line.split(" ", 7)
        name = re.match(r"@\d+=", fields[7])
        functions = fields[7][name.end() if name else 0:].split(";")
        if functions[0] in parts:
            functions = parts[functions[0]] + functions[1:]
        if name:
            parts[name.group()[:-1]] = functions
            continue
        mine = next(lists)[1]
        sums = [sum(getattr(cell, field) for cell in mine) for field in
                ("allocs", "bytes", "frees", "freed", "peak", "peak_blocks", "temporary")]
        same([int(field) for field in fields[:7]], sums, "dump of", fields[7])
        chains.append(Chain([text.replace("\\x3b", ";") for text in functions], mine))
    same(next(lists, None), None, "chains that are not dumped")
    return chains
# SPDX-License-Identifier: MIT
