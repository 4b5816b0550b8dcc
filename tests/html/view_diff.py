"""Pages of two sides. The first comment of tests/programs/changed.c states what each function allocates."""

import re

import reader

FRAMES = "#flame-canvas"
CHANGED = '[aria-label="functions that changed"] tbody tr'


def row_of_frames(page, depth):
    """Walks through the row at DEPTH from left to right, and returns the descriptions of its frames."""
    found = [page.walk("Home", *["ArrowDown"] * depth)]
    while True:
        page.key("ArrowRight")
        if page.said() == found[-1]:
            return found
        found.append(page.said())


def rows(page, label):
    """Returns the rows of a grid as {name: (change, became)}."""
    grid = page.grid(label)
    change, became = grid["head"].index("change"), grid["head"].index("became")
    return {name: (row[change], row[became]) for name, row in zip(page.names(label), grid["rows"])}


def overview(tap, page, folder):
    page.page(f"{folder}/two.html")
    tap.equal("the title", [page.text("h1"), page.text("#summary")],
              ["after: what changed", "The sum of bytes allocated grew by 400 (3.3 %), from 12,200 to 12,600."])
    tap.equal("the first view begins with words", page.text("#main h2"), "What changed")
    tap.equal("... what is new, gone, grown, shrunk", page.texts(".changed-words li")[2:6], [
        "New 2 chains, +5,000 in all: main > other_caller > moved (+3,000), main > fresh (+2,000).",
        "Gone 2 chains, -4,000 in all: main > one_caller > moved (-3,000), main > gone (-1,000).",
        "Grown main > grown (+1,500).", "Shrunk main > shrunk (-2,100)."])
    head = page.text(".head-table")
    tap.ok("the head says what is compared", all(re.search(text, head) for text in (
        r"before\.data: \./before 10", r"after\.data: \./after 40", "bytes allocated", "functions are matched by name")), head)
    tap.equal("cards", page.texts(".figure-card strong"), ["+400 B", "+2.50 kB", "+2.50 kB", "\u221230"])
    tap.equal("functions, what changed most first", page.texts(f"{CHANGED} > *"), [
        "\u22122,100", "shrunk", "6,300", "4,200", "shrunk", "+2,000", "new", "0", "2,000", "fresh",
        "+1,500", "grown", "500", "2,000", "grown", "\u22121,000", "gone", "1,000", "0", "gone"])
    tap.equal("views", page.texts("[role=tab]"), ["Overview", "Flame graph", "Functions", "Types"])
    page.click(f"{CHANGED} a", "fresh")
    tap.equal("a click on a function leads to its page", page.title(), "fresh")
    page.page(f"{folder}/two.html")
    page.click(".figure-card", None)
    tap.ok("a click on a card leads to the flame graph of it", "figure=change%3Abytes" in page.address()
           and page.text("#tab-flame") == page.text("[aria-selected=true]"), page.address())


def flame(tap, page, folder):
    page.page(f"{folder}/two.html", "#view=flame")
    tap.ok("flame: all", page.walk("Home").startswith("all, +400 B, "), page.said())
    frames = [re.sub(r" %, .*callees?, ", " %, ", text) for text in row_of_frames(page, 2)]
    tap.equal("flame: widths are of changes, the largest first; signs and words", frames, [
        "one_caller, \u22123.00 kB, 23.8 %, gone: 3,000 before, 0 after",
        "other_caller, +3.00 kB, 23.8 %, new: 0 before, 3,000 after",
        "shrunk, \u22122.10 kB, 16.7 %, shrunk: 6,300 before, 4,200 after",
        "fresh, +2.00 kB, 15.9 %, new: 0 before, 2,000 after",
        "grown, +1.50 kB, 11.9 %, grown: 500 before, 2,000 after",
        "gone, \u22121.00 kB, 7.9 %, gone: 1,000 before, 0 after"])
    tap.equal("flame: the legend tells colours", page.texts(".flame-legend li")[:3],
              ["more than before", "less than before", "as much as before, in all"])
    hatched = page.evaluate("""(() => {
        const lines = canvas => { const d = canvas.getContext("2d").getImageData(8, 8, 40, 16).data, seen = new Set();
            for (let i = 0; i < d.length; i += 4) seen.add(d.slice(i, i + 3).join()); return seen.size; };
        return [...document.querySelectorAll(".flame-legend canvas")].map(lines).map(n => n > 1);
    })()""")
    tap.equal("flame: what is less is hatched, what is more is not", hatched, [False, True, False])
    page.click("#flame-reverse")
    tap.ok("flame, by allocating function: what moved is as before", not any(
        text.startswith(("one_caller", "other_caller")) for text in row_of_frames(page, 1)), page.said())
    moved = next(text for text in row_of_frames(page, 1) if text.startswith("moved"))
    tap.ok("... in all", moved.startswith("moved, 0 B, 47.6 %") and moved.endswith("as before: 3,000 before, 3,000 after"), moved)
    page.page(f"{folder}/two.html", "#view=flame&figure=before:bytes")
    tap.ok("flame: what was before, by itself", page.walk("Home").startswith("all, 12.2 kB"), page.said())
    tap.ok("... what is new is not there", not any(text.startswith("fresh") for text in row_of_frames(page, 2)), page.said())
    x, y = page.place(FRAMES)
    page.page(f"{folder}/two.html", "#view=flame")
    page.mouse("mouseMoved", x - 40, page.box(FRAMES)[1] + 33)
    page.settle()
    tap.ok("flame: the tip says it, too", "12,200 before, 12,600 after" in (page.text("#flame-tip") or ""), page.text("#flame-tip"))


