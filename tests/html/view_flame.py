"""Overview and flame graph."""

import re

import reader

ROW = 22                        # pixels of a row of frames
CRUMBS = ".flame-crumbs li"
TITLE = ".flame-panel h3"
FRAMES = "#flame-canvas"


def totals(folder):
    with open(f"{folder}/costs.txt", encoding="utf-8") as file:
        return {key: int(value) for key, value in re.findall(r"^(\S+) (\d+)$", file.read(), re.MULTILINE)}


def name(page):
    """Returns the name of the chosen frame."""
    return page.said().split(",")[0]


def crumbs(page):
    return page.texts(CRUMBS)


def titled(page, text):
    """Waits until the panel, which is updated later, has the title TEXT, and returns the title."""
    page.wait(f"document.querySelector({TITLE!r}).textContent === {text!r}")
    return page.text(TITLE)


def click_frame(page, row, part):
    """Clicks on ROW of the drawing, at the fraction PART of its width."""
    left, top, width = page.box(FRAMES)
    page.click_at(left + part * width, top + row * ROW + ROW / 2)


def down(page):
    """Moves down, and returns the name of the frame that is chosen then."""
    page.key("ArrowDown")
    return name(page)


def keys(tap, page):
    page.page(page.path, "#view=flame")
    page.focus(FRAMES)
    tap.equal("the graph says where the keys are", name(page), "all")
    tap.equal("down is what was called", down(page), "main")
    tap.equal("... the widest first", down(page), "spend")
    tap.ok("... with its figure, as people read it", page.said().startswith("spend, 180 kB, "), page.said())
    page.key("ArrowRight")
    tap.equal("right is the next one", name(page), "phase")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    tap.equal("left is the one before, and ends there", name(page), "spend")
    titled(page, "spend")
    page.click(".flame-panel a.button", "Callers and callees")
    tap.equal("... and its page is one click away", page.title(), "spend")
    page.page(page.path, "#view=flame")
    page.focus(FRAMES)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.key(key)
    tap.equal("Enter lets it have the whole width", crumbs(page), ["all", "main", "phase"])
    tap.ok("... which is in the address", "node=" in page.address(), page.address())
    address = page.address()
    page.key("Escape")
    tap.equal("Escape goes one out", crumbs(page), ["all", "main"])
    page.page(page.path, address)
    tap.equal("a link shows what it was taken from", crumbs(page), ["all", "main", "phase"])


def clicks(tap, page, folder):
    page.page(page.path, "#view=flame")
    click_frame(page, 2, 0.05)
    tap.equal("a click lets a frame have the whole width", crumbs(page), ["all", "main", "spend"])
    tap.equal("... the panel is about it", titled(page, "spend"), "spend")
    rows = page.texts(".flame-panel .facts-table tr")
    tap.ok("... with all figures", any(re.match(r"Allocated\s+180 kB\s+3\s", row) for row in rows), rows)
    tap.equal("... exactly", page.evaluate(
        "document.querySelector('.flame-panel .facts-table td').title"), "180,000 bytes")
    tap.equal("... and what it calls", page.texts(".flame-children .name"), ["get"])
    page.click(".flame-children button")
    tap.equal("a click there goes on", crumbs(page), ["all", "main", "spend", "get"])
    page.evaluate("history.back()")
    page.wait("document.querySelectorAll('.flame-crumbs li').length === 3")
    tap.equal("the browser's button goes back", crumbs(page), ["all", "main", "spend"])
    page.click(".flame-crumbs button", "main")
    tap.equal("breadcrumbs lead out", crumbs(page), ["all", "main"])
    page.press("Copy chain")
    tap.ok("a chain can be copied", re.match(r"main \(costs\.c:\d+ \(37\.\d %\), \d+ .*, 3 more lines\)$", page.copied()), page.copied())
    page.focus("#flame-figure")
    for _ in range(4):
        page.key("ArrowDown")
    tap.ok("figures are chosen by keys, one after the other", "figure=peak" in page.address(), page.address())
    page.page(page.path, "#view=flame&figure=temporary")
    page.focus(FRAMES)
    page.key("ArrowDown")
    tap.ok("temporary blocks", page.said().startswith("main, "), page.said())
    tap.equal("... of whom", down(page), "churn")
    tap.equal("... all that the totals have", page.evaluate("mprof.model.total('temporary')"),
              totals(folder)["temporary"])


