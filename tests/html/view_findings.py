"""Links of findings of tests/programs/findings.c. They lead to a chain, or to the inner end that several chains share.
"""

import re

import reader

TITLE = ".flame-panel h3"


def follow(tap, page, folder, name, figure, title, crumbs, row):
    page.page(f"{folder}/{name}.html")
    page.click(".finding a.button", "In the flame graph")
    page.wait(f"(document.querySelector('{TITLE}') || {{}}).textContent === {title!r}")
    tap.ok(f"{name}: the figure is that of the finding", f"figure={figure}" in page.address(), page.address())
    tap.equal(f"{name}: the frame", page.texts(".flame-crumbs li"), crumbs)
    rows = page.texts(".flame-panel .facts-table tr")
    tap.ok(f"{name}: it has what the finding says", any(re.match(row, each) for each in rows), rows)


def test(tap, page, arguments):
    folder = arguments[0]
    follow(tap, page, folder, "leak", "kept", "make_record", ["all", "main", "leak", "make_record"],
           r"Live at the end\s+1\.0\d* MB\s+5,000\s")
    follow(tap, page, folder, "leak-twice", "kept", "make_record", ["all", "make_record"],
           r"Live at the end\s+800 kB\s+4,000\s")
    follow(tap, page, folder, "churn", "allocs", "churn", ["all", "main", "churn"],
           r"Allocated\s+38\.4 MB\s+600,000\s")
    tap.ok("churn: all of them are temporary", any(re.match(r"Temporary\s+600,000\s", row)
                                                   for row in page.texts(".flame-panel .facts-table tr")))
    page.page(f"{folder}/names.html")
    tap.ok("findings of another view have links, too", page.evaluate("mprof.model.findings.every(each => each.node === 0)")
           and page.count(".finding a.button") == page.count(".finding") > 0)
    page.click(".finding a.button", "In the flame graph")
    page.wait("document.querySelector('#flame-matched') !== null")
    tap.ok("... which search for the function", page.evaluate("mprof.url.state.search") == "/^make_record$/"
           and float(page.text("#flame-matched").split()[0]) > 90, (page.address(), page.text("#flame-matched")))
    page.page(f"{folder}/leak.html")
    place = page.texts(".finding p .place")[0]
    page.click(".finding p .place")
    tap.ok("a line in a sentence is a link", place.split(":")[1] in page.address(), (place, page.address()))


reader.main(test)
# SPDX-License-Identifier: MIT
