"""tables_graph.py -- computes table 4 from chains, and compares it with the report."""
import re
from collections import defaultdict

from tables_data import KINDS, Wrong, same, share, shares, tenths

# ---------------------------------------------------------------- table 4: expected figures

class Sums:
    def __init__(self):
        self.allocs, self.kinds = 0, [0] * KINDS

    def add(self, chain):
        self.allocs += chain.allocs
        for kind in range(KINDS):
            self.kinds[kind] += chain.bytes[kind]

    @property
    def bytes(self):
        return sum(self.kinds)


class Node:
    """A function, or a cycle, which counts as if its members were one function."""
    def __init__(self):
        self.inclusive, self.own, self.root = Sums(), Sums(), Sums()
        self.called, self.calling = Sums(), Sums()      # calls by another function, and of another function
        self.recur = 0
        self.callers, self.callees = defaultdict(Sums), defaultdict(Sums)


def components(arcs, names):
    """Returns {name: representative} of the strongly connected components (Kosaraju and Sharir)."""
    def visit(start, edges, seen, done):
        seen.add(start)
        stack = [(start, iter(edges[start]))]
        while stack:
            name, rest = stack[-1]
            for other in rest:
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(edges[other])))
                    break
            else:
                done.append(name)
                stack.pop()

    forward, backward, order, seen = defaultdict(set), defaultdict(set), [], set()
    for caller, callee in arcs:
        forward[caller].add(callee)
        backward[callee].add(caller)
    for name in names:
        if name not in seen:
            visit(name, forward, seen, order)
    seen, of = set(), {}
    for name in reversed(order):
        if name not in seen:
            members = []
            visit(name, backward, seen, members)
            of.update((member, name) for member in members)
    return of


def credit(nodes, chain, path):
    """Credits each function or cycle of PATH once, however often it recurs on the chain."""
    pairs = {pair for pair in zip(path, path[1:]) if pair[0] != pair[1]}
    for name in set(path):
        nodes[name].inclusive.add(chain)
    for name in {callee for _, callee in pairs}:
        nodes[name].called.add(chain)
    for name in {caller for caller, _ in pairs}:
        nodes[name].calling.add(chain)
    nodes[path[0]].root.add(chain)
    nodes[path[-1]].own.add(chain)
    return pairs


class Graph:
    def __init__(self, chains):
        self.functions, self.inner = defaultdict(Node), defaultdict(Sums)
        self.inner_recur, self.total = defaultdict(int), Sums()
        paths = [chain.functions for chain in chains]
        of = components({pair for path in paths for pair in zip(path, path[1:])},
                        {name for path in paths for name in path})
        self.members = defaultdict(list)
        for name in of:
            self.members[of[name]].append(name)
        self.members = {name: set(list_) for name, list_ in self.members.items() if len(list_) > 1}
        self.cycle_of = {name: cycle for name, cycle in of.items() if cycle in self.members}
        self.cycles = {cycle: Node() for cycle in self.members}
        self.allocators = defaultdict(lambda: defaultdict(Sums))
        self.innermost = defaultdict(lambda: defaultdict(Sums))
        for chain, path in zip(chains, paths):
            self.total.add(chain)
            self.add_functions(chain, path)
            for cycle in {self.cycle_of[name] for name in path if name in self.cycle_of}:
                self.add_cycle(cycle, chain, path)

    def add_functions(self, chain, path):
        for caller, callee in credit(self.functions, chain, path):
            self.functions[caller].callees[callee].add(chain)
            self.functions[callee].callers[caller].add(chain)
        for name in set(path):
            self.functions[name].recur += chain.allocs * (path.count(name) - 1)
        inside = [(a, b) for a, b in zip(path, path[1:])
                  if a in self.cycle_of and self.cycle_of[a] == self.cycle_of.get(b)]
        for pair in set(inside):
            self.inner[pair].add(chain)
            self.inner_recur[pair] += chain.allocs * (inside.count(pair) - 1)

    def add_cycle(self, cycle, chain, path):
        node, inside = self.cycles[cycle], self.members[cycle]
        merged = [None if name in inside else name for name in path]
        nodes = defaultdict(Node)
        nodes[None] = node
        for caller, callee in credit(nodes, chain, merged):
            if caller is None:
                node.callees[callee].add(chain)
            if callee is None:
                node.callers[caller].add(chain)
        node.recur += chain.allocs * sum(a in inside and b in inside
                                         for a, b in zip(path, path[1:]))
        self.allocators[cycle][path[-1]].add(chain)
        self.innermost[cycle][[name for name in path if name in inside][-1]].add(chain)


# ---------------------------------------------------------------- table 4: figures of the report

