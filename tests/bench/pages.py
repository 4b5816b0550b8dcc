"""Measures pages of mprof html in headless Chromium, with real events of keys and wheel."""

import os
import statistics
import subprocess
import sys

import workloads
from harness import each, markdown, size

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../html"))

FRAME = 1000 / 60               # ms
INPUTS = 30                     # of each sort
SOUGHT = "via_5 via_1"
VIEW = "#main > .view:not([hidden]) "

# Sets window.firstSeen when the first view was painted, in ms after the page was requested.
FIRST = """(() => {
    const look = () => document.querySelector("#main > .view > *")
        ? requestAnimationFrame(() => setTimeout(() => window.firstSeen = performance.now()))
        : requestAnimationFrame(look);
    requestAnimationFrame(look);
})()"""

# Records the times between frames from now on.
RECORD = """() => {
    const gaps = window.gaps = [];
    let last = performance.now();
    const next = () => {
        const now = performance.now();
        gaps.push(now - last);
        last = now;
        window.recording = requestAnimationFrame(next);
    };
    window.recording = requestAnimationFrame(next);
}"""
STOP = "() => { cancelAnimationFrame(window.recording); return window.gaps.slice(1); }"


def frames(page, act, inputs=INPUTS):
    """Returns, as text, the page's processor time for each input of ACT(), and the times between frames."""
    def work():
        metrics = page.call("Performance.getMetrics")["metrics"]
        return next(1000 * m["value"] for m in metrics if m["name"] == "TaskDuration")

    page.call("Performance.disable")
    page.call("Performance.enable", timeDomain="threadTicks")
    page.settle()
    before = work()
    page.apply(RECORD)
    act()
    gaps = page.apply(STOP)
    late = 100 * sum(gap > 1.5 * FRAME for gap in gaps) / len(gaps)
    return f"**{(work() - before) / inputs:.1f}**, {statistics.median(gaps):.1f} / {max(gaps):.0f} / {late:.0f} %"


def nothing(page):
    page.page(page.path, "#view=overview")
    return frames(page, lambda: [page.settle() for _ in range(INPUTS)])


def zoom(page):
    page.page(page.path, "#view=flame")
    page.click_at(*page.place(VIEW + "canvas"))
    keys = ("Enter", "ArrowUp", "Enter", "ArrowDown", "Escape")
    return frames(page, lambda: [page.key(keys[i % len(keys)]) for i in range(INPUTS)])


def search(page, address):
    """Types a text into the field of the view, and deletes it again."""
    def act():
        for letter in SOUGHT:
            page.type(letter)
        for _ in SOUGHT:
            page.key("Backspace")

    page.page(page.path, address)
    page.click(VIEW + "input[type=search]")
    return frames(page, act, 2 * len(SOUGHT))


def scroll(page):
    page.page(page.path, "#view=functions&table=sites")
    x, y = page.place(VIEW + "[role=grid]")
    return frames(page, lambda: [page.wheel(x, y, 400) for _ in range(INPUTS)])


def section(bench, names):
    import chrome                               # pylint: disable=import-outside-toplevel,import-error
    import reader                               # pylint: disable=import-outside-toplevel,import-error
    if chrome.find() is None:
        sys.exit("bench: chromium is not installed")

    def row(name):
        program, *arguments = workloads.PAGES[name]
        page.path = bench.path("page.html")
        bench.recorded([f"{bench.build}/{program}", *arguments])
        subprocess.run([bench.mprof, "html", "-o", page.path, bench.path("sealed.data")], check=True)
        seen = []
        for _ in range(bench.pairs):
            page.open(page.path)
            seen.append(page.wait("window.firstSeen"))
        cells = [name, f"{page.evaluate('mprof.model.nodes.count - 1'):,}",
                 f"{page.evaluate('mprof.model.left.nodes'):,}", size(os.path.getsize(page.path)),
                 f"{statistics.median(seen):.0f}", nothing(page), zoom(page), search(page, "#view=flame"),
                 scroll(page), search(page, "#view=functions&table=sites")]
        for text in page.errors:
            sys.exit(f"bench: the page has an error: {text}")
        return cells

    with reader.Reader() as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=FIRST)
        rows, _ = each(names, workloads.PAGES, row)
    folder = f"{bench.source}/reporter/html/page"
    parts = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    version = subprocess.run([chrome.find(), "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return [*markdown(["profile", "contexts in the page", "summed up", "file", "first seen, ms", "nothing", "zoom",
                       "search", "scroll of sites", "filter of sites"], rows),
            f"{version}, without graphics processor. Scripts, styles and shell of a page: {size(parts)} (aim: under "
            "300 KB). file: aim under 8 MB. first seen: from opening to the first view painted; aim under 1,000 ms. "
            "Others: ms of processor time that the page needs for one input, in all frames that it takes, which are "
            "two at least; for 60 frames a second each must be under 16.7. Then ms between frames in the median / at "
            f"most, and how many came more than half a frame late, while {INPUTS} inputs came one after the other, "
            "each when the one before had been painted. nothing: without any input. sites: the table with a row for each "
            "context that allocates."]
# SPDX-License-Identifier: MIT
