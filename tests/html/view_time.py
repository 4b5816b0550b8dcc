"""The view "Time". The first comment of tests/programs/moments.c states what is live at each checkpoint."""

import reader

ALIVE = {"loaded": {"read_all": 100000}, "indexed": {"read_all": 100000, "index_all": 100000},
         "dropped": {"index_all": 100000}}

# Returns the positions of the moments in the window, with their names or kinds.
MOMENTS = """() => {
    const dots = [...document.querySelectorAll("svg.chart circle.moment")].map(e => e.getBoundingClientRect());
    return mprof.timeData.moments().map((moment, i) => ({name: moment.name || moment.kind,
        x: dots[i].left + dots[i].width / 2, y: dots[i].top - 60}));
}"""


def legend(page):
    """Returns names and figures in the order of the legend, except figures that are 0."""
    return [(name, figure) for name, figure in page.legend() if figure]


def names(page):
    return [name for name, _ in page.legend()]


def choose_moment(page, name):
    moment = next(m for m in page.apply(MOMENTS) if m["name"] == name)
    page.click_at(moment["x"], moment["y"])


def following(tap, page):
    """Between moments, only the total is drawn. The test inserts a total of 12,345 bytes between each two moments."""
    where = page.apply("""() => {
        const data = mprof.timeData, all = data.moments(), list = data.series("function", "bytes", []);
        const times = [], totals = [];
        for (let m = 1; m < all.length; m++)
            if (all[m].time > all[m - 1].time + 1) {
                times.push(Math.floor((all[m].time + all[m - 1].time) / 2));
                totals.push(12345);
            }
        const few = mprof.series.following(list, all, times, totals, 1), sum = i =>
            few.values.reduce((whole, one) => whole + one[i], 0);
        const between = few.times.map((time, i) => [time, i]).filter(([time]) => times.includes(time)).map(([, i]) => i);
        return { points: times.length, found: between.length, parts: between.map(sum), rest: between.map(i => few.rest[i]),
            both: few.times.filter((_, i) => few.rest[i] > 0 && few.counted[i]).length,
            counted: all.every(moment => few.times.some((time, i) => time === moment.time && few.counted[i])),
            joined: mprof.series.following(list, all, times, totals, Infinity).times.length >= all.length,
            heap: mprof.series.following(list, all, [], null, Infinity).times.length === all.length };
    }""")
    tap.ok("between moments there is only the total",
           where["points"] > 0 and where["found"] == where["points"] and not any(where["parts"]) and
           set(where["rest"]) == {12345} and where["both"] == 0, where)
    tap.ok("... and moments have their parts", where["counted"] and where["joined"] and where["heap"], where)
    tap.ok("... and the view says so", "was not counted" in page.text("#view-time > .note"), page.text("#view-time > .note"))


def moments(tap, page):
    page.page(page.path, "#view=time&by=function")
    for name, alive in ALIVE.items():
        choose_moment(page, name)
        tap.ok(f"a click chooses the moment: {name}", f"At checkpoint {name}," in page.text(".legend"),
               page.text(".legend"))
        tap.equal("... and the legend says what lived then", dict(legend(page)), alive)
    names = [m["name"] for m in page.apply(MOMENTS)]
    before = names[names.index("dropped") - 1]
    page.key("ArrowLeft")
    tap.ok("arrow keys go on to others", before in page.text(".legend p"), page.text(".legend p"))
    page.evaluate("history.back()")
    page.wait("document.querySelector('.legend').innerText.includes('dropped')")
    tap.equal("back", dict(legend(page)), ALIVE["dropped"])
    tap.equal("series add up to what was alive, at each moment", page.evaluate("""(() => {
        const data = mprof.timeData, list = data.series("line", "bytes", []);
        return data.moments().map((_, m) => list.reduce((sum, one) => sum + one.values[m], 0)); })()"""),
              page.evaluate("""mprof.timeData.moments().map((_, m) =>
                  mprof.model.total(mprof.timeData.figureOf(m, "bytes")))"""))
    tap.equal("... as the points have it", page.evaluate("""(() => {
        const data = mprof.timeData, list = data.series("line", "bytes", []), points = data.points();
        return data.moments().map((moment, m) => [list.reduce((sum, one) => sum + one.values[m], 0),
            points.live.filter((_, i) => points.time[i] === moment.time)])
            .filter(([sum, seen]) => seen.length && !seen.includes(sum)); })()"""), [])
    following(tap, page)
    page.press("Flame graph at this moment")
    index = page.evaluate("mprof.model.time.moments.findIndex(m => m.name === 'dropped')")
    tap.ok("a click leads to the flame graph of the moment",
           "view=flame" in page.address() and f"figure=live%3A{index}" in page.address(), page.address())