class Row:
    """A line of the table: its figures, and the name at its end, as "name [index]"."""
    def __init__(self, line, at):
        def cells(start):
            return [int(line[i:i + 4].strip() or 0) for i in range(start, start + 16, 4)]
        left = re.fullmatch(r"(?:\[(\d+)\])?\s+([\d.]+|all)?\s*?(\d+)?(\*)?(?: +\((\d+)\))?\s*",
                            line[:at[0] - 17])
        if not left:
            raise Wrong("no row of table 4: " + line)
        self.index, self.share = left.group(1), left.group(2)
        if self.share and not left.group(3) and self.share != "all":
            self.share, number = None, self.share       # bytes alone
        else:
            number = left.group(3)
        self.bytes, self.star, self.percent = number, bool(left.group(4)), left.group(5)
        self.sizes = cells(at[0] - 17)
        self.rule = "-" in line[at[0]:at[1]]
        self.fractions = [0] * KINDS if self.rule else cells(at[0] + 2)
        rest = re.fullmatch(r"\s*(\d+)?(?:/(\d+))?\s*(.*)", line[at[1] + 1:])
        self.called, self.total, self.name = rest.groups()
        index, name, members = re.fullmatch(r"(?:(\[\d+\]) +)?(.*?)(, \d+ members:)?", self.name).groups()
        if index and not self.star or index and " > [" not in name:
            self.name = "%s %s%s" % (name, index, members or "")
        elif index:
            callee = re.fullmatch(r"(.*) > (\[\d+\]) (.*)", name).groups()
            self.name = "%s %s > %s %s" % (callee[0], index, callee[2], callee[1])

    def figures(self):
        return (int(self.bytes), self.percent and int(self.percent), self.sizes, self.fractions,
                self.called and int(self.called), self.total and int(self.total))


def figures(sums, whole, called, total, rule=False):
    """Returns the expected result of Row.figures()."""
    return (sums.bytes, share(sums.bytes, whole), shares(sums.kinds, sums.bytes),
            [0] * KINDS if rule else shares(sums.kinds, whole), called, total)