def tooltip(tap, page):
    page.page(page.path, "#view=flame")
    left, top, _ = page.box(FRAMES)
    page.mouse("mouseMoved", left + 30, top + 2.5 * ROW)
    page.settle()
    tap.ok("a tooltip says what a frame is", re.match(r"spend\s+costs · costs\.c:\d+ \(66\.7 %\), \d+ \(33\.3 %\)\s+180,000 bytes \(180 kB\)\s+\d\d\.\d % of all",
                                                       page.text("#flame-tip")), page.text("#flame-tip"))
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    tap.ok("... and goes", page.evaluate("document.getElementById('flame-tip').hidden"))


def search(tap, page, folder):
    page.page(page.path, "#view=flame")
    page.key("/")
    page.type("phase")
    share = 100 * 150000 / totals(folder)["bytes"]
    tap.equal("a search says what share it matches", page.text("#flame-matched"), f"{share:.1f} % matched")
    tap.ok("... and is in the address", "search=phase" in page.address(), page.address())
    page.key("Enter")
    page.key("n")
    tap.equal("n goes to what was found", name(page), "phase")
    page.page(page.path, "#view=flame")
    page.click("#flame-search")
    page.type("ga")
    tap.equal("names are completed", page.texts("#flame-words li"), ["gather"])
    page.key("ArrowDown")
    page.key("Enter")
    tap.equal("... by keys", page.evaluate("document.getElementById('flame-search').value"), "gather")
    page.page(page.path, "#view=flame&search=/^(phase|churn)$/")
    share = 100 * (150000 + 80000) / totals(folder)["bytes"]
    tap.equal("a regular expression", page.text("#flame-matched"), f"{share:.1f} % matched")
    page.page(page.path, "#view=flame&search=/(/")
    tap.equal("... that is none finds nothing", page.text("#flame-matched"), "0.0 % matched")
    page.page(page.path, "#view=flame&search=costs")
    tap.ok("a module", float(page.text("#flame-matched").split()[0]) > 99, page.text("#flame-matched"))


def reverse(tap, page):
    page.page(page.path, "#view=flame")
    page.click("#flame-reverse")
    tap.ok("a button is pressed", page.evaluate("document.getElementById('flame-reverse').ariaPressed") == "true")
    page.focus(FRAMES)
    tap.equal("chains begin with who allocates", down(page), "get")
    tap.equal("... then who called it", down(page), "spend")
    tap.equal("... and so on", down(page), "main")
    page.key("Enter")
    tap.equal("... as far as one likes", crumbs(page), ["all", "get", "spend", "main"])
    titled(page, "main")
    rows = page.texts(".flame-panel .facts-table tr")
    tap.ok("... with what came this way", any(re.match(r"Allocated\s+180 kB\s+3\s", row) for row in rows), rows)
    address = page.address()
    page.page(page.path, address)
    tap.equal("... also by a link", crumbs(page), ["all", "get", "spend", "main"])
    page.page(page.path, "#view=flame&flame=1")
    page.focus(FRAMES)
    page.key("ArrowUp")
    tap.equal("upwards, up is what was called", name(page), "main")


def folded(tap, page, folder):
    def deepest():
        """Goes down as far as possible, and returns the level of the last frame."""
        page.focus(FRAMES)
        before, now = "", page.said()
        while now != before:
            page.key("ArrowDown")
            before, now = now, page.said()
        return int(re.search(r"level (\d+)", now)[1])

    page.page(f"{folder}/trees.html", "#view=flame")
    total = page.evaluate("mprof.model.total('bytes')")
    deep = deepest()
    page.key("c")
    page.page(f"{folder}/trees.html", page.address())
    flat = deepest()
    tap.ok("a recursion can be folded", deep > 8 and flat < deep / 2, (deep, flat))
    page.key("Home")
    tap.ok("... nothing is lost", page.apply("total => document.querySelector('#flame-said').textContent.includes("
                                             "mprof.format.bytes(total))", total), page.said())


def overview(tap, page, folder):
    page.page(page.path, "")
    tap.equal("the overview comes first", page.text("[role=tab][aria-selected=true]"), "Overview")
    bytes_ = totals(folder)
    tap.ok("... with the figures", re.search(rf"Allocations\s+{bytes_['allocs']:,}\s+{bytes_['bytes']:,} bytes",
                                             page.text(".head-table")), page.text(".head-table"))
    tap.equal("... and who has most of the peak", page.texts(".allocators tbody th a:first-child")[0], "phase")
    page.click(".who .choice button", "bytes")
    tap.equal("... and who allocates", page.texts(".allocators tbody th a:first-child")[0], "spend")
    tap.ok("... with the lines", re.match(r"spend costs\.c:\d+ costs\.c:\d+$", page.texts(".allocators tbody th")[0]),
           page.texts(".allocators tbody th"))
    page.click(".allocators tbody a", "spend")
    tap.equal("... whose pages are one click away", page.title(), "spend")
    page.page(page.path, "")
    page.click(".figure-card:nth-child(2) .whole")
    tap.ok("a figure leads to its places", all(part in page.address() for part in ("view=functions", "table=up", "figure=peak")),
           page.address())
    page.key("1")
    tap.equal("digits are the tabs", page.text("[role=tab][aria-selected=true]"), "Overview")
    page.key("?")
    tap.ok("? lists the keys", "Flame graph" in (page.text("dialog") or ""), page.text("dialog"))
    page.key("Escape")
    page.settle()
    tap.equal("... and Escape closes them", page.text("dialog"), None)


