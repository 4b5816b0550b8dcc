"""One thread of several. The first comment of tests/programs/moments_threads.c states what each thread holds."""

import reader

FIELD = "#threads select"
HELD = {"main": 10000, "reader": 7500, "writer": 3000}
MADE = {"main": 10000, "reader": 10000, "writer": 3000}

# Returns, by series, what was live at each named moment.
SERIES = """way => Object.fromEntries(mprof.timeData.series(way, "bytes", []).map(one => [one.name,
    mprof.timeData.moments().map((moment, i) => [moment.name, one.values[i]]).filter(([name]) => name).map(([, v]) => v)]))"""


def threads(page):
    """Returns the names in the field "Thread"."""
    return page.apply("s => [...document.querySelectorAll(s)].map(option => option.textContent)", f"{FIELD} option")


def select(page, name):
    """Chooses the thread NAME by keys."""
    page.focus(FIELD)
    page.key("Home")
    for _ in range(threads(page).index(name)):
        page.key("ArrowDown")
    page.settle()


def total(page, figure):
    return page.apply("key => mprof.model.total(key)", figure)


def row(page, label, name, title):
    grid = page.grid(label)
    for names, cells in zip(page.names(label), grid["rows"]):
        if names == name:
            return reader.number(cells[grid["head"].index(title)])
    return None


def tables(tap, page, folder):
    page.page(f"{folder}/threads.html", "#view=functions")
    tap.equal("threads have names", [name for name in threads(page) if name in MADE or name == "all"],
              ["all", "main", "reader", "writer"])
    tap.equal("of all: a function", row(page, "functions", "make", "bytes"), sum(MADE.values()))
    with open(f"{folder}/threads.txt", encoding="utf-8") as file:
        expected = dict(zip(("main", "reader", "writer"), map(int, file.read().split())))
    for name in ("main", "reader", "writer"):
        select(page, name)
        tap.equal(f"{name}: bytes, as --thread has them", total(page, "bytes"), expected.get(name))
        tap.equal(f"{name}: a function", [row(page, "functions", "make", t) for t in ("bytes", "itself", "kept")],
                  [MADE[name], MADE[name], HELD[name]])
        tap.ok(f"{name}: others are not in the table", ("reader" if name != "reader" else "writer") not in page.names("functions"), page.names("functions"))
        tap.ok(f"{name}: it is said", f"Only what was allocated in thread {name}." in page.text("#threads"),
               page.text("#threads"))
        tap.ok(f"{name}: the address has it", f"thread={name}" in page.address(), page.address())
    select(page, "reader")
    page.click_row("functions", "make")
    tap.ok("a function's callers are the thread's", "reader" in page.names("callers") and
           "writer" not in page.names("callers"), page.names("callers"))
    select(page, "all")
    tap.ok("... and of all again", {"reader", "writer", "main"} <= set(page.names("callers")), page.names("callers"))
    tap.ok("... said no more", "Only" not in page.text("#threads"), page.text("#threads"))


def flame(tap, page, folder):
    page.page(f"{folder}/threads.html", "#view=flame&figure=bytes&thread=writer")
    tap.ok("flame: all is the thread's", page.walk().startswith("all, 3.00 kB"), page.said())
    tap.ok("flame: its function", page.walk("ArrowDown", "ArrowDown").startswith("make, 3.00 kB, 100"), page.said())
    select(page, "reader")
    page.walk("Escape", "Escape")
    tap.ok("flame: another", total(page, "bytes") >= 10000 and "reader" in page.walk("ArrowDown"), page.said())
    page.page(f"{folder}/threads.html", "#view=flame&figure=live:2&thread=reader")
    moment = page.evaluate("mprof.model.time.moments.findIndex(m => m.name === 'read')")
    tap.equal("flame: alive at a moment", total(page, f"live:{moment}"), HELD["reader"])


def search(tap, page, folder):
    """Completions are sorted by the bytes of the chosen threads. The thread "reader" does not run main."""
    page.page(f"{folder}/threads.html", "#view=flame")
    for thread, words in (("all", ["main", "make"]), ("reader", ["make", "main"]), ("all", ["main", "make"])):
        select(page, thread)
        page.click("#flame-search")
        page.evaluate("document.querySelector('#flame-search').select()")
        page.type("ma")
        tap.equal(f"search: completions in {thread}", page.texts("#flame-words li")[:2], words)


