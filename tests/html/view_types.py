"""The view "Types": figures by kind, and who allocates each kind."""

import re

import reader


def sizes(tap, page, folder):
    """Sizes of blocks. The first comment of tests/programs/costs.c states what its functions allocate."""
    page.page(f"{folder}/costs.html", "#view=types")
    names = page.names("types")
    tap.ok("blocks are told apart by size", "blocks of 257 to 2048 bytes" in names, names)
    page.click_row("types", "blocks of 257 to 2048 bytes")
    who = {row[-1]: row for row in page.rows("who allocates it")}
    tap.ok("a click says who allocates it, which is no wrapper", {"main", "keep"} <= set(who) and "get" not in who, who)
    tap.equal("... on whose behalf, besides a library", reader.number(who["main"][-2])
              - reader.number(who["run_thread"][-2]), 10000)
    tap.equal("... and who does it", [reader.number(who["keep"][0]),
                                      reader.number(page.rows("who allocates it")[0][0])], [10000, 10000])
    page.click_row("who allocates it", "keep")
    tap.equal("a click on one leads to the function", page.title(), "keep")
    page.press("Types")
    tap.ok("... which leads to its types", page.names("types") == ["blocks of 257 to 2048 bytes"]
           and reader.number(page.rows("types")[0][0]) == 10000, page.rows("types"))
    page.press("All types")
    page.press("Sizes")
    grid = page.grid("sizes")
    column = {title: grid["head"].index(title) for title in ("size", "bytes", "blocks", "kept")}
    rows = {row[column["size"]]: row for row in grid["rows"]}
    for size, bytes_, blocks, kept in (("16", 80000, 5000, 0), ("8", 64000, 8000, 0),
                                       ("1,000", 10000, 10, 10000)):
        tap.equal(f"size {size}", [reader.number(rows[size][column[c]]) for c in ("bytes", "blocks", "kept")]
                  if size in rows else list(rows), [bytes_, blocks, kept])
    page.click('#main > .view:not([hidden]) [aria-label="sizes"] .space .row:nth-child('
               + str(list(rows).index("16") + 1) + ")")
    who = {row[-1]: row for row in page.rows("who allocates it")}
    tap.ok("a click on a size says who allocates it", "churn" in who
           and reader.number(who["churn"][-2]) == 80000, who)


# Returns the rows of the histogram: title, bytes and blocks.
HISTOGRAM = """() => [...document.querySelectorAll("#main > .view:not([hidden]) table.histogram tbody tr")]
    .map(row => [row.children[0].textContent, row.children[2].textContent, row.children[4].textContent])"""


def histogram(tap, page, folder):
    """Sizes by powers of two. The first comment of tests/programs/moments.c states the blocks."""
    page.page(f"{folder}/moments.html", "#view=types&of=sizes")
    rows = {title: (reader.number(bytes_), reader.number(blocks)) for title, bytes_, blocks in page.apply(HISTOGRAM)}
    tap.equal("blocks of 1,000 bytes are in their row", rows.get("513 to 1,024"), (100000, 100))
    tap.equal("... and larger ones, of 2,000, in theirs", rows.get("1,025 to 2,048"), (100000, 50))
    for name in ("moments", "perl"):
        page.page(f"{folder}/{name}.html", "#view=types&of=sizes")
        rows = page.apply(HISTOGRAM)
        tap.equal(f"{name}: rows add up to all blocks", [sum(reader.number(row[i]) for row in rows) for i in (1, 2)],
                  page.evaluate("['bytes', 'allocs'].map(key => mprof.model.bins.reduce((sum, bin) => sum + bin[key], 0))"))
        tap.ok("... and none lies outside of the known sizes", page.apply("""rows => { const { cells } = mprof.model;
            const large = cells.allocs.reduce((sum, n, i) => sum + (cells.sizeMin[i] > 1024 && cells.sizeMore[i] === 0 ? n : 0), 0);
            const shown = rows.filter(([title]) => !title.includes("several") && Number(title.split(" ")[0].replace(/,/g, "")) > 1024)
                .reduce((sum, row) => sum + Number(row[2].replace(/,/g, "")), 0);
            return large > 0 && shown >= large; }""", rows), rows)
    page.page(f"{folder}/part.html", "#view=types&of=sizes")
    rows = page.apply(HISTOGRAM)
    tap.equal("a part: its blocks only", [row[:3] for row in rows], [["1,025 to 2,048", "100,000", "50"]])


def lisp(tap, page, folder):
    page.page(f"{folder}/lisp.html", "#view=types")
    page.click_head("types", "objects")
    shown = {row[-1]: row for row in page.rows("types")}
    with open(f"{folder}/lisp.txt", encoding="utf-8") as file:
        text = file.read().split("TABLE 1")[1]
    report = re.search(r"^ *(\d+) +(\d+) .* CONS$", text, re.MULTILINE)
    head = page.grid("types")["head"]
    tap.equal("conses, as the report has them",
              [reader.number(shown["CONS"][head.index(t)]) for t in ("objects", "bytes")],
              [int(report[1]), int(report[2])])
    page.click_row("types", "CONS")
    head = page.grid("who allocates it")["head"]
    page.click("#main > .view:not([hidden]) input[type=search]")
    page.type("/^conses$/")
    rows = page.rows("who allocates it")
    report = re.search(r"^ *(\d+) .* CONS +CONSES$", text, re.MULTILINE)
    tap.ok("the report has conses of CONSES", report and int(report[1]) >= 500 * 16, report)
    tap.equal("... and so has the page", [reader.number(row[head.index("bytes")]) for row in rows],
              [int(report[1])])


def overview(tap, page, folder):
    """In the overview of a Lisp program, temporary blocks are a share of malloc's blocks; a card names kept bytes."""
    page.page(f"{folder}/all.html", "#view=overview")
    cards = page.texts(".figure-card")
    sums = page.evaluate("""(() => { const { cells, kinds } = mprof.model, sum = (key, lisp) => cells[key]
        .reduce((all, value, i) => kinds[cells.kind[i]].lisp === lisp ? all + value : all, 0);
        return [sum("temporary", false), sum("allocs", false), sum("allocs", true)]; })()""")
    tap.ok("there are blocks and objects", sums[1] > 0 and sums[2] > 100 * sums[1], sums)
    tap.ok("temporary blocks are a part of malloc's", any(
        f"blocks, {100 * sums[0] / sums[1]:.1f} % of malloc's" in card for card in cards), (cards, sums))
    tap.ok("other figures count objects", f"{sum(sums[1:]):,} objects" in cards[0], cards[0])
    tap.ok("what survived a collection is kept", any(card.startswith("Kept") for card in cards) and
           not any("Live at the end" in card for card in cards), cards)


def test(tap, page, arguments):
    folder = arguments[0]
    sizes(tap, page, folder)
    if "perl" in arguments:
        histogram(tap, page, folder)
    else:
        tap.skip("the histogram", "perl is not installed")
    if "lisp" in arguments:
        lisp(tap, page, folder)
        overview(tap, page, folder)
    else:
        tap.skip("types of Lisp", "ecl is not installed")


reader.main(test)
# SPDX-License-Identifier: MIT
