"""The view "Functions" has the figures that mprof report --table=graph prints."""

import collections
import re

import reader

ROW = re.compile(r"^(\[\d+\])?\s*(\d+\.\d)?\s+(\d+)(\*)?\s+\(\d+\)[ \d]*\|[ \d-]*\|\s*(\d+)(?:/(\d+))?"
                 r"\s+\[\d+\]\s+(.*)$")
Row = collections.namedtuple("Row", "name bytes overlaps called of")


class Entry:
    """A function of table 4."""

    def __init__(self):
        self.name = self.self = self.called = self.recur = None
        self.callers, self.callees = [], []


def entries_of(path):
    """Parses table 4 in the report PATH. Returns the entries by name, except those whose name is not unique."""
    entries, entry = [], Entry()
    with open(path, encoding="utf-8") as file:
        text = file.read().split("TABLE 4")[1]
    for line in text.splitlines():
        if line.startswith("------"):
            entries.append(entry)
            entry = Entry()
        found = ROW.match(line)
        if not found:
            continue
        index, _, amount, star, called, of, name = found.groups()
        if index:
            entry.name, entry.self = name, int(amount)
            entry.called, entry.recur = int(called), int(of or 0)
        else:
            (entry.callees if entry.name else entry.callers).append(
                Row(name, int(amount), bool(star), int(called), int(of or 0)))
    names = collections.Counter(e.name for e in entries if e.name)
    return {e.name: e for e in entries if e.name and names[e.name] == 1}


# Returns the entries of all functions, as the page computes them.
GRAPH = """() => {
    const graph = mprof.graph.structure(), sums = mprof.graph.sums, names = mprof.model.functions.name;
    const cycles = mprof.graph.cycles().of, name = f => names[f] + (cycles[f] ? " <cycle>" : "");
    const bytes = sums("arcs", "bytes"), allocs = sums("arcs", "allocs");
    const row = (arc, other, of) => [name(other), bytes[arc],
        cycles[graph.caller[arc]] !== 0 && cycles[graph.caller[arc]] === cycles[graph.callee[arc]],
        allocs[arc], of];
    const apart = arc => graph.caller[arc] !== graph.callee[arc];
    return [...names.keys()].filter(f => sums("total", "allocs")[f] > 0).map(f => ({
        name: name(f), self: sums("self", "bytes")[f], called: sums("called", "allocs")[f],
        recur: sums("recur", "allocs")[f],
        callers: graph.into(f).filter(apart).map(a => row(a, graph.caller[a],
            sums("calling", "allocs")[graph.caller[a]])),
        callees: graph.out(f).filter(apart).map(a => row(a, graph.callee[a],
            sums("called", "allocs")[graph.callee[a]])),
    }));
}"""


def numberless(name):
    """Removes the number of the cycle from NAME, because report and page may number cycles differently."""
    return re.sub(r" <cycle \d+>$", " <cycle>", name)


def wrong_entries(entries, graph):
    """Returns sentences about the differences between the report's ENTRIES and the page's GRAPH."""
    wrong = []
    for name, entry in entries.items():
        if "as a whole" in name:
            continue
        same = [e for e in graph if e["name"] == numberless(name)]
        if len(same) != 1:
            wrong.append(f"{name}: {len(same)} times on the page")
            continue
        page = same[0]
        for what in ("self", "called", "recur"):
            if page[what] != getattr(entry, what):
                wrong.append(f"{name}: {what} {page[what]}, not {getattr(entry, what)}")
        for what in ("callers", "callees"):
            got = sorted(tuple(row) for row in page[what])
            expected = sorted((numberless(r.name), r.bytes, r.overlaps, r.called, r.of)
                              for r in getattr(entry, what) if "as a whole" not in r.name)
            if got != expected:
                wrong.append(f"{name}: {what} {got}, not {expected}")
    return wrong


def largest_op(entries):
    """Returns the function with most bytes that Perl's loop calls. It depends on the version of perl."""
    rows = [r for r in entries["Perl_runops_standard"].callees if r.name in entries]
    return max(rows, key=lambda row: row.bytes).name