def controls(tap, page):
    page.page(page.path, "#view=time&by=function&unit=blocks")
    # mprof run observes resident memory at intervals, so that it is known by chance for a short process. The choice of
    # bytes draws the controls again.
    page.evaluate("{ const points = mprof.timeData.points(); points.resident = points.live; }")
    page.choose(".controls label:nth-of-type(2) select", "by")
    tap.ok("marks, and what is alive in all, are drawn",
           page.count(".mark.checkpoint") == 3 and page.count(".curve.live") == 1)
    page.click("label.toggle", "resident memory")
    for name, selector in (("marks", ".mark"), ("alive in all", ".curve.live"),
                           ("resident memory", ".curve.resident")):
        page.click("label.toggle", name)
        tap.equal(f"toggled off: {name}", page.count(selector), 0)
        page.click("label.toggle", name)
        tap.ok("... and on", page.count(selector) > 0)
    page.choose(".controls label:nth-of-type(2) select", "bl")
    choose_moment(page, "indexed")
    tap.equal("blocks", dict(legend(page)), {"read_all": 100, "index_all": 50})
    page.choose(".controls label:nth-of-type(2) select", "by")
    choose_moment(page, "dropped")
    page.press("Sort by this moment")
    tap.equal("sorted by a moment", names(page)[0], "index_all")
    page.choose(".controls label:nth-of-type(3) select", "m")       # at the first letter, the controls are drawn again
    tap.equal("sorted by the mean", names(page)[0], page.evaluate(
        "mprof.series.ranked(mprof.timeData.series('function', 'bytes', []), mprof.timeData.moments(), null)[0].name"))
    first = names(page)[0]
    page.click("label.toggle", "shares")
    tap.ok("shares end at 100 %", "100%" in page.texts("svg.chart text"), page.texts("svg.chart text"))
    page.click("label.toggle", "logarithmic")
    tap.ok("a logarithmic scale has its powers", {"1.00 kB", "10.0 kB", "100 kB"} <= set(page.texts("svg.chart text")),
           page.texts("svg.chart text"))
    page.click("label.toggle", "logarithmic")
    page.focus("input[type=range]")
    page.key("Home")
    tap.equal("the slider sets how many series there are", names(page),
              [first, "others (1)"])
    tap.ok("... and the address says so", "n=1" in page.address(), page.address())
    other = ({"read_all", "index_all"} - {first}).pop()
    page.click(".adder input")
    page.type(other[:4])
    tap.equal("a search completes names of series",
              page.evaluate("[...document.querySelectorAll('#time-names option')].map(o => o.value)"), [other])
    page.key("Enter")
    tap.equal("... and adds one", names(page), [first, other])
    page.click("#main button", f"Put {other} to the others")
    tap.equal("a series is put to the others", names(page), [first, "others (1)"])


def keyboard(tap, page):
    """A control keeps the focus when its choice rebuilds the view, so that keys still go to it."""
    page.page(page.path, "#view=time&by=function")
    for name, keys in (("By", "t2"), ("Unit", "b2"), ("Sort by", "c2")):
        page.focus(f"#view-time select[name='{name}']")
        before = page.address()
        page.key(keys[0])
        tap.ok(f"{name} is chosen by a key", page.address() != before, before)
        page.key(keys[1])
        tap.equal(f"{name} keeps the focus", page.evaluate("document.activeElement.name"), name)
        tap.ok("... and keys typed there are no shortcuts", "view=time" in page.address(), page.address())
    page.click("label.toggle", "shares")
    tap.equal("a check box keeps it, too", page.evaluate("document.activeElement.name"), "shares")


def percents(tap, page):
    tap.equal("percents are rounded, and only all is 100 %",
              page.evaluate("[[1098, 10000], [1094, 10000], [3999, 10000], [9999, 10000], [1, 1], [1, 5000], [0, 1]]"
                            ".map(([part, whole]) => mprof.format.share(part, whole))"),
              ["11.0 %", "10.9 %", "40.0 %", "99.9 %", "100.0 %", "< 0.1 %", "0.0 %"])


