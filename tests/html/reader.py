"""TAP, and a reader who knows the page's tables, for all tests of pages."""

import os
import re
import sys
import traceback

from chrome import Chrome, Failure

FOLDER = os.path.dirname(os.path.abspath(__file__))

# Returns the texts of the head and of the rows of the grid with a given label.
GRID = """label => {
    const grid = document.querySelector(`#main > .view:not([hidden]) [role$=grid][aria-label="${label}"]`);
    if (!grid) return null;
    const cells = row => [...row.querySelectorAll("[role=gridcell], [role=columnheader]")]
        .map(cell => cell.textContent.replace(/ [\\u25be\\u25b4]$/, ""));
    return {head: cells(grid.querySelector(".head")),
            rows: [...grid.querySelectorAll(".space .row")].map(cells)};
}"""


# Returns the names of the rows of a tree with a given label, and their lines.
NAMES = """label => [...document.querySelectorAll(`#main > .view:not([hidden]) [aria-label="${label}"] .space .row`)]
    .map(row => [row.querySelector(".cell.text").firstChild.data, (row.querySelector(".place") || {textContent: ""}).textContent])"""

# Returns names and figures in the legend of a chart of series.
LEGEND = """() => [...document.querySelectorAll("#main > .view:not([hidden]) .legend li")].map(row =>
    [row.querySelector(".name").textContent, row.querySelector(".figure").textContent])"""


class Tap:
    """Prints results of tests. Later tests run even if one has failed."""

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
    """Chromium with a page of mprof."""

    def page(self, path, fragment=""):
        """Opens the page PATH at FRAGMENT, and waits until a view is shown."""
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
        """Returns the names of the rows that a grid shows."""
        grid = self.grid(label)
        column = next(i for i, name in enumerate(grid["head"]) if re.match(r"function|type|size|line", name))
        return [row[column] for row in grid["rows"]]

    def click_row(self, label, name):
        """Clicks on the row called NAME."""
        row = self.names(label).index(name)
        self.click(f'#main > .view:not([hidden]) [aria-label="{label}"] .space .row:nth-child({row + 1})')

    def click_head(self, label, title):
        column = self.grid(label)["head"].index(title)
        self.click(f'#main > .view:not([hidden]) [aria-label="{label}"] .head .cell:nth-child({column + 1}) button')

    def legend(self):
        """Returns names and figures of the series, in the order of the legend."""
        return [(name, number(figure)) for name, figure in self.apply(LEGEND)]

    def tree(self, label):
        """Returns the rows that a tree shows, as lists of name, line, or "", and the other cells."""
        return [[links[0], links[1], *row[1:]] for links, row in zip(self.apply(NAMES, label), self.rows(label))]

    def open_rows(self, label, name):
        """Clicks on the rows called NAME of a tree."""
        for i in [i for i, row in enumerate(self.tree(label)) if row[0] == name][::-1]:
            x, y, _ = self.box(f'#main > .view:not([hidden]) [aria-label="{label}"] .space .row:nth-child({i + 1})')
            self.click_at(x + 8, y + 12)

    def count_rows(self, label):
        """Returns the number of rows of a grid, including those that are not drawn."""
        return int(self.apply("label => document.querySelector(`#main > .view:not([hidden]) [aria-label='${label}']`)"
                              ".getAttribute('aria-rowcount')", label)) - 1

    def title(self):
        return self.text("#main > .view:not([hidden]) h2.name")

    def press(self, text):
        self.click("#main > .view:not([hidden]) button", text)

    def copied(self):
        return self.evaluate("navigator.clipboard.readText()")

    def said(self):
        """Returns the text that describes the chosen frame of the flame graph to screen readers."""
        return self.text("#flame-said")

    def walk(self, *keys):
        """Presses KEYS in the flame graph, and returns the description of the frame that is chosen then."""
        self.focus("#flame-canvas")
        for key in keys:
            self.key(key)
        return self.said()

    def layout(self):
        """Returns faults in the layout, see layout.js."""
        with open(os.path.join(FOLDER, "layout.js"), encoding="utf-8") as file:
            return self.evaluate(file.read())


def number(text):
    """Returns the number of a figure as the page shows it. An empty text is 0."""
    digits = text.replace(",", "").replace("\u2212", "-")
    return int(digits) if digits else 0


def main(test):
    """Runs TEST(tap, reader, arguments), prints TAP, and exits. Any error or request of the page is a failure."""
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
# SPDX-License-Identifier: MIT
