"""The view of the heap over time; tests/html/heap.sh says what grows."""

import json

import reader

THINGS, VECTORS = "APP::THINGS (grow.lisp:6)", "APP::VECTORS (grow.lisp:7)"      # as ECL's functions are called

TABLE = """() => [...document.querySelectorAll("#main > .view:not([hidden]) table.heaps tbody tr")]
    .map(row => [...row.cells].map(cell => cell.textContent.trim()))"""

SERIES = """by => ["bytes", "objects"].map(unit => Object.fromEntries(
    mprof.heapData.series(by, unit, []).map(one => [one.name, [...one.values]])))"""

# A place in the band of that name, at the right end of the chart.
BAND = """name => {
    const path = [...document.querySelectorAll("svg.chart path.area")].find(path => path.dataset.series === name);
    const box = path.ownerSVGElement.getBoundingClientRect(), scale = box.width / path.ownerSVGElement.viewBox.baseVal.width;
    const points = path.getAttribute("d").slice(1, -1).split("L").map(text => text.split(" ").map(Number));
    const half = points.length / 2, upper = points[half - 1], lower = points[half];
    return {x: box.left + (upper[0] - 2) * scale, y: box.top + (upper[1] + lower[1]) / 2 * scale};
}"""


def table(page):
    return {row[0]: [reader.number(text) for text in row[1:]] for row in page.apply(TABLE)}


def click_band(page, name):
    place = page.apply(BAND, name)
    page.click_at(place["x"], place["y"])
    page.settle()


def ends(page):
    return page.evaluate("document.querySelectorAll('table.heaps tbody button').length")


def view(page, rest=""):
    page.page(page.path, "#view=heap" + rest)


def rows(tap, page, folder):
    documents = {}
    for by in ("type", "package", "function", "site"):
        with open(f"{folder}/{by}.json", encoding="utf-8") as file:
            documents[by] = json.load(file)
        wanted = [{row["name"]: row[key] for row in documents[by]["rows"]} for key in ("shallow", "objects")]
        tap.equal(f"by {by}: rows as mprof plot has them", page.apply(SERIES, by), wanted)
    taken = documents["type"]["snapshots"]
    for unit, key in (("bytes", "bytes"), ("objects", "objects")):
        view(page, f"&hunit={unit}")
        tap.equal(f"the table adds up to all {unit}", table(page)["all"], [one[key] for one in taken])
    view(page)
    tap.equal("a column for each snapshot", page.texts("table.heaps thead button"), ["before", "2", "after"])
    shown = table(page)
    for row in documents["type"]["rows"]:
        if row["name"] == "(VECTOR DOUBLE-FLOAT)":
            tap.equal("vectors, by snapshot", shown[row["name"]], row["shallow"])
    tap.equal("... as many as were made", shown["(VECTOR DOUBLE-FLOAT)"], [0, 50 * 8048, 2000 * 8048])
    tap.equal("thirteen bands at most", page.evaluate("document.querySelectorAll('svg.chart path.area').length"), 13)


def drawing(tap, page):
    view(page)
    tap.equal("lines", page.evaluate(
        "[...document.querySelectorAll('svg.chart path.curve title')].map(title => title.textContent)"), ["heap, as the system gave it", "live, as recorded"])
    tap.equal("a mark for each collection", page.evaluate("document.querySelectorAll('svg.chart .mark.collection').length"),
              page.evaluate("mprof.model.time.moments.filter(moment => moment.kind === 'collection').length"))
    tap.equal("a dot for each snapshot", page.evaluate("document.querySelectorAll('svg.chart circle.moment').length"), 3)
    tap.equal("the stack is as high as all objects, at each snapshot", page.evaluate("""(() => {
        const chart = document.querySelector("svg.chart"), last = [...chart.querySelectorAll("path.area")].pop();
        const points = last.getAttribute("d").slice(1, -1).split("L").map(text => Number(text.split(" ")[1]));
        const axis = Number(chart.querySelector("line.axis").getAttribute("y1"));
        const upper = points.slice(0, points.length / 2).map(y => axis - y), { snapshots } = mprof.model.heap;
        const all = snapshots[2].bytes;
        return upper.map((high, i) => Math.abs(high / upper[2] - snapshots[i].bytes / all) < 0.01); })()"""), [True] * 3)


def drill(tap, page):
    view(page)
    click_band(page, "(VECTOR DOUBLE-FLOAT)")
    tap.equal("a click on a band goes into it", page.text(".trail strong"), "(VECTOR DOUBLE-FLOAT)")
    shown = table(page)
    tap.equal("... by function", table(page), {f: [0, 50 * 8048, 2000 * 8048] for f in (VECTORS, "all")})
    tap.equal("... which is the end: its site says the same", ends(page), 0)
    click_band(page, VECTORS)
    tap.equal("a click goes no further", page.text(".trail strong"), "(VECTOR DOUBLE-FLOAT)")
    page.evaluate("history.back()")
    page.wait("document.querySelector('.trail') === null")
    page.evaluate("history.forward()")
    page.wait("document.querySelector('.trail') !== null")
    tap.equal("back and forth", list(table(page)), [VECTORS, "all"])
    page.press("All")
    page.settle()
    tap.ok("out of it again", "STRING" in table(page), table(page))
    view(page, "&hby=package")
    page.click("table.heaps button.name", "APP")
    tap.ok("a package by its functions", {VECTORS, THINGS} <= set(table(page)), table(page))
    page.choose(".controls label:nth-of-type(2) select", "obj")
    things = table(page)[THINGS]
    tap.equal("objects: an instance and a cons", [n - things[0] for n in things], [0, 2000, 2000])
    page.click("table.heaps button.name", THINGS)
    things = table(page)
    tap.ok("a function by type", things["APP::THING"][1] - things["APP::THING"][0] == 1000, things)
    tap.equal("... which is the end", ends(page), 0)


def moments(tap, page):
    view(page)
    page.evaluate("document.querySelector('svg.chart').focus()")
    page.key("ArrowLeft")
    tap.ok("arrow keys choose a snapshot", "hat=1" in page.address(), page.address())
    page.click("table.heaps thead button", "before")
    tap.ok("... and so do heads of columns", "hat=0" in page.address(), page.address())
    for wrong in ("&hby=x&hat=99&hin=7", "&hin=[[%22x%22,%22y%22]]&hat=-1"):
        view(page, wrong)
        tap.equal("what an address says wrongly is not followed", list(table(page))[-1], "all")


def test(tap, page, arguments):
    folder = arguments[0]
    page.path = f"{folder}/grow.html"
    view(page)
    rows(tap, page, folder)
    drawing(tap, page)
    drill(tap, page)
    moments(tap, page)
    for size in ((1280, 800), (390, 844)):
        page.resize(*size)
        view(page)
        tap.equal(f"no text is cut or lies over another, {size[0]} pixels wide", page.layout(), [])
    page.page(f"{folder}/plain.html", "#view=heap")
    tap.equal("without --heaps there is no such view", page.evaluate("mprof.views.some(view => view.id === 'heap')"), False)


reader.main(test)
