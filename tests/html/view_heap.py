"""The view "Heap" of the Lisp program in tests/html/heap.sh."""

import json

import reader

THINGS, VECTORS = "APP::THINGS (grow.lisp:6)", "APP::VECTORS (grow.lisp:7)"      # sites of ECL's functions
DOUBLES = "(VECTOR DOUBLE-FLOAT)"

SERIES = """by => ["bytes", "objects"].map(unit => Object.fromEntries(
    mprof.heapData.series(by, unit, []).map(one => [one.name, [...one.values]])))"""

RANKED = "at => mprof.series.ranked(mprof.heapData.series('type', 'bytes', []), mprof.heapData.moments(), at).map(one => one.name)"

# Returns the middle between two of the dots that mark snapshots on the chart.
BETWEEN = """(a, b) => {
    const dots = [...document.querySelectorAll("#view-heap svg.chart circle.moment")].map(e => e.getBoundingClientRect());
    return {x: (dots[a].left + dots[b].left) / 2, y: dots[0].top - 60};
}"""

# Returns a point in the band of the series with a given name, near the right end of the chart.
BAND = """name => {
    const path = [...document.querySelectorAll("#view-heap svg.chart path.area")].find(path => path.dataset.series === name);
    const box = path.ownerSVGElement.getBoundingClientRect(), scale = box.width / path.ownerSVGElement.viewBox.baseVal.width;
    const points = path.getAttribute("d").slice(1, -1).split("L").map(text => text.split(" ").map(Number));
    const half = points.length / 2, upper = points[half - 1], lower = points[half];
    return {x: box.left + (upper[0] - 2) * scale, y: box.top + (upper[1] + lower[1]) / 2 * scale};
}"""


def names(page):
    return [name for name, _ in page.legend()]


def count(page, selector):
    return page.count(f"#view-heap {selector}")


def click_band(page, name):
    place = page.apply(BAND, name)
    page.click_at(place["x"], place["y"])
    page.settle()


def ends(page):
    """Returns the number of series in the legend that can be opened."""
    return count(page, ".legend button.name")


