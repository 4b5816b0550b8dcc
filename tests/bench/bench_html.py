"""Measures pages of mprof html: file size, time until the page is visible, frames during interaction.

Uses headless Chromium, with real events of keys and wheel. Opens each page several times and prints medians.
"""

import os
import statistics
import subprocess
import sys
import tempfile

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../html"))
import chrome  # noqa: E402 pylint: disable=wrong-import-position,import-error
import reader  # noqa: E402 pylint: disable=wrong-import-position,import-error

FRAME = 1000 / 60               # ms
INPUTS = 30                     # of each sort
SOUGHT = "via_5 via_1"

# The profiled test programs, with their arguments.
PAGES = {
    "contexts": ("tests/programs/contexts", ["88000"]),
    "very many": ("tests/programs/contexts", ["524288"]),
    "minimiser": ("tests/bench/minimiser", []),
}

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


class Frames:
    """Times between frames, each of which should be a sixtieth of a second, and the page's own processor time."""

    def __init__(self, gaps, work):
        self.work = work        # ms of processor time for each input, all of the page's thread
        self.median = statistics.median(gaps)
        self.most = max(gaps)
        self.late = sum(gap > 1.5 * FRAME for gap in gaps) / len(gaps)

    def __str__(self):
        return f"**{self.work:.1f}**, {self.median:.1f} / {self.most:.0f} / {100 * self.late:.0f} %"


def work(page):
    metrics = page.call("Performance.getMetrics")["metrics"]
    return next(1000 * m["value"] for m in metrics if m["name"] == "TaskDuration")


def frames(page, act, inputs=INPUTS):
    page.call("Performance.disable")
    page.call("Performance.enable", timeDomain="threadTicks")
    page.settle()
    before = work(page)
    page.apply(RECORD)
    act()
    gaps = page.apply(STOP)
    return Frames(gaps, (work(page) - before) / inputs)


def keys(page, *names):
    for i in range(INPUTS):
        page.key(names[i % len(names)])


def letters(page, text):
    """Types TEXT and deletes it again."""
    for letter in text:
        page.type(letter)
    for _ in text:
        page.key("Backspace")


def zoom(page):
    page.page(page.path, "#view=flame")
    x, y = page.place("#main > .view:not([hidden]) canvas")
    page.click_at(x, y)
    return frames(page, lambda: keys(page, "Enter", "ArrowUp", "Enter", "ArrowDown", "Escape"))


def search(page):
    page.page(page.path, "#view=flame")
    page.click("#main > .view:not([hidden]) input[type=search]")
    return frames(page, lambda: letters(page, SOUGHT), 2 * len(SOUGHT))


def nothing(page):
    """Measures frames without any input, that is, what the machine itself causes."""
    page.page(page.path, "#view=overview")
    return frames(page, lambda: [page.settle() for _ in range(INPUTS)])


def table(page):
    page.page(page.path, "#view=functions&table=sites")
    selector = "#main > .view:not([hidden]) [role=grid]"
    x, y = page.place(selector)
    scroll = frames(page, lambda: [page.wheel(x, y, 400) for _ in range(INPUTS)])
    page.click("#main > .view:not([hidden]) input[type=search]")
    return scroll, frames(page, lambda: letters(page, SOUGHT), 2 * len(SOUGHT))


def measure(page, bench, name):
    program, arguments = PAGES[name]
    data, page.path = bench.path("page.data"), bench.path("page.html")
    subprocess.run([bench.mprof, "run", "-q", "-o", data, f"{bench.build}/{program}", *arguments],
                   stdout=subprocess.DEVNULL, check=True)
    subprocess.run([bench.mprof, "html", "-o", page.path, data], check=True)
    seen = []
    for _ in range(bench.pairs):
        page.open(page.path)
        seen.append(page.wait("window.firstSeen"))
    contexts = page.evaluate("mprof.model.nodes.count - 1")
    left = page.evaluate("mprof.model.left.nodes")
    row = [name, f"{contexts:,}", f"{left:,}", harness.size(os.path.getsize(page.path)),
           f"{statistics.median(seen):.0f}", nothing(page), zoom(page), search(page), *table(page)]
    for text in page.errors:
        sys.exit(f"bench: the page has an error: {text}")
    return row


def parts_of(bench):
    """Returns the bytes of the parts that every page contains: scripts and style."""
    folder = f"{bench.source}/reporter/html/page"
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


def report(bench, rows):
    head = ["profile", "contexts in the page", "summed up", "file", "first seen, ms", "nothing", "zoom", "search",
            "scroll of sites", "filter of sites"]
    return f"""# Results of the benchmark of pages

Written by `make bench-html`, never by hand.

{chr(10).join(harness.where(bench.source))}
- {subprocess.run([chrome.find(), "--version"], capture_output=True, text=True, check=False).stdout.strip()}, headless, no graphics processor; medians of {bench.pairs}
- scripts, styles and shell of a page: {harness.size(parts_of(bench))} (aim: under 300 KB)

{harness.markdown(head, rows)}

file: aim under 8 MB.  first seen: from opening to the first view painted; aim under 1,000 ms.
Others: ms of processor time that the page needs for one input, in all frames that it takes, which are two at least;
for 60 frames a second each must be under 16.7.  Then ms between frames in the median / at most, and how many came more than half a frame late, while
{INPUTS} keys, letters or turns of the wheel came one after the other, each when the one before had been painted.
nothing: the same without any input, which is what the machine does by itself.
sites: the table with a row for each context that allocates.
"""


def main():
    arguments = harness.parser(__doc__).parse_args()
    if chrome.find() is None:
        sys.exit("bench: chromium is not installed")
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder, reader.Reader() as page:
        bench = harness.Harness(arguments, folder)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=FIRST)
        rows = [measure(page, bench, name) for name in harness.chosen(arguments.workloads, PAGES)]
        harness.write(bench.source, "RESULTS-HTML.md", report(bench, rows))


if __name__ == "__main__":
    main()
