"""Prints the figures of a dump, and those that the real readers of an export print, as lines of the same form.

export_books.py DUMP [self | inclusive]        "function: bytes allocs kept kept-blocks peak peak-blocks temporary"
export_books.py DUMP callgrind [self | inclusive] OUTPUT    the same lines, from callgrind_annotate
export_books.py DUMP [peak | end]              "bytes outer;...;inner" of the live blocks
export_books.py DUMP massif [peak | end] OUTPUT             the same lines, from ms_print
export_books.py DUMP chains FIGURE             "figure outer;...;inner"
export_books.py DUMP folded FIGURE STACKS      the same lines, from heaptrack_print --print-flamegraph

DUMP is the output of mprof export -F ids.
"""

import re
import sys
from collections import defaultdict


FIGURES = ("bytes", "allocs", "kept", "kept-blocks", "peak", "peak-blocks", "temporary")
MOST_CALLERS = 96               # of a chain, in massif's format: see reporter/export/massif.c


class Dump:
    def __init__(self, path):
        functions, self.chains, self.figures = {}, {0: ()}, defaultdict(lambda: [0] * 7)
        for line in open(path, encoding="utf-8"):
            what, _, rest = line.rstrip("\n").partition(" ")
            if what == "f":
                number, _, name = rest.partition(" ")
                functions[number] = name.replace("\\x3b", ";")
            elif what == "c":
                node, parent, function = rest.split()
                self.chains[int(node)] = self.chains[int(parent)] + (functions[function],)
            else:
                allocs, size, frees, freed, peak, blocks, temporary, node = map(int, rest.split())
                self.figures[int(node)] = [size, allocs, size - freed, allocs - frees, max(peak, 0),
                                           max(blocks, 0), temporary]
        self.names = set(functions.values())

    def functions(self, how):
        books = defaultdict(lambda: [0] * 7)
        for node, figures in self.figures.items():
            chain = self.chains[node]
            for name in set(chain) if how == "inclusive" else chain[-1:]:
                books[name] = [a + b for a, b in zip(books[name], figures)]
        return books

    def by_chain(self, figure, callers=0):
        books = defaultdict(int)
        for node, figures in self.figures.items():
            books[self.chains[node][-callers:]] += figures[FIGURES.index(figure)]
        return books


def callgrind(path, names):
    """Yields the rows "figures  file:function [object]" after the second head."""
    books = defaultdict(lambda: [0] * 7)
    for line in open(path, encoding="utf-8"):
        found = re.fullmatch(r"\s*((?:[\d,]+ +){7})(\S.*) \[[^\]]*\]\n", line)
        if not found:
            continue
        place = found[2]
        called = [n for n in names if place.endswith(":" + n)]
        name = max(called, key=len) if called else place
        figures = [int(f.replace(",", "")) for f in found[1].split()]
        books[name] = [a + b for a, b in zip(books[name], figures)]
    books.pop("???:<TOTAL>", None)
    return books


def massif(path, when):
    """Yields the chains of the peak's or the last snapshot, each with the bytes that its callers do not account for."""
    text = open(path, encoding="utf-8").read()
    number = re.search(r"(\d+) \(peak\)", text)[1] if when == "peak" else \
        str(int(re.search(r"Number of snapshots: (\d+)", text)[1]) - 1)
    part = re.search(rf"\n +{number}  +[\d,]+ .*\n((?:[ |]*(?:->)?\d+\.\d+% .*\n|[ |]*\n)*)", text)
    books, open_calls = defaultdict(int), []
    for line in part[1].splitlines() if part else ():
        found = re.fullmatch(r"([ |]*(?:->)?)\d+\.\d+% \(([\d,]+)B\) (.*)", line)
        if not found:
            continue
        depth = len(found[1]) // 2
        call = re.fullmatch(r"0x[0-9A-F]+: (.*?)(?: \((?:in )?\S*\))?", found[3])
        name = call[1] if call else None
        del open_calls[depth:]
        open_calls.append(name)
        size = int(found[2].replace(",", ""))
        books[tuple(reversed(open_calls[1:]))] += size
        if depth > 0:
            books[tuple(reversed(open_calls[1:-1]))] -= size
    return books


def folded(path):
    books = defaultdict(int)
    for line in open(path, encoding="utf-8"):
        chain, _, figure = line.rpartition(" ")
        calls = [re.sub(r" \([^()]*\)$", "", call) for call in chain.rstrip(";").split(";")]
        books[tuple(calls)] += int(figure)
    return books


def main():
    dump, how, rest = Dump(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if how in ("peak", "end", "massif", "chains", "folded"):
        if how == "massif":
            books = massif(rest[1], rest[0])
        elif how == "folded":
            books = folded(rest[1])
        elif how == "chains":
            books = dump.by_chain(rest[0])
        else:
            books = dump.by_chain("peak" if how == "peak" else "kept", MOST_CALLERS)
        lines = [f"{size} {';'.join(chain)}" for chain, size in books.items() if size]
    else:
        books = callgrind(rest[1], dump.names) if how == "callgrind" else dump.functions(how)
        lines = [f"{name}: {' '.join(map(str, f))}" for name, f in books.items() if f[0]]
    print("\n".join(sorted(lines)))


main()
# SPDX-License-Identifier: MIT
