"""Two clicks from each card to the source line with most of its figure, and the functions that the reader skips."""

import reader

# Returns the function and line of the cells with the largest sum of a figure, with the sum, by the cells themselves.
LARGEST = """key => {
    const { model } = mprof, { cells, nodes } = model, sums = new Map();
    cells.node.forEach((node, i) => {
        const place = [model.nameOf(node), model.fileOf(node), nodes.line[node]].join("\\n");
        sums.set(place, (sums.get(place) || 0) + cells[key][i]);
    });
    const [place, sum] = [...sums].sort((a, b) => b[1] - a[1])[0];
    return [...place.split("\\n"), sum];
}"""
ACTIVE = "[aria-label=source] .row.active"


def text_of(folder, file, line):
    path = file if file.startswith("/") else f"{folder}/{file}"
    with open(path, encoding="utf-8") as lines:
        return lines.read().splitlines()[int(line) - 1].expandtabs(8).strip()


def two_clicks(tap, page, source):
    embedded = 0
    for title, key in (("Allocated", "bytes"), ("Live at the peak", "peak"), ("Live at the end", "kept"), ("Temporary", "temporary")):
        page.page(page.path)
        name, file, line, most = page.apply(LARGEST, key)
        card = page.texts(".figure-card").index(next(text for text in page.texts(".figure-card") if text.startswith(title)))
        page.click(f".figure-card:nth-child({card + 1}) .whole")
        first = page.tree("bottom-up")[0]
        tap.equal(f"{title}: one click shows the largest place first",
                  [first[0], first[1], reader.number(first[2])], [name, f"{file.rsplit('/', 1)[-1]}:{line}", most])
        page.click('#main > .view:not([hidden]) [aria-label="bottom-up"] .space .row .place')
        if not page.apply("file => mprof.source.hasFile(mprof.model.files.indexOf(file))", file):
            tap.equal("... the second its line, whose source is not here", [(row[-1], reader.number(row[2])) for row in page.rows("lines")],
                      [(f"{file}:{line}", most)])
            continue
        embedded += 1
        tap.ok("... the second its line", "view=source" in page.address() and f"line={line}" in page.address(), page.address())
        tap.equal("... in the source", page.text(f"{ACTIVE} .cell:last-child").strip(), text_of(source, file, line))
        tap.equal("... with its figure", page.text("select[name=Figure] option:checked"), page.evaluate(
            f"mprof.model.figures.find(figure => figure.key === '{key}').label"))
    tap.ok("there are sources", embedded > 1, embedded)


def by_keys(tap, page):
    page.page(page.path)
    for _ in range(20):
        page.key("Tab")
        if page.evaluate("document.activeElement.matches('.figure-card:nth-child(2) .whole')"):
            break
    page.key("Enter")
    tap.ok("Tab and Enter open a card", "table=up" in page.address() and "figure=peak" in page.address(), page.address())
    page.focus("[role=treegrid]")
    page.key("ArrowRight")
    tap.ok("an arrow opens a row", page.tree("bottom-up")[1][0] and page.evaluate(
        "document.querySelectorAll('[role=treegrid] .row')[2].getAttribute('aria-level')") == "2")
    page.key("l")
    tap.ok("l shows the line", "view=source" in page.address(), page.address())


def shown(page):
    return {row[0]: reader.number(row[2]) for row in page.tree("bottom-up")}


def skipping(tap, page):
    page.page(page.path, "#view=functions&table=up")
    row = next(row for row in page.tree("bottom-up") if row[2] and page.apply(
        "name => mprof.model.nodes.parent[[...mprof.model.cells.node].find(n => mprof.model.nameOf(n) === name)] !== 0", row[0]))
    before, name = shown(page), row[0]
    total = page.evaluate("mprof.model.total('bytes')")
    place = [each[0] for each in page.tree("bottom-up")].index(name)
    page.focus("[role=treegrid]")
    page.key("Home")
    for _ in range(place):
        page.key("ArrowDown")
    page.key("s")
    tap.ok("s skips a function", name not in shown(page) and "skip=" in page.address(), (name, page.address()))
    tap.equal("... whose callers have its bytes", page.evaluate("mprof.model.total('bytes')"), total)
    tap.ok("... which is said", name in page.text("#skipped"), page.text("#skipped"))
    after = page.apply("""name => { const { model } = mprof, self = model.self("bytes");
        return [...self.keys()].filter(n => self[n] > 0 && model.nameOf(n) === name && model.nodes.parent[n] !== 0).length; }""", name)
    tap.equal("... in all views", after, 0)
    page.click("#tabs [role=tab]", "Overview")
    tap.ok("... also in the first", all(name not in text.split() for text in page.texts(".figure-card")), page.texts(".figure-card"))
    page.click("#tabs [role=tab]", "Functions")
    page.press("Functions")
    rows = {row[-2]: row for row in page.rows("functions")}
    tap.ok("... functions add up", name not in rows or reader.number(rows[name][2]) == 0, rows.get(name))
    page.press("Bottom-up")
    page.click("#skipped button", f"Restore {name}")
    tap.equal("a click restores it", shown(page), before)
    tap.equal("... and nothing is skipped", page.texts("#skipped"), [])
    page.page(page.path, "#view=flame&skip=0.1.99999999.x")
    tap.equal("an address with wrong functions skips none", page.evaluate("mprof.model.skipped"), [])


def narrow(tap, page):
    page.resize(390, 844)
    for table, label in (("functions", "functions"), ("up", "bottom-up"), ("down", "top-down")):
        page.page(page.path, f"#view=functions&table={table}")
        head = page.grid(label)["head"]
        tap.ok(f"narrow, {table}: names come first", head[0].startswith("function"), head)
        tap.ok("... and the figure is on the screen", page.apply("""label => {
            const cells = [...document.querySelectorAll(`[aria-label="${label}"] .space .row:nth-child(-n+3) .cell:nth-child(n+2)`)];
            return cells.length > 0 && cells.every(cell => cell.getBoundingClientRect().right <= innerWidth); }""", label), head)


def test(tap, page, arguments):
    folder, source = arguments
    page.path = f"{folder}/mprof.html"
    two_clicks(tap, page, source)
    by_keys(tap, page)
    skipping(tap, page)
    narrow(tap, page)


reader.main(test)
# SPDX-License-Identifier: MIT