def tables(tap, page, entries):
    rows = page.rows("functions")
    amounts = [reader.number(row[0]) for row in rows]
    total = page.evaluate("mprof.model.total('bytes')")
    tap.equal("sorted by bytes at first", amounts, sorted(amounts, reverse=True))
    tap.equal("the outermost function has all", [page.names("functions")[0], amounts[0], rows[0][1]],
              ["main", total, "100.0 %"])
    page.click_head("functions", "kept")
    kept = page.grid("functions")
    column = kept["head"].index("kept")
    amounts = [reader.number(row[column]) for row in kept["rows"]]
    tap.equal("a click on a head sorts by it", amounts, sorted(amounts, reverse=True))
    tap.ok("... and the address says so", "sort=kept" in page.address(), page.address())
    page.click_head("functions", "kept")
    amounts = [reader.number(row[column]) for row in page.rows("functions")]
    tap.equal("... a second one the other way round", amounts, sorted(amounts))
    page.click("#main > .view:not([hidden]) input[type=search]")
    operator = largest_op(entries)
    words = [operator[:len(operator) // 2], operator[len(operator) // 2:]]
    page.type(" ".join(words))
    names = page.names("functions")
    tap.ok("words filter", operator in names and all(word in name for word in words for name in names),
           (words, names))
    tap.ok("... and the address says so", "q=" in page.address(), page.address())
    for _ in " ".join(words):
        page.key("Backspace")
    page.type("/^perl_(run|parse)$/")
    tap.equal("expressions filter", sorted(page.names("functions")), ["perl_parse", "perl_run"])
    address = page.address()
    page.page(page.path, address)
    tap.equal("a link shows the same", sorted(page.names("functions")), ["perl_parse", "perl_run"])


def keys(tap, page):
    page.page(page.path, "#view=functions")
    page.focus("[role=grid]")
    names = page.names("functions")
    page.key("ArrowDown")
    page.key("ArrowDown")
    page.key("ArrowUp")
    tap.equal("arrow keys move", page.text("[role=grid] .row.active .cell:nth-last-child(2)"), names[1])
    tap.ok("... and what reads the page aloud knows", page.evaluate(
        "document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))"
        ".classList.contains('active')"))
    page.key("End")
    count = page.evaluate("Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount')) - 1")
    tap.equal("End is the last row", page.evaluate(
        "Number(document.querySelector('[role=grid] .row.active').getAttribute('aria-rowindex')) - 1"), count)
    tap.ok("... and it is seen", page.evaluate("""(() => {
        const row = document.querySelector("[role=grid] .row.active").getBoundingClientRect();
        const grid = document.querySelector("[role=grid]").getBoundingClientRect();
        return row.top >= grid.top && row.bottom <= grid.bottom + 1; })()"""))
    page.key("Home")
    page.key("ArrowDown")
    page.key("Enter")
    tap.equal("Enter opens the function", page.title(), names[1])


def walk(tap, page, entries):
    """Goes through functions by clicks. Each page has the figures of its entry in table 4."""
    page.page(page.path, "#view=functions")
    page.click_row("functions", "main")
    tap.equal("a click opens the function", page.title(), "main")
    operator = largest_op(entries)
    for name in ("perl_run", "Perl_runops_standard", operator):
        page.click_row("callees", name)
        entry = entries[name]
        tap.equal(f"a click on a callee leads to {name}", page.title(), name)
        for label in ("callers", "callees"):
            grid = page.grid(label)
            columns = [grid["head"].index(title) for title in ("bytes", "blocks", "of", "function")]
            got = sorted((row[columns[3]], *(reader.number(row[c]) for c in columns[:3]))
                         for row in grid["rows"])
            tap.equal(f"... its {label}", got, sorted(
                (r.name, r.bytes, r.called, r.of) for r in getattr(entry, label)))
    page.evaluate("history.back()")
    page.wait("document.querySelector('h2.name').innerText === 'Perl_runops_standard'")
    page.settle()
    tap.equal("back", page.title(), "Perl_runops_standard")
    page.evaluate("history.forward()")
    page.wait(f"document.querySelector('h2.name').innerText === '{operator}'")
    tap.equal("forward", page.title(), operator)
    page.click_row("callers", "Perl_runops_standard")
    tap.equal("a click on a caller leads back", page.title(), "Perl_runops_standard")
    page.press("All functions")
    tap.ok("... and to all of them", "main" in page.names("functions"))


def copy(tap, page, entries):
    page.page(page.path, "#view=functions&q=/^perl_run$/")
    page.press("Copy as text")
    head, *lines = page.copied().splitlines()
    tap.ok("copied text has the heads", re.match(r" *bytes +% +itself", head), head)
    tap.ok("... and the row, with all digits", len(lines) == 1 and re.match(
        rf" *{sum(r.bytes for r in entries['perl_run'].callers)} ", lines[0]), lines)


def groups(tap, page, entries):
    operator = largest_op(entries)
    page.page(page.path, "#view=functions")
    for title, label in (("Bottom-up", "bottom-up"), ("Top-down", "top-down")):
        page.press(title)
        page.click("#main > .view:not([hidden]) input[type=search]")
        page.type(f"/^{re.escape(operator)}$/")
        expected = page.apply("""([name, up]) => { const model = mprof.model, self = model.self("allocs"), rows = new Set();
            const nodes = [...self.keys()].filter(node => node > 0), of = node => [model.functionOf(node), mprof.place(node)];
            const has = nodes.map(node => model.chain(node).some(n => model.nameOf(n) === name));
            for (const node of nodes.filter(n => self[n] > 0 && has[n - 1]))
                if (up)
                    for (const chain = model.chain(node).reverse(), path = []; chain.length; rows.add(String(path)))
                        if (chain.some(n => model.nameOf(n) === name))
                            path.push(of(chain.shift()));
                        else
                            break;
                else
                    for (const chain = model.chain(node), path = []; chain.some(n => model.nameOf(n) === name);) {
                        path.push(of(chain.shift()));
                        rows.add(String(path));
                    }
            return rows.size; }""", [operator, label == "bottom-up"])
        tap.ok(f"{label}: a filter opens the ways to what it finds", page.count_rows(label) == expected > 0,
               (page.count_rows(label), expected))
        for _ in f"/^{operator}$/":
            page.key("Backspace")
    page.press("Modules")
    grid = page.grid("modules")
    own = grid["head"].index("itself")
    tap.equal("modules add up to all", sum(reader.number(row[own]) for row in grid["rows"]),
              page.evaluate("mprof.model.total('bytes')"))


def cycles(tap, page, folder):
    page.path = f"{folder}/cycles.html"
    page.page(page.path, "#view=functions")
    entries = entries_of(f"{folder}/cycles.txt")
    wrong = wrong_entries(entries, page.apply(GRAPH))
    tap.equal("of a program with cycles, too", wrong, [])
    wholes = {re.search(r"<cycle (\d+)", name)[1]: entries[name] for name in entries if name.endswith("as a whole>")}
    tap.equal("there are as many cycles", page.evaluate(
        "mprof.graph.cycles().members.length - 1"), len(wholes))
    member = next(name for name in page.evaluate(
        "mprof.graph.cycles().members[1].map(f => mprof.model.functions.name[f])"))
    page.click_row("functions", member)
    page.click("#main > .view:not([hidden]) .facts button")
    tap.ok("a member leads to its cycle", re.match(r"Cycle \d+$", page.title()), page.title())
    tap.ok("... which lists its members", member in page.names("members"), page.names("members"))
    tap.equal("... first of all", page.evaluate(
        "document.querySelector('#main > .view:not([hidden]) :is(h2, h3)').textContent"), "Members")
    report = {number: sum(r.bytes for r in entry.callers) for number, entry in wholes.items()}
    callers = sum(reader.number(row[0]) for row in page.rows("callers"))
    tap.equal("... and whose callers have what the report says", callers, report["1"])
    for label in ("allocators", "innermost members"):
        tap.equal(f"... so have its {label}, each byte once",
                  sum(reader.number(row[0]) for row in page.rows(label)), callers)


# For FIGURE, whose blocks are counted by the figure BLOCKS: returns the function whose callers have most, and for each
# caller the blocks on the arc and of all that the caller calls.
BLOCKS_OF = """(figure, blocks) => {
    const graph = mprof.graph.structure(), sums = key => mprof.graph.sums(key, blocks), arcs = sums("arcs");
    const into = f => graph.into(f).filter(arc => graph.caller[arc] !== f && mprof.graph.sums("arcs", figure)[arc] !== 0);
    let best = 2;
    for (let f = 2; f < mprof.model.functions.count; f++)
        if (into(f).length > into(best).length) best = f;
    return { f: best, rows: into(best).map(arc => [mprof.model.functions.name[graph.caller[arc]], arcs[arc],
        sums("calling")[graph.caller[arc]]]) };
}"""


def blocks(tap, page):
    """The columns of blocks belong to the chosen figure."""
    for figure, key in (("bytes", "allocs"), ("kept", "keptBlocks"), ("peak", "peakBlocks")):
        found = page.apply(f"() => ({BLOCKS_OF})('{figure}', '{key}')")
        page.page(page.path, f"#view=functions&function={found['f']}&figure={figure}")
        grid = page.grid("callers")
        columns = [grid["head"].index(title) for title in ("function", "blocks", "of")]
        shown = {re.sub(r" <cycle \d+>$", "", row[columns[0]]): [reader.number(row[column]) for column in columns[1:]]
                 for row in grid["rows"]}
        expected = {name: rest for name, *rest in found["rows"]}
        tap.ok(f"there are callers of {figure}", len(expected) > 2, expected)
        tap.equal("... with its blocks", {name: shown.get(name) for name in expected if name in shown},
                  {name: rest for name, rest in expected.items() if name in shown})
    page.page(page.path, f"#view=functions&function={found['f']}&figure=temporary")
    tap.ok("a figure of blocks has them, too", "of" in page.grid("callers")["head"], page.grid("callers")["head"])


def test(tap, page, arguments):
    folder = arguments[0]
    page.path = f"{folder}/perl.html"
    page.page(page.path, "#view=functions")
    entries = entries_of(f"{folder}/perl.txt")
    tap.ok("the report has entries", len(entries) > 50, len(entries))
    tap.equal("each function has the report's figures, callers and callees",
              wrong_entries(entries, page.apply(GRAPH)), [])
    tables(tap, page, entries)
    keys(tap, page)
    walk(tap, page, entries)
    copy(tap, page, entries)
    groups(tap, page, entries)
    blocks(tap, page)
    cycles(tap, page, folder)


reader.main(test)
# SPDX-License-Identifier: MIT
