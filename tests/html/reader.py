"""What the tests of pages share: TAP, and a reader who knows the page's tables."""

import os
import re
import sys
import traceback

from chrome import Chrome, Failure

FOLDER = os.path.dirname(os.path.abspath(__file__))

# Cells of the rows that a grid shows, and its head.
GRID = """label => {
    const grid = document.querySelector(`#main > .view:not([hidden]) [role$=grid][aria-label="${label}"]`);
    if (!grid) return null;
    const cells = row => [...row.querySelectorAll("[role=gridcell], [role=columnheader]")]
        .map(cell => cell.textContent.replace(/ [\\u25be\\u25b4]$/, ""));
    return {head: cells(grid.querySelector(".head")),
            rows: [...grid.querySelectorAll(".space .row")].map(cells)};
}"""


class Tap:
    """Tests that go on after one has failed."""

    def __init__(self):
        self.n = self.failed = 0

    def ok(self, text, passed, detail=""):
        self.n += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.n} - {text}")
        if not passed:
            for line in str(detail).splitlines():
                print(f"# {line}")
        sys.stdout.flush()

    def skip(self, text, why):
        self.n += 1
        print(f"ok {self.n} - {text} # SKIP {why}")

    def equal(self, text, got, expected):
        self.ok(text, got == expected, f"got {got!r}\nexpected {expected!r}")

    def end(self):
        print(f"1..{self.n}")
        return 1 if self.failed else 0


class Reader(Chrome):
    """Chromium with a page of mprof's."""

    def page(self, path, fragment=""):
        self.open(path, fragment)
        self.wait("document.querySelector('#main > .view:not([hidden])') !== null")
        self.settle()

    def grid(self, label):
        found = self.apply(GRID, label)
        if found is None:
            raise Failure(f"there is no table of {label}")
        return found

    def rows(self, label):
        return self.grid(label)["rows"]

    def names(self, label):
        grid = self.grid(label)
        column = next(i for i, name in enumerate(grid["head"]) if re.match(r"function|type|size|line", name))
        return [row[column] for row in grid["rows"]]

    def click_row(self, label, name):
        """A real click on the row of that name."""
        row = self.names(label).index(name)
        self.click(f'#main > .view:not([hidden]) [aria-label="{label}"] .space .row:nth-child({row + 1})')

    def click_head(self, label, title):
        column = self.grid(label)["head"].index(title)
        self.click(f'#main > .view:not([hidden]) [aria-label="{label}"] .head .cell:nth-child({column + 1}) button')

    def title(self):
        return self.text("#main > .view:not([hidden]) h2.name")

    def press(self, text):
        self.click("#main > .view:not([hidden]) button", text)

    def copied(self):
        return self.evaluate("navigator.clipboard.readText()")

    def said(self):
        """Of the chosen frame of the flame graph."""
        return self.text("#flame-said")

    def walk(self, *keys):
        """Go there by keys; what is said then."""
        self.evaluate("document.querySelector('#flame-canvas').focus()")
        for key in keys:
            self.key(key)
        return self.said()

    def layout(self):
        with open(os.path.join(FOLDER, "layout.js"), encoding="utf-8") as file:
            return self.evaluate(file.read())


def number(text):
    """Of a figure as it is shown; nothing is 0."""
    digits = text.replace(",", "").replace("\u2212", "-")
    return int(digits) if digits else 0


def main(test):
    """Run TEST(tap, reader, arguments)."""
    tap = Tap()
    try:
        with Reader() as reader:
            try:
                reader.call("Browser.grantPermissions",
                            permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
                test(tap, reader, sys.argv[1:])
            except Failure as failure:
                reader.screenshot(os.environ.get("FAILED_PNG", os.devnull))
                tap.ok("the page does what it is asked", False,
                       f"{failure}\n{traceback.format_exc()}")
            tap.equal("no errors in the page", sorted(set(reader.errors)), [])
            tap.equal("nothing was asked of any network",
                      [url for url in reader.requests if not re.match(r"file:|data:|about:", url)], [])
    except Failure as failure:
        tap.ok("chromium runs", False, failure)
    sys.exit(tap.end())
