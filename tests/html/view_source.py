"""The view "Source": each line of a file, with what was allocated on it."""

import reader


def lines(tap, page, path):
    """Figures of lines of tests/programs/moments.c, which are found by their text."""
    with open(path, encoding="utf-8") as file:
        text = file.read().splitlines()
    at = {key: next(i for i, line in enumerate(text, 1) if key in line)
          for key in ("malloc(1000)", "malloc(2000)", "    index_all();")}
    page.click("#tabs [role=tab]", "Source")
    place, source = (page.grid("source")["head"].index(title) for title in ("line", "source"))
    rows = page.rows("source")
    tap.ok("lines as they are in the file", len(rows) > 9 and all(row[source] == text[int(row[place]) - 1] for row in rows), rows)
    active = page.text("[aria-label=source] .row.active .cell:last-child").strip()
    tap.ok("the hottest line comes first, in the middle", "malloc(" in active and page.evaluate("""(() => {
        const row = document.querySelector("[aria-label=source] .row.active").getBoundingClientRect();
        const grid = document.querySelector("[aria-label=source]").getBoundingClientRect();
        return Math.abs((row.top + row.bottom) / 2 - (grid.top + grid.bottom) / 2) < 40; })()"""), active)
    page.click("#main > .view:not([hidden]) input[type=search]")
    page.type("_all();")
    rows = {row[source].strip(): row for row in page.rows("source")}
    tap.equal("a line that calls has what was allocated below it",
              [rows["index_all();"][i] for i in (0, 2, place)], ["100,000", "", str(at["    index_all();"])])
    for _ in "_all();":
        page.key("Backspace")
    page.click_head("source", "itself")
    first = page.rows("source")[:2]
    tap.equal("sorted by what lines allocate themselves",
              sorted([row[2], row[place]] for row in first),
              sorted([["100,000", str(at["malloc(1000)"])], ["100,000", str(at["malloc(2000)"])]]))


def links(tap, page, path):
    with open(path, encoding="utf-8") as file:
        text = file.read().splitlines()
    page.page(path=page.path, fragment="#view=functions")
    page.click_row("functions", "index_all")
    page.press("Source")
    active = "[aria-label=source] .row.active"
    tap.equal("a function leads to its line", page.text(f"{active} .cell:last-child").strip(),
              next(line for line in text if "malloc(2000)" in line).strip())
    tap.ok("... which is seen", page.evaluate(f"""(() => {{
        const row = document.querySelector("{active}").getBoundingClientRect();
        const grid = document.querySelector("[aria-label=source]").getBoundingClientRect();
        return row.top >= grid.top && row.bottom <= grid.bottom + 1; }})()"""))
    page.page(page.path, "#view=functions")
    page.press("Source lines")
    page.click_row("lines", next(name for name in page.names("lines") if name.endswith(
        f":{next(i for i, line in enumerate(text, 1) if 'malloc(1000)' in line)}")))
    tap.ok("so does a line", "malloc(1000)" in page.text(f"{active} .cell:last-child"))


def test(tap, page, arguments):
    folder, path = arguments
    page.path = f"{folder}/moments.html"
    page.page(page.path)
    lines(tap, page, path)
    links(tap, page, path)
    page.page(page.path, "#view=source&file=constructor")
    tap.ok("an address with a wrong file shows another file", len(page.rows("source")) > 0)
    note = "#main > .view:not([hidden]) .note"
    tap.equal("a file that has not changed has no note", page.texts(note), [])
    page.page(f"{folder}/changed.html", "#view=source")
    tap.ok("one that has changed since has", any("moments.c: changed since" in text for text in page.texts(note)))
    page.page(f"{folder}/plain.html", "#view=functions")
    tap.equal("without --source there is no such view",
              page.texts("#tabs [role=tab]").count("Source"), 0)


reader.main(test)
# SPDX-License-Identifier: MIT