def zoom(tap, page):
    page.page(page.path, "#view=time&by=function")
    all_moments = page.apply(MOMENTS)
    where = {m["name"]: m for m in all_moments}
    page.drag((where["loaded"]["x"] + 20, where["loaded"]["y"]), (where["dropped"]["x"] + 20, where["dropped"]["y"]))
    between = [m for m in all_moments if where["loaded"]["x"] + 20 < m["x"] < where["dropped"]["x"] + 20]
    tap.equal("a drag zooms", page.count("circle.moment"), len(between))
    tap.ok("... to less than all", 2 <= len(between) < len(all_moments), where)
    tap.ok("... and the address says so", "t0=" in page.address() and "t1=" in page.address(), page.address())
    page.press("Whole time")
    tap.equal("... and back", page.count("circle.moment"), len(all_moments))
    page.focus("svg.chart")
    page.key("+")
    tap.ok("a key zooms", "t0=" in page.address(), page.address())
    page.key("-")
    page.page(page.path, "#view=time&by=function&t0=1e6&t1=1000000.0000000002")
    tap.equal("an address with a range of almost no time shows the whole time", page.count("circle.moment"), len(all_moments))


def drill(tap, page):
    page.page(page.path, "#view=time&by=module")
    choose_moment(page, "dropped")
    page.press("moments")
    tap.ok("a click on a module leads to its functions", "by=function" in page.address(), page.address())
    tap.equal("... all of it", dict(legend(page)), ALIVE["dropped"])
    page.press("index_all")
    tap.ok("a click on a function leads to its lines",
           "by=line" in page.address() and sum(f for _, f in legend(page)) == 100000, legend(page))
    page.press("All")
    tap.ok("... and back to all modules", "by=module" in page.address()
           and "moments" in dict(legend(page)), page.address())
    page.press("Copy as text")
    tap.ok("copied as text", "moments" in page.copied() and "100000" in page.copied(), page.copied())


def peak(tap, page):
    """The view begins with functions, at the peak, and one click shows this point in time."""
    page.page(page.path, "#view=time")
    alive = page.evaluate("mprof.timeData.moments().map((_, m) => mprof.model.total(mprof.timeData.figureOf(m, 'bytes')))")
    tap.equal("functions come first", page.text("select[name=By] option:checked"), "Function")
    tap.equal("the cursor is at the peak", (page.count("line.instant"), sum(figure for _, figure in legend(page))), (1, max(alive)))
    page.press("Functions at this moment")
    tap.equal("one click shows the places of this point in time", sum(reader.number(row[2]) for row in page.tree("bottom-up")), max(alive))


# Returns the area below the curves of rates in the page, and the totals that they must have.
AREAS = """(() => { const list = mprof.timeData.curves("bytes", []).list, area = key => {
        const curve = list.find(each => each.key === key);
        return curve ? Math.round(curve.values.reduce((sum, value, i) => i % 2 ? sum + value * (curve.times[i] - curve.times[i - 1]) / 1e9 : sum, 0))
            : 0;
    };
    return [[area("allocs"), area("temporary")], [mprof.model.total("allocs"), mprof.model.total("temporary")]]; })()"""


def rates(tap, page, path):
    page.page(path, "#view=time")
    found, wanted = page.evaluate(AREAS)
    tap.ok("there are temporary blocks", wanted[1] > 0, wanted)
    tap.equal("rates add up to all", found, wanted)
    for key in ("allocs", "temporary"):
        title = page.evaluate(f"mprof.timeData.curves('bytes', []).list.find(each => each.key === '{key}').title")
        tap.ok(f"the largest rate is said: {title}", "per second (up to" in title, title)
        page.click("label.toggle", title)
        tap.equal("... and its curve can be shown", page.count(f".curve.{key}"), 1)


def test(tap, page, arguments):
    folder = arguments[0]
    page.path = f"{folder}/moments.html"
    moments(tap, page)
    controls(tap, page)
    keyboard(tap, page)
    percents(tap, page)
    zoom(tap, page)
    drill(tap, page)
    peak(tap, page)
    rates(tap, page, f"{folder}/rounds.html")
    page.page(f"{folder}/off.html", "#view=time")
    tap.equal("without a time line there is no such view", page.texts("#tabs [role=tab]").count("Time"), 0)
    tap.ok("... and the link shows another", page.texts("#main > .view:not([hidden])") != [])


reader.main(test)
# SPDX-License-Identifier: MIT
