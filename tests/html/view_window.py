"""Pages of a part of the time of tests/programs/checkpoints.c, whose first comment states all figures."""

import re

import reader

PART = ".part-card"


def by_name(page, label):
    """Returns the rows of a grid as {name: {title: text}}."""
    grid = page.grid(label)
    return {name: dict(zip(grid["head"], row)) for name, row in zip(page.names(label), grid["rows"])}


def figures(page):
    """Returns the figures that the flame graph offers."""
    return page.evaluate("[...document.querySelectorAll('#flame-figure option')].map(o => o.textContent)")


def growth(tap, page, folder):
    page.page(f"{folder}/growth.html")
    tap.ok("growth: the page says between what", re.search(
        r"^only what happened between checkpoint one \([\d.]+ s\) and checkpoint two \([\d.]+ s\): ",
        page.text("#summary")), page.text("#summary"))
    tap.ok("... and how much", "25,000 bytes less were alive then" in page.text(PART), page.text(PART))
    tap.equal("... in figures", page.texts(".figure-card strong"), ["15.0 kB", "\u221225.0 kB", "0"])
    tap.equal("... and who", [page.texts(".allocators tbody th a:first-child"), page.texts(".allocators tbody td:last-child")],
              [["alpha", "beta"], ["\u221240.0 kB", "15.0 kB"]])
    tap.ok("the head is of all", "Of the whole recording:" in page.text(".overview-body"), page.text(".overview-body"))
    tap.ok("there is no view of time", "Time" not in page.texts("[role=tab]"), page.texts("[role=tab]"))

    page.page(f"{folder}/growth.html", "#view=flame&figure=kept")
    tap.equal("flame: what can be shown", figures(page),
              ["Allocated bytes", "Allocated blocks", "Change of live bytes", "Change of live blocks",
               "Temporary blocks"])
    tap.ok("flame: all", page.walk().startswith("all, \u221225.0 kB, "), page.said())
    tap.ok("flame: what shrank comes first, as the widest", page.walk(*["ArrowDown"] * 3).startswith(
        "alpha, \u221240.0 kB, 72.7 %"), page.said())
    tap.ok("flame: beside it what grew", page.walk("ArrowRight").startswith("beta, 15.0 kB, 27.3 %"), page.said())
    tap.equal("flame: widths are of changes", page.evaluate(
        "(() => { const f = mprof.model.self('kept'); return f.filter(x => x !== 0).length; })()"), 2)
    tap.ok("flame: the colours are told", {"more than before", "less than before"} <= set(page.texts(".flame-legend li")),
           page.texts(".flame-legend li"))
    page.page(f"{folder}/growth.html", "#view=flame&figure=kept&reverse=1")
    tap.ok("flame, by allocating function", page.walk("ArrowDown").startswith("alpha, \u221240.0 kB"), page.said())

    page.page(f"{folder}/growth.html", "#view=functions&figure=kept")
    rows = by_name(page, "functions")
    tap.equal("functions: change", [[reader.number(rows[f][t]) for t in ("change", "itself", "bytes")]
                                    for f in ("alpha", "beta", "phases")],
              [[-40000, -40000, 0], [15000, 15000, 15000], [-25000, 0, 15000]])
    tap.ok("functions: a change is no share", "%" not in page.grid("functions")["head"], page.grid("functions")["head"])
    page.click_row("functions", "phases")
    callees = by_name(page, "callees")
    tap.equal("callees: change", {name: reader.number(row["change"]) for name, row in callees.items()},
              {"alpha": -40000, "beta": 15000})
    page.page(f"{folder}/growth.html", "#view=types&of=sizes")
    rows = by_name(page, "sizes")
    tap.equal("sizes: change", {size: reader.number(row["change"]) for size, row in rows.items()},
              {"50": 15000, "100": -40000})


def between_checkpoints(tap, page, folder):
    """Temporary blocks are known between checkpoints: 4 threads each allocate 50 blocks and free 49 of them."""
    page.page(f"{folder}/round.html")
    tap.equal("temporary: in figures", page.texts(".figure-card strong"), ["12.8 kB", "256 B", "196"])
    page.page(f"{folder}/round.html", "#view=flame&figure=temporary")
    tap.ok("temporary: flame", page.walk().startswith("all, 196, 100.0 %"), page.said())


def moment(tap, page, folder):
    page.page(f"{folder}/moment.html")
    tap.ok("moment: the page says at what", re.search(
        r"^only what was live at checkpoint two \([\d.]+ s\): 75\.0 kB in 900 blocks$", page.text("#summary")),
        page.text("#summary"))
    tap.equal("moment: figures", page.texts(".figure-card strong"), ["75.0 kB"])
    tap.equal("moment: who", page.texts(".allocators tbody th a:first-child"), ["alpha", "beta"])
    page.page(f"{folder}/moment.html", "#view=flame")
    tap.equal("moment: figures by its name", [re.sub(r"\([\d.]+ s\)", "", text) for text in figures(page)],
              ["Live at checkpoint two , bytes", "Live at checkpoint two , blocks"])
    tap.ok("moment: the flame graph", page.walk(*["ArrowDown"] * 3).startswith("alpha, 60.0 kB, 80.0 %"), page.said())
    page.page(f"{folder}/moment.html", "#view=functions")
    rows = by_name(page, "functions")
    tap.equal("moment: functions", [reader.number(rows[f]["alive"]) for f in ("alpha", "beta")], [60000, 15000])
    page.page(f"{folder}/moment.html", "#view=types&of=sizes")
    tap.ok("moment: nothing is kept of it", not {"kept", "freed"} & set(page.grid("sizes")["head"]),
           page.grid("sizes")["head"])


