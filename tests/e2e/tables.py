"""tables.py -- computes tables 1 to 4 of a report independently.

    tables.py MPROF FILE            compares every number that `MPROF report -v FILE` prints
    tables.py --wrong MPROF FILE    does the same with one digit of the report changed, again and again:
                                    each change must be noticed

FILE is sealed and contains no Lisp objects. The figures are read from it as mprof-data(5) describes,
the chains from `mprof export -F chains`. mprof-report(1), which follows the manual page of 1988, defines the
tables. The reporter's code is not used.
"""
import random
import re
import sys
from collections import defaultdict

from tables_data import (KINDS, Wrong, read_bins, read_cells, read_chains, read_contexts, read_names, run, same,
                         sections, share, shares, tenths)
from tables_graph import Graph, Table4

WRONG = 60              # digits that --wrong changes
TABLES = ("bins", "leaks", "direct", "graph")

# ---------------------------------------------------------------- lines of tables 1 to 3

def columns(head, line, names):
    """Returns the columns, which end where their titles end, and the last one, which begins where its title begins."""
    cells, start, at = [], 0, 0
    for name in names[:-1]:
        at = head.index(name, at) + len(name)
        cells.append(line[start:at].strip())
        start = at
    return cells + [line[head.index(names[-1], at):]]


def percent(part, whole):
    number = share(part, whole)
    return "(%d)" % number if number else ""


def check_bins(lines, bins, cells):
    names = ["size:", "allocs", "bytes", "(%)", "frees", "kept", "(%)", "types"]
    total = [sum(row[i] for row in bins.values()) for i in range(4)]
    for i, field in enumerate(("allocs", "bytes", "frees", "freed")):
        same(total[i], sum(getattr(cell, field) for cell in cells), "bins against chains:", field)
    sizes = sorted(size for size in bins if size <= 1024 and (bins[size][0] or bins[size][2]))
    expected = []
    for size in sizes + [1025]:
        allocs, amount, frees, freed, types = bins.get(size, (0, 0, 0, 0, ""))
        expected.append([str(size) if size <= 1024 else "> 1024", str(allocs), str(amount),
                         percent(amount, total[1]), str(frees), str(amount - freed),
                         percent(amount - freed, total[1] - total[3]), types])
    expected.append(["<TOTAL>", str(total[0]), str(total[1]), "", str(total[2]),
                     str(total[1] - total[3]), "", ""])
    same([columns(lines[0], line, names) for line in lines[1:]], expected, "table 1")


def shown_path(functions, limit):
    cut = functions[0].startswith("[cut: ")
    steps = functions[1:] if cut else functions
    more = cut or (limit and len(steps) > limit)
    return " > ".join(["..." if more else "||"] + steps[-limit if limit else 0:])


def check_leaks(lines, chains, limit, form_1988):
    sums = defaultdict(lambda: [0] * 5)         # kept, allocs, bytes, frees, freed
    for chain in chains:
        row = sums[shown_path(chain.functions, limit)]
        for i, more in enumerate((sum(chain.kept), chain.allocs, sum(chain.bytes), chain.frees,
                                  chain.freed)):
            row[i] += more
    rows = sorted(((row, path) for path, row in sums.items() if row[1] > row[3] or row[0]),
                  key=lambda row: (-row[0][0], row[1].encode()))
    if not rows:
        same(lines, ["No leaks: every block was freed."], "table 2")
        return
    kept, frees = sum(row[0] for row, _ in rows), any(row[3] for row, _ in rows)
    names = (["allocs", "bytes"] + ([] if form_1988 else ["kept", "bytes kept"]) + ["(%)"] +
             (["frees", "bytes"] if frees else []) + ["path"])
    expected = []
    for row, path in rows:
        freed = [str(row[3]), str(row[4])] if row[3] else ["", ""]
        left = [] if form_1988 else [str(row[1] - row[3]), str(row[0])]
        expected.append([str(row[1]), str(row[2])] + left + [percent(row[0], kept)] +
                        (freed if frees else []) + [path])
    same([columns(lines[0], line, names) for line in lines[1:]], expected, "table 2")


