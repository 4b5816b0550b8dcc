"""Checks what must hold for every flame graph, and prints its boxes as "LEVEL WIDTH NAME".

Widths are integer percentages of the drawing. Names are the complete ones of the tooltips.
"""
import re, sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"

def number(element, name):
    return float(element.get(name))

def main():
    root = ET.parse(sys.argv[1]).getroot()
    width, height = number(root, "width"), number(root, "height")
    assert not list(root.iter(SVG + "script")), "a script"
    classes = set(re.findall(r"\.(k\d+)\{", root.find(SVG + "style").text))
    groups = root.findall(SVG + "g")
    assert groups, "no box"
    boxes = []
    for group in groups:
        rect, title, text = (group.find(SVG + x) for x in ("rect", "title", "text"))
        x, y, w = (number(rect, name) for name in ("x", "y", "width"))
        assert 0 <= x and x + w <= width and y + number(rect, "height") <= height, "beyond the edge"
        if text is not None:
            assert number(text, "x") + 6.6 * len(text.text) <= x + w + 1, "a name wider than its box"
        used = set((rect.get("class") or "").split())
        assert used <= classes | {"r", "i"}, "a class without style"
        boxes.append((y, x, w, title.text))
    rows = sorted({box[0] for box in boxes})
    assert all(b - a == 18 for a, b in zip(rows, rows[1:])), "a row is missing"
    for y in rows:
        row = sorted(box for box in boxes if box[0] == y)
        assert all(a[1] + a[2] <= b[1] + 0.2 for a, b in zip(row, row[1:])), "boxes overlap"
        if y > rows[0]:
            above = [box for box in boxes if box[0] == y - 18]
            for _, x, w, title in row:
                assert any(a[1] <= x + 0.2 and x + w <= a[1] + a[2] + 1 for a in above), \
                    "without a caller: " + title
    whole = boxes[0][2] or 1            # if the total is 0, the widths are 0, too
    for y, x, w, title in boxes:
        print(rows.index(y), round(100 * w / whole), title.replace("\n", " | "))

main()
# SPDX-License-Identifier: MIT