def part(tap, page, folder):
    """A page of one function has the same card as a page of a part of the time."""
    page.page(f"{folder}/part.html")
    tap.ok("a part: the page says of what", "Only what was allocated of --function=^beta$: 15,000 of " in page.text(PART),
           page.text(PART))
    tap.equal("a part: its summary is as ever", len(page.texts(".figure-card strong")), 4)
    page.page(f"{folder}/part.html", "#view=types&of=sizes")
    tap.equal("a part: sizes are its own", page.names("sizes"), ["50"])


def choose(page, select, text):
    """Chooses the option that begins with TEXT."""
    page.apply("""([id, text]) => {
        const select = document.getElementById(id);
        select.value = [...select.options].find(o => o.textContent.startsWith(text)).value;
        select.dispatchEvent(new Event("change", {bubbles: true}));
    }""", [select, text])
    page.settle()


def difference(tap, page, folder):
    """On a page of a whole recording: what was live at one moment minus what was live at another."""
    page.page(f"{folder}/moments.html", "#view=flame")
    choose(page, "flame-figure", "Live at a moment, bytes")
    tap.ok("moments: the last one at first", page.text(".moments output").startswith("end ("), page.text(".moments"))
    page.focus("#flame-moment")
    for _ in range(200):
        if page.text(".moments output").startswith("dropped ("):
            break
        page.key("ArrowLeft")
    tap.ok("moments: the slider goes to any", page.text(".moments output").startswith("dropped ("), page.text(".moments"))
    tap.ok("moments: what lived then", page.walk("ArrowDown", "ArrowDown").startswith("index_all, 100 kB, 100.0 %"), page.said())
    choose(page, "flame-from", "loaded (")
    tap.ok("difference: all", page.walk("Home").startswith("all, 0 B"), page.said())
    page.walk("ArrowDown", "ArrowDown")
    first = page.said()
    page.key("ArrowRight")
    tap.equal("difference: what grew, and what shrank, each half of the width",
              sorted(re.match(r"(\w+), (.* kB, [\d.]+ %)", text).groups() for text in (first, page.said())),
              [("index_all", "100 kB, 50.0 %"), ("read_all", "\u2212100 kB, 50.0 %")])
    tap.ok("difference: the colours are told", {"more than before", "less than before"} <= set(page.texts(".flame-legend li")),
           page.texts(".flame-legend li"))
    address = page.address()
    tap.ok("difference: the address has both moments", re.search(r"figure=live%3A\d+-\d+", address), address)
    page.page(f"{folder}/growth.html")
    page.page(f"{folder}/moments.html", address[address.index("#"):])
    tap.ok("difference: a link shows it again", page.walk("Home").startswith("all, 0 B") and
           page.evaluate("document.getElementById('flame-from').selectedOptions[0].textContent").startswith("loaded ("),
           page.text(".moments"))
    page.click("#flame-reverse")
    tap.ok("difference: by allocating function", "kB, 50.0 %" in page.walk("Home", "ArrowDown"), page.said())
    page.page(f"{folder}/moments.html", address[address.index("#"):].replace("view=flame", "view=functions"))
    rows = by_name(page, "functions")
    tap.equal("difference: in the tables", [reader.number(rows[f]["change"]) for f in ("index_all", "read_all")],
              [100000, -100000])
    page.page(f"{folder}/moments.html", address[address.index("#"):])
    choose(page, "flame-from", "nothing")
    tap.ok("difference: and back to what lived", re.search(r"figure=live%3A\d+(&|$)", page.address()), page.address())


def sampled(tap, page, folder):
    """Cards, lists and the head of a sampled recording state that figures are estimates."""
    page.page(f"{folder}/sampled.html")
    cards = page.texts(".figure-card strong") + page.texts(".figure-card > span:nth-child(3)")
    tap.ok("sampled: each card says that it estimates", len(cards) == 8
           and all(text.startswith("about ") for text in cards if "of all" not in text), cards)
    notes = page.text(".overview-main").count("All figures here are estimates from samples.")
    tap.ok("sampled: so do the lists", notes >= 1, page.text(".overview-main"))
    tap.ok("sampled: and the head", "figures are estimates from samples" in page.text("#summary"), page.text("#summary"))


def looks(tap, page, folder):
    for width in (1280, 390):
        page.resize(width, 844, "light")
        for name in ("growth", "moment"):
            for view in ("overview", "flame&figure=kept", "functions&figure=kept", "types&of=sizes"):
                page.page(f"{folder}/{name}.html", f"#view={view}")
                tap.equal(f"{name}, {view}, {width} pixels: nothing is cut or overlaps", page.layout(), [])


def test(tap, page, arguments):
    folder = arguments[0]
    growth(tap, page, folder)
    between_checkpoints(tap, page, folder)
    moment(tap, page, folder)
    part(tap, page, folder)
    difference(tap, page, folder)
    sampled(tap, page, folder)
    looks(tap, page, folder)


reader.main(test)
# SPDX-License-Identifier: MIT