def odd(tap, page, folder):
    page.page(f"{folder}/odd.html", "#view=flame")
    names = page.evaluate("mprof.model.functions.name")
    tap.ok("odd names are names", "</script><b>Q\"'" in names and "<img src=x:y z>" in names, names)
    tap.ok("... of which none turns the line", all("\u202e" not in n for n in names)
           and any("\\u202e" in n for n in names), names)
    page.focus(FRAMES)
    for _ in range(6):
        page.key("ArrowDown")
    page.key("Enter")
    tap.equal("... shown as they are", titled(page, "</script><b>Q\"'"), "</script><b>Q\"'")
    page.key("1")
    tap.equal("no name became an element", page.count("b, img"), 0)


def moments(tap, page, folder):
    page.page(f"{folder}/waves.html", "#view=flame")
    options = page.texts("#flame-figure option")
    if "Live at a moment, bytes" not in options and not page.evaluate("mprof.model.moments.length > 2"):
        tap.skip("moments", "nothing was observed")
        return
    seen = page.evaluate("mprof.model.moments.find(i => mprof.model.time.moments[i].kind === 'seen')")
    page.page(f"{folder}/waves.html", f"#view=flame&figure=live:{seen}")
    tap.ok("a moment has a slider", page.text(".moments output") == page.apply(
        "i => mprof.model.momentLabel(mprof.model.time.moments[i])", seen), page.text(".moments"))
    page.focus("#flame-moment")
    page.key("ArrowRight")
    tap.ok("... that goes to the next", re.search(r"figure=live%3A(\d+)", page.address()) and
           f"%3A{seen}" not in page.address(), page.address())
    end = page.evaluate("mprof.model.moments[mprof.model.moments.length - 1]")
    page.page(f"{folder}/waves.html", f"#view=flame&figure=live:{seen}-{end}")
    change = page.apply("([a, b]) => mprof.model.total('kept') - mprof.model.total('live:' + a)", [seen, end])
    tap.equal("a difference is that of what lived", page.evaluate("mprof.model.total(mprof.url.state.figure)"), change)
    tap.ok("... and is explained", "less than before" in page.text(".flame-legend"), page.text(".flame-legend"))


def old_browser(tap, page):
    """A browser that cannot decompress the profile shows the tables as text, and the reason."""
    script = page.call("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")["identifier"]
    page.open(page.path)
    page.wait("!document.documentElement.classList.contains('scripted')")
    shown = page.texts("#plain > *")
    tap.ok("an old browser: the reason is shown", shown[0].startswith("This browser cannot show the profile ("), shown[0])
    tap.ok("... and the tables", "TABLE" in shown[-1], shown[-1][:80])
    page.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def looks(tap, page):
    for width, height, scheme in ((1280, 800, "light"), (1280, 800, "dark"), (390, 800, "light"), (390, 800, "dark")):
        page.resize(width, height, scheme)
        for view in ("overview", "flame"):
            page.page(page.path, f"#view={view}")
            page.wait(f"'{view}' !== 'flame' || document.querySelector('{TITLE}') !== null")
            tap.equal(f"{view}, {width} pixels, {scheme}: nothing is cut or overlaps", page.layout(), [])
            tap.ok("... nor wider than the window", page.evaluate(
                "document.documentElement.scrollWidth <= innerWidth"))


def test(tap, page, arguments):
    folder = arguments[0]
    page.path = f"{folder}/costs.html"
    overview(tap, page, folder)
    keys(tap, page)
    tooltip(tap, page)
    search(tap, page, folder)
    page.path = f"{folder}/wrapper.html"
    clicks(tap, page, folder)
    reverse(tap, page)
    page.path = f"{folder}/costs.html"
    folded(tap, page, folder)
    odd(tap, page, folder)
    if "waves" in arguments:
        moments(tap, page, folder)
    else:
        tap.skip("moments", "perl is not installed")
    old_browser(tap, page)
    looks(tap, page)


reader.main(test)
# SPDX-License-Identifier: MIT
