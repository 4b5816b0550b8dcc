"""A page without all chains, of tests/programs/bits.c: 2^20 chains with 16 bytes each, and 4 of another thread."""

import re

import reader

CHAINS = 1 << 20
SIZE = 16
THREAD = 4


def figures(page, label, columns):
    """Returns the figures in COLUMNS of a grid, by name."""
    grid = page.grid(label)
    at = [grid["head"].index(column) for column in columns]
    name = next(i for i, title in enumerate(grid["head"]) if re.match("function|type|size|line|module|outermost", title))
    return {row[name]: tuple(reader.number(row[i]) for i in at) for row in grid["rows"]}


def made(page):
    """Returns the bytes of the block that pthread_create() allocated. Its size depends on the C library."""
    return page.evaluate("mprof.model.total('bytes')") - (CHAINS + THREAD) * SIZE


def functions(tap, page):
    page.page(page.path, "#view=functions")
    tap.ok("parts were left out", page.evaluate("mprof.model.left.nodes") > CHAINS, page.evaluate("mprof.model.left"))
    tap.ok("... which is said, and that these figures are of all", re.search(
        r"small contexts with .* are summed up as \[smaller parts\] under their callers, but not here: these figures are of all",
        page.text("#main > .view:not([hidden]) .note")), page.text("#main > .view:not([hidden]) .note"))
    rows = figures(page, "functions", ["bytes", "itself", "blocks"])
    wanted = {
        "at_end": ((CHAINS + THREAD) * SIZE, (CHAINS + THREAD) * SIZE, CHAINS + THREAD),
        "main": (CHAINS * SIZE + made(page), 0, CHAINS + 1),
        "left": ((CHAINS - 1 + THREAD - 1) * SIZE, 0, CHAINS - 1 + THREAD - 1),
        "right": ((CHAINS - 1 + THREAD - 1) * SIZE, 0, CHAINS - 1 + THREAD - 1),
    }
    tap.equal("each function has what all chains have", {name: rows.get(name) for name in wanted}, wanted)
    tap.ok("no function stands for several", "[smaller parts]" not in rows, sorted(rows))
    page.click_row("functions", "at_end")
    half = (CHAINS + THREAD) // 2
    tap.equal("callers have what all chains have", figures(page, "callers", ["bytes", "blocks", "of"]), {
        f"{name} <cycle 1>": (half * SIZE, half, CHAINS - 1 + THREAD - 1) for name in ("left", "right")})
    page.page(page.path, "#view=functions")
    page.click_row("functions", "left")
    recurs = 20 * CHAINS // 2 - (CHAINS - 1) + THREAD - (THREAD - 1)
    facts = page.text("#main > .view:not([hidden]) .facts")
    tap.ok("recursion is counted on all chains", f"{recurs:,} times" in facts, facts)


def groups(tap, page):
    page.page(page.path, "#view=functions&table=modules")
    tap.equal("modules", figures(page, "modules", ["bytes", "itself"]).get("bits"),
              ((CHAINS + THREAD) * SIZE + made(page), (CHAINS + THREAD) * SIZE))
    page.page(page.path, "#view=functions&table=down")
    page.click("#main > .view:not([hidden]) input[type=search]")
    page.type("/^main$/")
    main = sum(reader.number(row[2]) for row in page.tree("top-down") if row[0] == "main")
    tap.equal("top-down: the outermost function has all below it, also what was left out", main, CHAINS * SIZE + made(page))
    page.page(page.path, "#view=functions&table=lines")
    lines = sorted(figures(page, "lines", ["bytes", "itself"]).values())
    tap.equal("lines", lines[-1], ((CHAINS + THREAD) * SIZE,) * 2)
    tap.equal("... what recurs is credited once", max(total for total, _ in lines), (CHAINS + THREAD) * SIZE)
    page.page(page.path, "#view=types&function=" + str(page.evaluate("mprof.model.functions.name.indexOf('left')")))
    tap.equal("types under a function", sorted(figures(page, "types", ["bytes"]).values()),
              [((CHAINS - 1 + THREAD - 1) * SIZE,)])
    page.page(page.path)
    row = page.texts(".allocators tbody tr")[0]
    tap.ok("the overview", re.search(r"at_end\s+16\.8 MB\s+(99\.9|100\.0) %", row), row)


def thread(tap, page):
    page.page(page.path, "#view=functions&thread=other")
    tap.equal("one thread alone", {name: row[0] for name, row in figures(page, "functions", ["bytes"]).items()}, {
        "at_end": THREAD * SIZE, "other": THREAD * SIZE, "left": (THREAD - 1) * SIZE, "right": (THREAD - 1) * SIZE})


def test(tap, page, arguments):
    page.path = f"{arguments[0]}/many.html"
    functions(tap, page)
    groups(tap, page)
    thread(tap, page)


reader.main(test)
# SPDX-License-Identifier: MIT
