#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A terminal's screen, as `tmux capture-pane -e -p` writes it, as a page for a browser.

    terminal.py TITLE < capture > page.html
"""
import html
import re
import sys

COLOURS = ["#2e3436", "#cc0000", "#3f8a06", "#b08800", "#2f5f9f", "#75507b", "#06989a", "#d3d7cf"]
BRIGHT = ["#555753", "#ef2929", "#63b82a", "#d9b600", "#5b8fd0", "#ad7fa8", "#34c2c4", "#eeeeec"]
LIGHT, DARK = "#e6e6e6", "#1c2126"

PAGE = """<!DOCTYPE html>
<meta charset="utf-8"><title>{title}</title>
<style>
body {{ margin: 0; background: {dark}; }}
header {{ background: #343b43; color: #c8ccd0; font: 13px "DejaVu Sans", sans-serif; padding: 5px 12px; }}
pre span {{ display: inline-block; height: 18px; vertical-align: top; }}
pre {{ margin: 0; padding: 8px 12px; color: {light}; font: 14px/18px "DejaVu Sans Mono", monospace; }}
</style>
<header>{title}</header>
<pre>{text}</pre>
"""


class Style:
    """What the sequences so far ask for."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.bold = self.dim = self.italic = self.underline = self.reverse = False
        self.fore, self.back = None, None

    def take(self, codes):
        """Change by the numbers of one ESC [ ... m."""
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (38, 48) and codes[:1] == [5]:
                self.set_colour(code == 38, self.of_256(codes[1]))
                codes = codes[2:]
            elif code in (1, 2, 3, 4, 7):
                name = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}[code]
                setattr(self, name, True)
            elif code in (22, 23, 24, 27):
                for name in {22: ["bold", "dim"], 23: ["italic"], 24: ["underline"], 27: ["reverse"]}[code]:
                    setattr(self, name, False)
            elif code in (39, 49):
                self.set_colour(code == 39, None)
            elif 30 <= code <= 37 or 40 <= code <= 47:
                self.set_colour(code < 40, COLOURS[code % 10])
            elif 90 <= code <= 97 or 100 <= code <= 107:
                self.set_colour(code < 100, BRIGHT[code % 10])

    @staticmethod
    def of_256(number):
        """A colour of the palette of 256."""
        if number < 16:
            return (COLOURS + BRIGHT)[number]
        if number >= 232:
            return "#" + 3 * f"{8 + 10 * (number - 232):02x}"
        steps = [0, 95, 135, 175, 215, 255]
        number -= 16
        return "#" + "".join(f"{steps[number // place % 6]:02x}" for place in (36, 6, 1))

    def set_colour(self, is_fore, colour):
        if is_fore:
            self.fore = colour
        else:
            self.back = colour

    def css(self):
        fore, back = self.fore, self.back
        if self.reverse:
            fore, back = back or DARK, fore or LIGHT
        rules = [f"color:{fore}" if fore else "", f"background:{back}" if back else "",
                 "font-weight:bold" if self.bold else "", "opacity:.7" if self.dim else "",
                 "font-style:italic" if self.italic else "",
                 "text-decoration:underline" if self.underline else ""]
        return ";".join(rule for rule in rules if rule)


def page_text(capture):
    """The capture's text, in spans."""
    style, parts = Style(), []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", capture):
        if piece.startswith("\x1b["):
            style.take(piece[2:-1])
        elif piece:
            piece = html.escape(re.sub(r"\x1b[^a-zA-Z]*[a-zA-Z]|[\x0e\x0f]", "", piece))
            css = style.css()
            for line in re.split(r"(\n)", piece):
                parts.append(f'<span style="{css}">{line}</span>' if css and line.strip("\n") else line)
    return "".join(parts)


sys.stdout.write(PAGE.format(title=html.escape(sys.argv[1]), light=LIGHT, dark=DARK,
                             text=page_text(sys.stdin.read())))
