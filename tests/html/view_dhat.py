"""Files that mprof exported, in valgrind's viewer of DHAT files."""

import json
import os
import re
import sys
from collections import defaultdict

import reader
from chrome import Chrome


def dumped(path):
    """Returns the figures of each chain in a file of mprof export -F ids.

    A chain is a tuple of functions, innermost first. Figures have the viewer's order: bytes and blocks of the total, at the
    peak, and at the end.
    """
    functions, chains, figures = {}, {"0": ()}, defaultdict(lambda: [0] * 6)
    for line in open(path, encoding="utf-8"):
        what, _, rest = line.rstrip("\n").partition(" ")
        if what == "f":
            number, _, name = rest.partition(" ")
            functions[number] = name.replace("\\x3b", ";")
        elif what == "c":
            node, parent, function = rest.split()
            chains[node] = (functions[function],) + chains[parent]
        else:
            numbers = rest.split()
            allocs, size, frees, freed, peak, blocks = map(int, numbers[:6])
            sums = figures[chains[numbers[7]]]
            for i, figure in enumerate((size, allocs, max(peak, 0), max(blocks, 0), size - freed, allocs - frees)):
                sums[i] += figure
    return dict(figures)


def plain(figures):
    """Returns bytes and blocks of a text such as "1,234 bytes (5%, ...) in 6 blocks (...)"."""
    return [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) (?:byte|block)", figures)[:2]]


def shown(text):
    """Returns the figures of each chain in the viewer's TEXT, which are those of the leaves, and those of the root."""
    chains, root = defaultdict(lambda: [0] * 6), None
    for part in re.split(r"\n(?=.*PP [\d.]+/\d+ )", text)[1:]:
        figures = []
        for label in ("Total", "At t-gmax", "At t-end"):
            figures += plain(re.search(rf"{label}: +(.*)", part)[1])
        root = root or figures
        if "children)" in part.split("\n")[0]:
            continue
        calls = re.findall(r"[#^]\d+: (?:0x[0-9A-F]+: )?(.*?)(?: \((?:in )?\S*\))?$", part, re.MULTILINE)
        sums = chains[tuple(calls)]
        for i, figure in enumerate(figures):
            sums[i] += figure
    return dict(chains), root


def main():
    viewer, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    tap = reader.Tap()
    with Chrome(folder, ("--allow-file-access-from-files",)) as page:
        for name in names:
            page.open(viewer)
            expected = dumped(f"{folder}/{name}.dump")
            element = page.call("Runtime.evaluate", expression="gInput")["result"]["objectId"]
            page.call("DOM.setFileInputFiles", objectId=element, files=[f"{folder}/{name}.json"])
            page.wait("!!gRoot || /rror/.test(gMainDiv.innerText)")
            page.evaluate("for (const d of gSelectData) d.sig = () => true; displayTree()")
            text = page.evaluate("gMainDiv.innerText")
            chains, root = shown("\n" + text)
            tap.equal(f"{name}: all of it", root, [sum(f[i] for f in expected.values()) for i in range(6)])
            tap.equal(f"{name}: its {len(expected)} chains", {" < ".join(c): f for c, f in chains.items()},
                      {" < ".join(c): f for c, f in expected.items()})
            with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
                data = json.load(file)
            tap.ok(f"{name}: command", data["cmd"] in text, text[:200])
        tap.equal("the viewer has no complaint", page.errors, [])
    tap.end()


main()
# SPDX-License-Identifier: MIT
