"""The histogram of lifetimes of a function's blocks."""

import collections

import reader

TABLE = """() => {
    const table = document.querySelector("#main > .view:not([hidden]) table.histogram");
    return table && [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent));
}"""
OF_ALL = """() => Object.fromEntries([...mprof.model.functions.name.keys()].slice(2)
    .map(f => [mprof.model.functions.name[f], mprof.lifetimes.of(f)]))"""


def dumped(path):
    """Returns {function: {border: (blocks, bytes)}} of a file of mprof export -F lifetimes.

    The figures of a function are those of all chains that contain it.
    """
    sums = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    with open(path, encoding="utf-8") as file:
        for line in file:
            below, blocks, bytes_, chain = line.rstrip("\n").split(" ", 3)
            for function in set(chain.split(";")):
                sums[function][below][0] += int(blocks)
                sums[function][below][1] += int(bytes_)
    return {name: {below: tuple(pair) for below, pair in of.items()} for name, of in sums.items()}


def all_functions(tap, page, expected):
    borders = page.evaluate("[...mprof.model.sums.lived.below]")
    got = {}
    for name, sums in page.apply(OF_ALL).items():
        lived = {str(borders[i]) if i < len(borders) else "-": (blocks, sums["bytes"][i])
                 for i, blocks in enumerate(sums["blocks"]) if blocks}
        if lived:
            got[name] = lived
    tap.equal("each function: as mprof export -F chains has it", got, expected)


def shown(tap, page):
    page.press("Functions")
    page.click_row("functions", "grow")
    rows = page.apply(TABLE)
    texts = [[row[0], reader.number(row[2]), reader.number(row[4])] for row in rows]
    # tests/programs/lifetimes.c states the lifetimes of grow's own blocks. Those of filler, 600 and 40000 bytes, are 0.
    tap.equal("grow: the histogram", [row for row in texts if row[2]], [
        ["less than 32 bytes", 5100 + 40600, 4], ["less than 2 KiB", 200, 1], ["less than 128 KiB", 100000, 1]])
    tap.equal("... with borders between, in their order", [row[0] for row in texts],
              ["less than 32 bytes", "less than 128 bytes", "less than 512 bytes", "less than 2 KiB",
               "less than 8 KiB", "less than 32 KiB", "less than 128 KiB"])
    tap.equal("... and shares", rows[-1][3], "68.5 %")
    page.press("All functions")
    page.click_row("functions", "main")
    last = page.apply(TABLE)[-1]
    kept = page.evaluate("""["kept", "keptBlocks"].map(figure =>
        mprof.graph.sums("total", figure)[mprof.model.functions.name.indexOf("main")])""")
    tap.ok("main keeps 1000 bytes, and a thread's", kept[0] >= 1000, kept)
    tap.equal("... which have no lifetime", [last[0], reader.number(last[2]), reader.number(last[4])],
              ["not freed, or not known", *kept])


def test(tap, page, arguments):
    folder = arguments[0]
    page.page(f"{folder}/known.html", "#view=functions")
    all_functions(tap, page, dumped(f"{folder}/known.txt"))
    shown(tap, page)
    page.page(f"{folder}/plain.html", "#view=functions")
    page.click_row("functions", "grow")
    tap.equal("not recorded: nothing is shown", page.apply(TABLE), None)
    page.page(f"{folder}/threads.html", "#view=functions")
    function, thread = page.evaluate("""(() => {
        const { nodes, cells, threads } = mprof.model;
        return [nodes.function[cells.node[0]], threads[cells.thread[0]]]; })()""")
    page.page(f"{folder}/threads.html", f"#view=functions&function={function}&thread={thread}")
    tap.ok("of one thread: it is said", page.evaluate(
        "document.querySelector('#main > .view:not([hidden])').innerText.includes('Not known by thread.')"))


reader.main(test)
# SPDX-License-Identifier: MIT