def tables(tap, page, folder):
    page.page(f"{folder}/two.html", "#view=functions")
    expected = {
        "one_caller": ("\u22123,000", "gone"), "other_caller": ("+3,000", "new"), "shrunk": ("\u22122,100", "shrunk"),
        "fresh": ("+2,000", "new"), "grown": ("+1,500", "grown"), "gone": ("\u22121,000", "gone"), "main": ("+400", "grown"),
        "same": ("0", "="), "renamed": ("0", "="), "moved": ("0", "=")}
    tap.equal("functions: change, and what became of them", rows(page, "functions"), expected)
    tap.equal("functions: what changed most comes first", [abs(reader.number(row[0].replace("+", ""))) for row in page.rows("functions")],
              [3000, 3000, 2100, 2000, 1500, 1000, 400, 0, 0, 0])
    tap.equal("functions: columns", page.grid("functions")["head"],
              ["change", "itself", "before", "after", "became", "function", "module"])
    page.click_row("functions", "moved")
    tap.equal("sandwich: callers", rows(page, "callers"), {"one_caller": ("\u22123,000", "gone"), "other_caller": ("+3,000", "new")})
    tap.ok("sandwich: both sides", "3,000 before, 3,000 after" in page.text("section.middle"), page.text("section.middle"))
    page.click_row("callers", "one_caller")
    tap.equal("sandwich: a click leads on", [page.title(), rows(page, "callees")], ["one_caller", {"moved": ("\u22123,000", "gone")}])
    page.page(f"{folder}/two.html", "#view=functions&figure=change:allocs")
    found = rows(page, "functions")
    tap.equal("functions: by another figure", [found[f] for f in ("grown", "shrunk", "fresh", "main")],
              [("+30", "grown"), ("\u221230", "shrunk"), ("+1", "new"), ("0", "=")])
    page.page(f"{folder}/two.html", "#view=functions&table=up")
    page.open_rows("bottom-up", "moved")
    tap.ok("bottom-up", ["one_caller", "", "\u22123,000", "3,000", "0", "gone"] in page.tree("bottom-up"), page.tree("bottom-up"))
    page.page(f"{folder}/two.html", "#view=types")
    tap.equal("size classes", rows(page, "types"), {"blocks of 257 to 2048 bytes": ("+1,000", "grown"),
                                                    "blocks of 33 to 256 bytes": ("\u2212600", "shrunk"),
                                                    "blocks over 2048 bytes": ("0", "=")})
    page.click_row("types", "blocks of 33 to 256 bytes")
    tap.equal("... who", {name: row for name, row in rows(page, "who allocates it").items() if row[1] != "="},
              {"grown": ("+1,500", "grown"), "shrunk": ("\u22122,100", "shrunk")})