def types(tap, page, folder):
    page.page(f"{folder}/threads.html", "#view=types")
    tap.ok("types: sizes are of all", "Sizes" in page.texts(".view:not([hidden]) .choice button"))
    select(page, "writer")
    tap.equal("types: of the thread", row(page, "types", "blocks of 33 to 256 bytes", "bytes") >= 3000, True)
    tap.ok("types: nothing of others", "blocks of 257 to 2048 bytes" not in page.names("types"), page.names("types"))
    tap.ok("types: no table of sizes", "Sizes" not in page.texts(".view:not([hidden]) .choice button"))
    tap.ok("... which is said", "Of all threads: what was recorded, what is worth a look, sizes." in page.text("#threads"),
           page.text("#threads"))


def overview(tap, page, folder):
    page.page(f"{folder}/threads.html", "#view=overview&thread=writer")
    tap.equal("overview: cards", page.texts(".figure-card strong")[0], "3.00 kB")
    tap.ok("overview: who allocates", page.texts(".allocators tbody th a:first-child")[0] == "make", page.texts(".allocators tbody th a:first-child"))
    select(page, "all")
    page.click(".who .choice button", "bytes")
    tap.ok("overview: of all", page.texts(".allocators tbody td")[0] in ("23.0 kB", "23.00 kB"),
           page.texts(".allocators tbody td"))


def time(tap, page, folder):
    page.page(f"{folder}/threads.html", "#view=time&by=thread")
    series = page.apply(SERIES, "thread")
    tap.equal("time: series by thread", {name: series.get(name) for name in ("reader", "writer")},
              {"reader": [7500, 7500], "writer": [0, 3000]})
    tap.ok("time: main's", series["main"][0] >= 10000, series)
    ways = page.evaluate("[...document.querySelectorAll('.controls option')].map(option => option.textContent)")
    tap.ok("time: they can be chosen", "Thread" in ways, ways)
    legend = "[...document.querySelectorAll('.legend li .name')].map(e => e.textContent)"
    page.click(".legend li .name", "reader")
    tap.ok("time: a click looks into one", "thread" not in page.evaluate("mprof.url.state.by") and
           "make" in page.evaluate(legend), page.evaluate(legend))
    page.page(f"{folder}/threads.html", "#view=time&by=function&thread=writer")
    tap.equal("time: of one thread", page.apply(SERIES, "function")["make"], [0, 3000])
    tap.ok("time: totals of all are not shown as its own", "not known of one" in page.text("#threads")
           and page.evaluate("mprof.timeData.points()") is None, page.text("#threads"))


def others(tap, page, folder):
    page.page(f"{folder}/alone.html", "#view=functions&thread=reader")
    tap.equal("one thread: nothing to choose", page.texts(FIELD), [])
    tap.equal("... and nothing of it in the model", page.evaluate(
        "[mprof.model.threads, mprof.model.cells.thread, mprof.model.time.moments.some(m => m.thread)]"),
        [None, None, False])
    tap.ok("... all is shown", row(page, "functions", "read_all", "bytes") == 100000, page.rows("functions"))
    page.page(f"{folder}/threads.html", "#view=functions&thread=nobody")
    tap.equal("an unknown thread: all", row(page, "functions", "make", "bytes"), sum(MADE.values()))
    page.page(f"{folder}/diff.html", "#view=functions&thread=writer&figure=after%3Abytes")
    tap.equal("of two sides: one thread", [total(page, "before:bytes"), total(page, "after:bytes") >= 3000,
                                           total(page, "after:bytes") < 6000], [0, True, True])
    tap.ok("... what is not of it is said", "Of all threads: the first view." in page.text("#threads"), page.text("#threads"))


def lisp(tap, page, folder):
    page.page(f"{folder}/lisp.html", "#view=functions")
    with open(f"{folder}/lisp.txt", encoding="utf-8") as file:
        expected = [int(number) for number in file.read().split()]
    got = []
    for name in ("worker 1", "worker 2"):
        select(page, name)
        got.append(total(page, "bytes"))
    tap.equal("Lisp: threads by the names that it gave, as --thread has them", got, expected)


def test(tap, page, arguments):
    folder = arguments[0]
    for part in (tables, flame, search, types, overview, time, others):
        part(tap, page, folder)
    if "lisp" in arguments:
        lisp(tap, page, folder)
    else:
        tap.skip("threads of Lisp", "configured --without-ecl")


reader.main(test)
# SPDX-License-Identifier: MIT
