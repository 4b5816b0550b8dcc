"""Lines of calls in the page of tests/programs/call_lines.c."""

import re

import reader

CHAIN = ".flame-chain .value"
ABOUT = ".flame-panel .about"


def chosen(page, name):
    """Waits for the panel of the frame NAME."""
    page.wait(f"(document.querySelector('.flame-panel h3') || {{}}).textContent === {name!r}")


def flame(tap, page, at):
    lines = f"call_lines.c:{at['two(3000)']} (75.0 %), {at['two(1000)']} (25.0 %)"
    page.page(page.path, "#view=flame")
    page.walk("ArrowDown", "ArrowDown")
    chosen(page, "two")
    tap.equal("a caller has the lines that lead to the frame, with their shares", page.texts(CHAIN), [lines])
    tap.ok("a frame has its own line", page.text(ABOUT).endswith(f"call_lines.c:{at['malloc(size)']}"), page.text(ABOUT))
    page.press("Copy chain")
    tap.equal("so has the chain that is copied", page.copied(),
              f"main ({lines})\n> two (call_lines.c:{at['malloc(size)']})")
    page.walk("ArrowRight")
    chosen(page, "one")
    tap.equal("a caller of another frame has another line", page.texts(CHAIN), [f"call_lines.c:{at['one();']}"])
    page.walk("ArrowUp")
    chosen(page, "main")
    tap.ok("a frame with several lines lists the largest", page.text(ABOUT).endswith(
        f"call_lines.c:{at['two(3000)']} (61.2 %), {at['two(1000)']} (20.4 %), {at['one();']} (10.2 %), 1 more line"),
        page.text(ABOUT))
    page.page(page.path, "#view=flame&reverse=1")
    page.walk("ArrowDown", "ArrowDown")
    chosen(page, "main")
    tap.ok("from the inner ends, too", page.text(ABOUT).endswith(lines), page.text(ABOUT))
    page.page(page.path, "#view=flame")
    page.walk("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowRight")
    left, top, _ = page.box("#flame-canvas")
    page.mouse("mouseMoved", left + 30, top + 1.5 * 22)
    page.settle()
    tap.ok("the tooltip has the same", f"call_lines.c:{at['two(3000)']} (61.2 %)" in page.text("#flame-tip"),
           page.text("#flame-tip"))


def tables(tap, page, at):
    page.page(page.path, "#view=functions&table=up")
    page.open_rows("bottom-up", "two")
    rows = page.tree("bottom-up")
    tap.equal("sites with a common end are one row", [row[:3] for row in rows if row[0] == "two"],
              [["two", f"call_lines.c:{at['malloc(size)']}", "4,000"]])
    tap.equal("... that opens to the lines of its callers", [row[1:4] for row in rows if row[0] == "main"],
              [[f"call_lines.c:{at['two(3000)']}", "3,000", "61.2 %"], [f"call_lines.c:{at['two(1000)']}", "1,000", "20.4 %"]])
    tap.equal("... and has the file that the line is in", sorted(row[1] for row in rows if row[0] == "mixed"),
              sorted([f"call_lines.c:{at['malloc(300)']}", "call_lines.h:2"]))
    page.click(".row .place", f"call_lines.c:{at['malloc(size)']}")
    tap.equal("a click on a line leads there", page.text("[aria-label=source] .row.active .cell:last-child").strip(),
              "kept = malloc(size);")
    page.page(page.path, "#view=functions&table=lines")
    rows = {re.sub(r"^.*/", "", name): reader.number(row[0])
            for name, row in zip(page.names("lines"), page.rows("lines"))}
    tap.equal("lines have what was allocated on them", rows, {
        f"call_lines.c:{at['two(3000)']}": 3000, f"call_lines.c:{at['two(1000)']}": 1000,
        f"call_lines.c:{at['one();']}": 500, f"call_lines.c:{at['mixed();']}": 400,
        f"call_lines.c:{at['malloc(size)']}": 4000, f"call_lines.c:{at['malloc(500)']}": 500,
        f"call_lines.c:{at['malloc(300)']}": 300, "call_lines.h:2": 100})
    page.click_row("lines", next(name for name in page.names("lines") if name.endswith("call_lines.h:2")))
    tap.ok("a line of an included file leads there", "malloc(100)" in page.text("[aria-label=source] .row.active"),
           page.text("[aria-label=source] .row.active"))


def test(tap, page, arguments):
    folder, path = arguments
    with open(path, encoding="utf-8") as file:
        text = file.read().splitlines()
    at = {key: next(i for i, line in enumerate(text, 1) if key in line) for key in (
        "malloc(500)", "malloc(size)", "malloc(300)", "one();", "two(1000)", "two(3000)", "    mixed();")}
    at["mixed();"] = at["    mixed();"]
    page.path = f"{folder}/lines.html"
    flame(tap, page, at)
    tables(tap, page, at)
    page.page(f"{folder}/diff.html", "#view=flame&figure=after:bytes")
    page.walk("ArrowDown")
    chosen(page, "main")
    tap.ok("calls of two runs, whose lines are not told apart, have none",
           re.search(r"call_lines\.c$", page.text(ABOUT)), page.text(ABOUT))


reader.main(test)
# SPDX-License-Identifier: MIT