def direct_row(heads, line):
    """Returns share of all, bytes, breakdown, bytes kept, breakdown, calls and name."""
    line += " " * (len(heads[0]) - len(line))
    bars = [heads[0].index("|"), heads[0].rindex("|")]
    ends = [match.end() for match in re.finditer("[smlx]", heads[1])]
    parts = [int(line[end - 3:end].strip() or 0) for end in ends]
    left, right = ends[0] - 3, ends[KINDS] - 3
    calls, name = line[bars[1] + 1:].split(None, 1)
    same([line[bar] for bar in bars], ["|", "|"], "bars of", line)
    return (line[:5].strip(), int(line[5:left]), parts[:KINDS], int(line[bars[0] + 1:right]),
            parts[KINDS:], int(calls), name.rstrip())


def check_direct(lines, chains):
    amount, kept, calls = defaultdict(lambda: [0] * KINDS), defaultdict(lambda: [0] * KINDS), {}
    for chain in chains:
        for name in chain.functions[-1], None:
            calls[name] = calls.get(name, 0) + chain.allocs
            for kind in range(KINDS):
                amount[name][kind] += chain.bytes[kind]
                kept[name][kind] += chain.kept[kind]
    whole, whole_kept = sum(amount[None]), sum(kept[None])
    got = [direct_row(lines[:2], line) for line in lines[2:]]
    same([row[1] for row in got[1:]], sorted((row[1] for row in got[1:]), reverse=True),
         "order of table 3")
    expected = {}
    for name in calls:
        expected[name or "<TOTAL>"] = (
            tenths(sum(amount[name]), whole) if name else "", sum(amount[name]),
            shares(amount[name], whole), sum(kept[name]), shares(kept[name], whole_kept),
            calls[name], name or "<TOTAL>")
    same(got[0][6], "<TOTAL>", "table 3")
    same({row[6]: row for row in got}, expected, "table 3")


# ---------------------------------------------------------------- all of it

REPORT = ("report", "-v", "--full-names", "--no-skip", "--no-lines")


def table_lines(text):
    """Returns the lines of the only table in the report TEXT: without its heading, the head of the report, which
    follows it, and notes of tail calls, which chains of exports do not have."""
    at = text.index("TABLE ")
    return text[at:text.find("\n\nMPROF: ", at)].replace(" (tail call)", "").splitlines()[2:]


class Check:
    def __init__(self, mprof, path):
        found = sections(path)
        self.cells = read_cells(found[8], read_contexts(found[7]))
        if any(cell.kind >= KINDS for cell in self.cells):
            raise Wrong("objects of Lisp are not for this check")
        strings = found[1]
        strings.number()
        self.bins = read_bins(found[10], read_names(found[9], strings))
        self.chains = read_chains(mprof, path, self.cells)
        self.graph = Graph(self.chains)
        self.reports = {}
        for table in TABLES:
            text = run(mprof, *REPORT, "--no-pager", "--table=" + table, path)
            self.reports[table] = table_lines(text)
        for name, how in ("leaks, whole", (*REPORT, "--chain=all")), ("leaks, 1988", ("-v",)):
            text = run(mprof, *how, "--no-pager", "--table=leaks", path)
            self.reports[name] = table_lines(text)

    def table(self, table, lines):
        if table == "bins":
            check_bins(lines, self.bins, self.cells)
        elif table == "direct":
            check_direct(lines, self.chains)
        elif table == "graph":
            Table4(lines, self.graph).check()
        else:
            check_leaks(lines, self.chains, 0 if table == "leaks, whole" else 5,
                        table == "leaks, 1988")

    def wrong(self):
        """Changes single digits. Each change must be noticed."""
        places = [(table, i, j) for table, lines in self.reports.items()
                  for i, line in enumerate(lines) for j, c in enumerate(line) if c.isdigit()]
        chance = random.Random(1988)
        for table, i, j in chance.sample(places, min(WRONG, len(places))):
            lines = list(self.reports[table])
            digit = chance.choice([c for c in "0123456789" if c != lines[i][j]])
            lines[i] = lines[i][:j] + digit + lines[i][j + 1:]
            try:
                self.table(table, lines)
            except (Wrong, ValueError, KeyError, IndexError, StopIteration, AttributeError):
                continue
            sys.exit("table of %s: not noticed: %s" % (table, lines[i]))


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--wrong"]
    check = Check(*arguments)
    for table, lines in check.reports.items():
        check.table(table, lines)
    if "--wrong" in sys.argv:
        check.wrong()
    print("%d chains, %d functions, %d cycles" %
          (len(check.chains), len(check.graph.functions), len(check.graph.cycles)))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: MIT