class Table4:
    def __init__(self, lines, graph):
        self.graph, self.lines = graph, lines[4:]
        self.at = [match.start() for match in re.finditer(r"\+", lines[3])]
        self.blocks, self.cycle_name, self.entries = [[]], {}, []
        rule = lines[3]
        for line in self.lines:
            if line == rule:
                self.blocks.append([])
            else:
                self.blocks[-1].append(line)
        notes = self.blocks.pop()
        stars = any(row.star for row in self.all_rows())
        same(len(notes), 2 if stars else 0, "what is said of stars")
        self.indices = {}

    def all_rows(self):
        for block in self.blocks:
            for line in block:
                if len(line) > self.at[1] and line[self.at[0]] == "|":
                    yield Row(line, self.at)

    def label(self, name):
        cycle = self.graph.cycle_of.get(name)
        return name if cycle is None else "%s <cycle %d>" % (name, self.cycle_name[cycle])

    def named(self, name):
        return "%s [%d]" % (self.label(name), self.indices[name])

    def find_entries(self):
        """Finds the numbers of entries and cycles, which follow from the order."""
        numbers, previous = [], None
        for row in self.all_rows():
            if row.index is None or ", " in row.name and row.name.endswith(" members:"):
                continue
            numbers.append(int(row.index))
            inner = re.fullmatch(r"<cycle (\d+) as a whole> \[\d+\]", row.name)
            name = re.fullmatch(r"(.*?)(?: <cycle \d+>)? \[\d+\]", row.name)
            if not inner:
                self.indices[name.group(1)] = numbers[-1]
                cycle = self.graph.cycle_of.get(name.group(1))
                label = re.fullmatch(r".* <cycle (\d+)> \[\d+\]", row.name)
                same(bool(label), cycle is not None, "cycle of", name.group(1))
                if label:
                    self.cycle_name.setdefault(cycle, int(label.group(1)))
            else:
                self.indices[int(inner.group(1))] = numbers[-1]
        same(numbers, list(range(len(numbers))), "indices")
        same(sorted(self.cycle_name.values()), list(range(1, len(self.graph.cycles) + 1)), "cycles")
        same({key for key in self.indices if isinstance(key, str)}, set(self.graph.functions),
             "functions")
        self.cycle_of_number = {number: cycle for cycle, number in self.cycle_name.items()}

    def check(self):
        self.find_entries()
        blocks, last = iter(self.blocks), None
        for block in blocks:
            if block[0].startswith("Cycle "):
                amount = self.check_cycle(block, next(blocks))
            else:
                amount = self.check_function([Row(line, self.at) for line in block])
            if last is not None and amount > last:
                raise Wrong("order of table 4: %d after %d" % (amount, last))
            last = amount

    def check_rows(self, rows, expected, what):
        """Compares rows by name. Rows with equal figures may have any order."""
        amounts = [int(row.bytes) for row in rows]
        same(amounts, sorted(amounts, reverse=True), "order of", what)
        same({row.name: (row.figures(), row.star) for row in rows}, expected, what)
        same(len(rows), len(expected), "rows of", what)

    def check_sides(self, before, after, node, cycle, what):
        """Checks the ancestors and descendants of NODE, a member of CYCLE if that is not None."""
        functions = self.graph.functions

        def row(name, sums, whole, total):
            mine = cycle is not None and self.graph.cycle_of.get(name) == cycle
            return figures(sums, whole, sums.allocs, total), mine
        outermost = node.root.allocs + node.root.bytes > 0 and len(node.callers) > 0
        if outermost:
            same(before[-1].name, "<no caller>", what)
            same(before.pop().figures(),
                 figures(node.root, node.inclusive.bytes, node.root.allocs, None), what, "root")
        if len(node.callers) + outermost > 1:
            self.check_all(before.pop(0), node.inclusive, what)
        if len(node.callees) > 1:
            self.check_all(after.pop(), node.calling, what)
        self.check_rows(before, {
            self.named(name): row(name, sums, node.inclusive.bytes, functions[name].calling.allocs)
            for name, sums in node.callers.items()}, "ancestors of " + what)
        self.check_rows(after, {
            self.named(name): row(name, sums, node.calling.bytes, functions[name].called.allocs)
            for name, sums in node.callees.items()}, "descendents of " + what)

    def check_all(self, row, sums, what):
        same((row.share, int(row.bytes), row.percent, row.sizes, row.fractions, row.name),
             ("all", sums.bytes, None, shares(sums.kinds, sums.bytes), [0] * KINDS, ""), "all of",
             what)

    def check_own(self, row, node, what):
        same(row.figures(), figures(node.own, node.inclusive.bytes, node.called.allocs,
                                    node.recur or None, True), what)
        same(row.share, tenths(node.inclusive.bytes, self.graph.total.bytes), "share of", what)

    def check_function(self, rows):
        own = [i for i, row in enumerate(rows) if row.index is not None]
        same(len(own), 1, "lines with an index, near", rows[0].name)
        row = rows[own[0]]
        name = next(name for name, index in self.indices.items() if index == int(row.index))
        node = self.graph.functions[name]
        same(row.name, self.named(name), "name")
        self.check_own(row, node, name)
        self.check_sides(rows[:own[0]], rows[own[0] + 1:], node, self.graph.cycle_of.get(name), name)
        return node.inclusive.bytes

    def check_cycle(self, members, block):
        number = int(re.match(r"Cycle (\d+), ", members[0]).group(1))
        cycle = self.cycle_of_number.get(number)
        same(cycle is not None, True, "cycle", number)
        node, inside = self.graph.cycles[cycle], self.graph.members[cycle]
        what = "<cycle %d as a whole> [%d]" % (number, self.indices[number])
        same(members[0], "Cycle %d, %d members: a chain passes many, so that shares inside overlap, "
             "and near 100 %% in the core." % (number, len(inside)), what)
        heads = [i for i, line in enumerate(block) if line.endswith(":")]
        same([block[i].split(" (")[0].rstrip(":") for i in heads],
             ["Allocated on its behalf by", "The innermost member was", "Strongest calls inside"],
             what)
        rows = [Row(line, self.at) for line in block[:heads[0]]]
        own = [i for i, row in enumerate(rows) if row.index is not None]
        same((len(own), rows[own[0]].name, rows[own[0]].index),
             (1, what, str(self.indices[number])), what)
        self.check_own(rows[own[0]], node, what)
        self.check_sides(rows[:own[0]], rows[own[0] + 1:], node, None, what)
        self.check_inside(cycle, [[Row(line, self.at) for line in block[a + 1:b]]
                                  for a, b in zip(heads, heads[1:] + [len(block)])], what)
        self.check_members(cycle, number, [Row(line, self.at) for line in members[1:]], what)
        return node.inclusive.bytes

    def check_inside(self, cycle, lists, what):
        graph, whole = self.graph, self.graph.cycles[cycle].inclusive.bytes
        self.check_rows(lists[0], {
            self.named(name): (figures(sums, whole, sums.allocs,
                                       graph.functions[name].own.allocs), False)
            for name, sums in graph.allocators[cycle].items()}, "allocators of " + what)
        self.check_rows(lists[1], {
            self.named(name): (figures(sums, whole, sums.allocs,
                                       graph.functions[name].inclusive.allocs), False)
            for name, sums in graph.innermost[cycle].items()}, "innermost of " + what)
        self.check_rows(lists[2], {
            "%s [%d] > %s [%d]" % (a, self.indices[a], b, self.indices[b]):
                (figures(sums, whole, sums.allocs, graph.inner_recur[a, b] or None), True)
            for (a, b), sums in graph.inner.items() if graph.cycle_of[a] == cycle},
            "calls in " + what)

    def check_members(self, cycle, number, rows, what):
        node, inside = self.graph.cycles[cycle], self.graph.members[cycle]
        same((rows[0].name, rows[0].index),
             ("%s, %d members:" % (what, len(inside)), str(self.indices[number])), what)
        self.check_own(rows[0], node, what)
        functions = self.graph.functions
        same({row.name: row.figures() for row in rows[1:]}, {
            self.named(name): figures(functions[name].own, node.own.bytes,
                                      functions[name].called.allocs, functions[name].recur or None)
            for name in inside}, "members of", what)
        same(len(rows), len(inside) + 1, "members of", what)
# SPDX-License-Identifier: MIT