def others(tap, page, folder):
    page.page(f"{folder}/same.html")
    tap.equal("nothing differs from itself", [page.texts(CHANGED), set(page.texts(".figure-card strong"))], [[], {"no change"}])
    page.page(f"{folder}/same.html", "#view=flame")
    tap.ok("... and the graph says so", "Nothing to show" in page.text("#main"), page.text("#main"))
    page.page(f"{folder}/kept.html")
    tap.ok("a part says so", "Only what was allocated of --function=" in page.text(".part-card"), page.text(".part-card"))
    page.page(f"{folder}/kept.html", "#view=flame")
    tap.ok("... and --cost is the figure that is shown first", page.walk("Home").startswith("all, +500 B, "), page.said())
    page.page(f"{folder}/several.html")
    tap.ok("several runs: the page says which are shown", "are of few2.data and more2.data alone" in page.text("#main"), page.text("#main"))
    tap.ok("... and the noise", "medians of 3 and 3 runs" in page.text(".head-table"), page.text(".head-table"))
    page.page(f"{folder}/several.html", "#view=functions")
    tap.equal("... which the figures are of", rows(page, "functions")["grown"], ("+2,500", "grown"))
    page.page(f"{folder}/sampled.html")
    tap.ok("what is not comparable is said", re.search("before whole chains, after the last 2 callers", page.text(".head-table"))
           and re.search("before exact, after one sample", page.text(".head-table")), page.text(".head-table"))
    tap.ok("... and that figures are estimates", "estimates" in page.text("#summary"), page.text("#summary"))
    page.page(f"{folder}/moments.html")
    tap.equal("moments: what lived, and nothing else", page.texts(".figure-card"), [
        "Bytes alive\n\u221225.0 kB\n100 kB \u2192 75.0 kB\n\u221225.0 %"])
    page.page(f"{folder}/moments.html", "#view=functions")
    found = rows(page, "functions")
    tap.equal("moments: functions", [found["alpha"], found["beta"]], [("\u221240,000", "shrunk"), ("+15,000", "new")])


def hostile(tap, page, folder):
    page.page(f"{folder}/odd.html")
    tap.equal("odd names are no elements", page.evaluate("[document.images.length, document.querySelectorAll('[onclick]').length]"), [0, 0])
    tap.ok("... and no scripts", page.evaluate("document.title").endswith("mprof"), page.evaluate("document.title"))
    text = page.text("#main")
    tap.ok("... but what they are: function, file and argument", all(name in text for name in (
        "<img src=x:y z>", "<b onclick=x>.data", '</pre><script>document.title = "run"</script>')), text)
    page.page(f"{folder}/odd.html", "#view=functions")
    tap.equal("... in tables", rows(page, "functions").get("<img src=x:y z>"), ("+2,000", "new"))


def perl(tap, page, folder, more):
    page.page(f"{folder}/perl.html", "#view=functions")
    tap.equal("perl: the sum of all changes is what one file has more than the other",
              page.evaluate("mprof.model.self('change:bytes').reduce((a, b) => a + b)"), more)
    found = rows(page, "functions")
    tap.equal("... as is main's", found["main"], (f"+{more:,}", "grown"))


def looks(tap, page, folder, pictures, names):
    for width, height, scheme in ((1280, 900, "light"), (1280, 900, "dark"), (390, 844, "light"), (390, 844, "dark")):
        page.resize(width, height, scheme)
        for name in names:
            for view in ("overview", "flame", "functions", "functions&table=up", "functions&table=down", "functions&function=3",
                         "functions&figure=before:bytes", "types"):
                page.page(f"{folder}/{name}.html", f"#view={view}")
                tap.equal(f"{name}, {view}, {width} pixels, {scheme}: nothing is cut or overlaps", page.layout(), [])
                page.screenshot(f"{pictures}/diff-{name}-{re.sub('[^a-z]', '-', view)}-{width}-{scheme}.png")


def test(tap, page, arguments):
    folder, pictures, *more = arguments
    overview(tap, page, folder)
    flame(tap, page, folder)
    tables(tap, page, folder)
    others(tap, page, folder)
    hostile(tap, page, folder)
    if more:
        perl(tap, page, folder, int(more[0]))
    else:
        tap.skip("perl", "it is not installed")
    looks(tap, page, folder, pictures, ["two", "several", "sampled"] + ["perl"] * len(more))


reader.main(test)
# SPDX-License-Identifier: MIT