def view(page, rest=""):
    page.page(page.path, "#view=heap" + rest)


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def rows(tap, page, folder):
    documents = {by: load(f"{folder}/{by}.json") for by in ("type", "package", "function", "site", "file")}
    for by, document in documents.items():
        wanted = [{row["name"]: row[key] for row in document["rows"]} for key in ("shallow", "objects")]
        tap.equal(f"by {by}: rows as mprof plot has them", page.apply(SERIES, by), wanted)
    taken = documents["type"]["snapshots"]
    tap.equal("the curves are the facts of the snapshots", page.evaluate(
        "mprof.heapData.curves('bytes', []).list.map(curve => curve.values)"),
        [[one[key] or None for one in taken] for key in ("heap_bytes", "live_bytes")])
    view(page, "&hunit=words&hmoment=2")
    word = page.evaluate("mprof.model.heap.snapshots[0].word")
    tap.equal("words", dict(page.legend())[DOUBLES], 2000 * 8048 // word)
    tap.equal("... of the heap, too", page.evaluate("mprof.heapData.curves('words', []).list[0].values[2]"), taken[2]["heap_bytes"] / word)
    view(page, "&heven=1")
    tap.equal("snapshots with equal intervals have the times between them", page.texts("#view-heap svg.chart text")[-2:],
              page.evaluate("mprof.model.heap.snapshots.slice(1).map((one, i) => "
                            "'+' + mprof.format.time(one.time - mprof.model.heap.snapshots[i].time))"))
    tap.ok("... and the same distances", page.evaluate("""(() => {
        const [a, b, c] = [...document.querySelectorAll("#view-heap circle.moment")].map(dot => Number(dot.getAttribute("cx")));
        return Math.abs((b - a) - (c - b)) < 1; })()"""))
    for unit, key in (("bytes", "bytes"), ("objects", "objects")):
        for i, one in enumerate(taken):
            view(page, f"&hunit={unit}&hmoment={i}")
            tap.equal(f"the legend adds up to all {unit}, snapshot {i}", sum(figure for _, figure in page.legend()), one[key])
    view(page)
    shown = dict(page.legend())
    for row in documents["type"]["rows"]:
        if row["name"] == DOUBLES:
            tap.equal("vectors, by snapshot", row["shallow"], [0, 50 * 8048, 2000 * 8048])
    tap.equal("... as many as were made", shown[DOUBLES], 2000 * 8048)


def drawing(tap, page):
    view(page)
    tap.equal("lines", page.evaluate(
        "[...document.querySelectorAll('svg.chart path.curve title')].map(title => title.textContent)"), ["heap, as the system gave it", "live, after the last collection"])
    tap.equal("a mark for each collection", count(page, "svg.chart .mark.collection"),
              page.evaluate("mprof.model.time.moments.filter(moment => moment.kind === 'collection').length"))
    tap.equal("a dot for each snapshot", count(page, "svg.chart circle.moment"), 3)
    tap.equal("the stack is as high as all objects, at each snapshot", page.evaluate("""(() => {
        const chart = document.querySelector("svg.chart"), last = [...chart.querySelectorAll("path.area")].pop();
        const points = last.getAttribute("d").slice(1, -1).split("L").map(text => Number(text.split(" ")[1]));
        const axis = Number(chart.querySelector("line.axis").getAttribute("y1"));
        const upper = points.slice(0, points.length / 2).map(y => axis - y), { snapshots } = mprof.model.heap;
        const all = snapshots[2].bytes;
        return upper.map((high, i) => Math.abs(high / upper[2] - snapshots[i].bytes / all) < 0.01); })()"""), [True] * 3)


def controls(tap, page):
    view(page)
    for name, selector in (("marks", ".mark"), ("heap, as the system gave it", ".curve.heap"), ("live, after the last collection", ".curve.live")):
        page.click("#view-heap label.toggle", name)
        tap.equal(f"switched off: {name}", count(page, selector), 0)
        page.click("#view-heap label.toggle", name)
        tap.ok("... and on", count(page, selector) > 0)
    ranked = page.apply(RANKED, None)
    tap.equal("twenty series, sorted by the mean", names(page)[:-1], ranked[:20])
    tap.equal("... and the sum of the others", names(page)[-1], f"others ({len(ranked) - 20})")
    page.choose("#view-heap .controls label:nth-of-type(3) select", "snapshot b")
    tap.equal("sorted by a snapshot", names(page)[:-1], page.apply(RANKED, 0)[:20])
    tap.ok("... which the address says", "hat=0" in page.address(), page.address())
    view(page, "&hmoment=2")
    page.press("Sort by this snapshot")
    tap.equal("sorted by the selected one", names(page)[0], DOUBLES)
    page.focus("#view-heap input[type=range]")
    page.key("Home")
    tap.equal("the slider sets how many series there are", names(page), [DOUBLES, f"others ({len(ranked) - 1})"])
    tap.ok("... which the address says", "hn=1" in page.address(), page.address())
    page.click("#view-heap .adder input")
    page.type("app::thi")
    tap.equal("a search completes names of series",
              page.evaluate("[...document.querySelectorAll('#heap-names option')].map(o => o.value)"), ["APP::THING"])
    page.key("Enter")
    tap.equal("... and adds one", names(page)[:2], [DOUBLES, "APP::THING"])
    page.click("#view-heap button", f"Put {DOUBLES} to the others")
    tap.ok("a series is put to the others", DOUBLES not in names(page) and "APP::THING" in names(page), names(page))
    view(page)
    page.click("#view-heap label.toggle", "shares")
    tap.ok("shares end at 100 %", "100%" in page.texts("svg.chart text"), page.texts("svg.chart text"))
    view(page)
    start, end = page.apply(BETWEEN, 0, 1), page.apply(BETWEEN, 1, 2)
    page.drag((start["x"], start["y"]), (end["x"], end["y"]))
    tap.equal("a drag zooms", count(page, "circle.moment"), 1)
    tap.ok("... which the address says", "ht0=" in page.address() and "ht1=" in page.address(), page.address())
    page.press("Whole time")
    tap.equal("... and back", count(page, "circle.moment"), 3)
    page.press("Copy as text")
    tap.ok("copied as text", DOUBLES in page.copied() and str(2000 * 8048) in page.copied(), page.copied())


def drill(tap, page):
    view(page)
    click_band(page, DOUBLES)
    tap.equal("a click on a band goes into it", page.text(".trail strong"), DOUBLES)
    tap.equal("... by function", page.legend(), [(VECTORS, 2000 * 8048)])
    page.press(VECTORS)
    tap.equal("a click on a name goes further: its site says the same, so by file", page.evaluate("mprof.url.state.hby"), "file")
    tap.equal("... which is the end", (ends(page), [name.rsplit("/", 1)[-1] for name in names(page)]), (0, ["grow.lisp"]))
    click_band(page, names(page)[0])
    tap.equal("a click goes no further", page.text(".trail strong"), VECTORS)
    page.press(DOUBLES)
    tap.equal("a click on the trail goes back", names(page), [VECTORS])
    page.evaluate("history.back()")
    page.wait("document.querySelector('.trail strong').textContent.startsWith('APP')")
    page.evaluate("history.forward()")
    page.wait("document.querySelector('.trail strong').textContent.startsWith('(VECTOR')")
    tap.equal("back and forth", names(page), [VECTORS])
    page.press("All")
    tap.ok("out of it again", DOUBLES in names(page), names(page))
    view(page, "&hby=package&hn=60")
    page.press("APP")
    tap.ok("a package by its functions", {VECTORS, THINGS} <= set(names(page)), names(page))
    things = {}
    for i in range(3):
        view(page, f"&hby=function&hn=60&hunit=objects&hmoment={i}")
        things[i] = dict(page.legend()).get(THINGS, 0)
    # The collector is conservative: words on the stack may keep a thing that is no longer in use.
    more = [n - things[0] for n in things.values()]
    tap.ok("objects: an instance and a cons", more[0] == 0 and all(2000 <= n <= 2010 for n in more[1:]), more)
    page.press(THINGS)
    tap.ok("a function by type", {"APP::THING", "CONS"} <= set(names(page)), names(page))


def moments(tap, page):
    view(page)
    page.focus("svg.chart")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    tap.ok("arrow keys choose a snapshot", "hmoment=1" in page.address() and "At snapshot 2," in page.text(".legend"), page.address())
    for wrong in ("&hby=x&hmoment=99&hwithin=7&hopen=7", "&hwithin=[[%22x%22,%22y%22]]&hmoment=-1&hopen=[7]"):
        view(page, wrong)
        tap.ok("what an address says wrongly is not followed", len(names(page)) == 21, names(page))


def threads(tap, page):
    view(page)
    field = "#threads select"
    tap.equal("snapshots have all threads: no field Thread", page.texts(field), [])
    page.page(page.path, "#view=time&thread=APP%3A%3AMAKER")
    tap.equal("... which other views have", page.evaluate("document.querySelector('#threads select').value"), "APP::MAKER")
    before = page.evaluate("mprof.model.total('bytes')")
    page.click("#tab-heap")
    tap.ok("a chosen thread restricts nothing here", page.evaluate("mprof.model.total('bytes')") > before and count(page, ".curve.live") == 1)
    page.click("#tab-time")
    tap.equal("... and is chosen still in the others", (page.evaluate("mprof.model.total('bytes')"), page.texts(field) != []), (before, True))
    tap.equal("no two elements share an id", page.evaluate("""(() => {
        const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
        return ids.filter((id, i) => ids.indexOf(id) !== i); })()"""), [])


def branches(page, moment):
    return page.apply("moment => mprof.heapData.roots(moment)", moment)


def below(found, parent):
    return [one for one in found if one["parent"] >= 0 and found[one["parent"]] is parent]


def tree(tap, page, folder):
    """The table of roots has the figures of mprof heap."""
    tables = {table["name"]: table["rows"] for table in load(f"{folder}/after.json")["tables"]}
    found = branches(page, 2)
    key = lambda row: (row["title"], row["group"], row["shallow"], row["retained"])
    named = lambda sort: {(one["name"], one["group"], one["bytes"], one["retained"]) for one in found if one["sort"] == sort}
    tap.equal("kinds of roots as mprof heap has them", named("kind"), {key(row) for row in tables["kinds"]})
    wanted, shown = {key(row) for row in tables["roots"]}, named("root")
    tap.ok("roots as mprof heap has them", shown and shown <= wanted, shown - wanted)
    kinds = {row["title"]: row["kind"] for row in tables["kinds"]}
    for kind in (one for one in found if one["sort"] == "kind"):
        of = [row for row in tables["roots"] if row["kind"] == kinds[kind["name"]]]
        others = [one for one in below(found, kind) if one["sort"] == "others"]
        roots = [one for one in below(found, kind) if one["sort"] == "root"]
        # Objects that only several roots of the kind together retain have a row, too, which may be among the others.
        shared = sum(one["retained"] for one in below(found, kind) if one["sort"] == "shared")
        together = kind["retained"] - sum(row["retained"] for row in of) - shared
        tap.equal(f"... {kind['name']}: with those that are summed up",
                  (len(roots) + sum(one["left"] for one in others), sum(one["retained"] for one in roots + others)),
                  (len(of) + (together > 0), sum(row["retained"] for row in of) + together))
    wrong = []
    for one in found:
        parts = below(found, one)
        own = one["bytes"] if one["sort"] == "type" else 0
        if parts and own + sum(part["retained"] for part in parts) != one["retained"]:
            wrong.append(one)
    tap.equal("what is beneath a row adds up to what it retains", wrong, [])
    things = next(one for one in found if one["name"] == "APP::*THINGS*")
    held = {row["type"]: (row["objects"], row["shallow"]) for row in load(f"{folder}/things.json")["tables"][-1]["rows"]}
    conses = below(found, things)
    tap.equal("a list is one row", [(one["name"], one["objects"]) for one in conses], [("CONS", 1000)])
    types = {one["name"]: (one["objects"], one["bytes"]) for one in conses + below(found, conses[0])}
    tap.equal("... its objects beneath, as mprof heap --root has them", {name: types.get(name) for name in held}, held)


def roots(tap, page):
    view(page)
    label = "roots"
    tap.equal("kinds of roots are shown, none is open", {row[0] for row in page.rows(label)[1:]},
              {one["name"] or "held by several kinds of roots" for one in branches(page, 2) if one["parent"] == 0})
    head = page.grid(label)["head"]
    tap.equal("columns of figure 10", head, ["root, or type", "group", "objects", "shallow", "%", "retained", "%"])
    tap.equal("all roots retain all", page.rows(label)[0][-1], "100 %" if "100 %" in page.rows(label)[0][-1] else "100.0 %")

    def click(name):
        row = [row[0] for row in page.rows(label)].index(name)
        page.click(f'#view-heap [aria-label="{label}"] .space .row:nth-child({row + 1})')

    click("values of symbols")
    first = next(row for row in page.rows(label) if row[0] == "APP::*VECTORS*")
    tap.ok("a click opens a kind: its roots, with their packages", first[1] == "APP" and reader.number(first[5]) >= 2000 * 8048, first)
    click("APP::*VECTORS*")
    click("CONS")
    tap.ok("... and a root: types of the objects beneath", any(row[0] == DOUBLES and row[2] == "2,000" for row in page.rows(label)), page.rows(label))
    tap.ok("... which the address says", "VECTORS" in page.address(), page.address())
    address = page.address()
    view(page)
    page.page(page.path, address)
    tap.ok("a link opens the same", any(row[0] == DOUBLES for row in page.rows(label)), page.rows(label))
    page.focus("svg.chart")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    tap.ok("another snapshot has its own figures", any(row[0] == DOUBLES and row[2] == "50" for row in page.rows(label)), page.rows(label))
    view(page)
    page.focus("#view-heap [role=treegrid]")
    shown = len(page.rows(label))
    page.key("ArrowLeft")
    tap.equal("a key closes a row", len(page.rows(label)), 1)
    page.key("ArrowRight")
    page.key("ArrowRight")
    page.key("Enter")
    tap.ok("... and keys open them", len(page.rows(label)) > shown and
           count(page, "[aria-expanded=true]") == 2, page.rows(label))
    page.click("#view-heap .bar input")
    page.type("double-float")
    found = [row[0] for row in page.rows(label)]
    tap.ok("a filter shows what matches, and the way to it", {"all roots", "APP::*VECTORS*", DOUBLES} <= set(found), found)
    tap.ok("the limit is stated", "The table has the 1,000 rows that retain most" in page.text("#view-heap .part > .note"), page.text("#view-heap .part > .note"))


def test(tap, page, arguments):
    folder = arguments[0]
    page.path = f"{folder}/grow.html"
    view(page)
    rows(tap, page, folder)
    drawing(tap, page)
    controls(tap, page)
    drill(tap, page)
    moments(tap, page)
    threads(tap, page)
    tree(tap, page, folder)
    roots(tap, page)
    for size in ((1280, 800), (390, 844)):
        page.resize(*size)
        view(page)
        tap.equal(f"no text is cut or lies over another, {size[0]} pixels wide", page.layout(), [])
    page.page(f"{folder}/plain.html", "#view=heap")
    tap.equal("without --heaps there is no such view", page.evaluate("mprof.views.some(view => view.id === 'heap')"), False)


reader.main(test)
# SPDX-License-Identifier: MIT
