"""Layout of pages: cut or overlapping text in two sizes of the window, contrast in light and dark, and print."""

import reader

SIZES = ((1280, 800), (390, 844))

# The tested views: the name of the picture, the page, and the fragment of the address.
VIEWS = (
    ("overview", "perl", "#view=overview"),
    ("flame", "perl", "#view=flame"),
    ("functions", "perl", "#view=functions"),
    ("up", "perl", "#view=functions&table=up"),
    ("down", "perl", "#view=functions&table=down"),
    ("lines", "perl", "#view=functions&table=lines"),
    ("function", "perl", "#view=functions&function={Perl_pp_join}"),
    ("cycle", "cycles", "#view=functions&cycle=1"),
    ("types", "perl", "#view=types"),
    ("sizes", "perl", "#view=types&of=sizes"),
    ("time", "moments", "#view=time&by=function&moment=2"),
    ("log", "moments", "#view=time&log=1"),
    ("source", "moments", "#view=source&function={index_all}"),
)

# Returns the lowest contrast of visible text with its background (WCAG 2), and the text.
CONTRAST = """() => {
    const parts = color => (color.match(/[\\d.]+/g) || []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c =>
        c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((s, c, i) => s + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = element => {
        for (let e = element; e; e = e.parentElement) {
            const color = parts(getComputedStyle(e).backgroundColor);
            if (color.length === 3 || color[3] > 0.99) return color;
        }
        return [255, 255, 255];
    };
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const e = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !e.getClientRects().length || e.closest("svg, canvas, option")) continue;
        const [a, b] = [light(parts(getComputedStyle(e).color)), light(behind(e))];
        found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.textContent.slice(0, 40)]);
    }
    return found.sort((x, y) => x[0] - y[0])[0] || [21, ""];
}"""


def open_view(page, path, address):
    """Opens the page PATH at ADDRESS, in which {NAME} is replaced by the number of the function NAME."""
    if "{" in address:
        name = address[address.index("{") + 1:address.index("}")]
        page.page(path)
        number = page.evaluate(f"mprof.model.functions.name.indexOf({name!r})")
        address = address.replace("{" + name + "}", str(number))
    page.page(path, address)


def picture(page, pictures, name):
    """Takes a picture of the page, if there is a folder PICTURES for it."""
    if pictures:
        page.screenshot(f"{pictures}/{name}.png")


def look(tap, page, folder, pictures, size):
    for name, file, address in VIEWS:
        open_view(page, f"{folder}/{file}.html", address)
        wrong = page.layout()
        picture(page, pictures, f"{name}-{size[0]}")
        tap.equal(f"{name}, {size[0]} pixels wide: no text is cut or covered", wrong, [])
        tap.ok("... and there is some", len(page.text("#main > .view:not([hidden])") or "") > 20)


def long_names(tap, page, folder, size):
    """Replaces names by names as long as those of templates, and by names without places for line breaks."""
    page.page(f"{folder}/cycles.html", "#view=overview")
    page.evaluate("""mprof.model.functions.name.forEach((name, f) => mprof.model.functions.name[f] = f % 2
        ? name + "<std::pair<const std::string, std::vector<int>>".repeat(9) : name.padEnd(250, "_x"))""")
    for title, open_it in (("functions", lambda: page.click("#tabs [role=tab]", "Functions")),
                           ("function", lambda: page.key("Enter")),
                           ("bottom-up", lambda: [page.press("All functions"), page.press("Bottom-up")])):
        open_it()
        tap.equal(f"long names, {title}, {size[0]} pixels wide", page.layout(), [])
        page.focus("#main > .view:not([hidden]) [role$=grid]")


def tabs(tap, page, folder, size):
    """In a narrow window, the row of tabs scrolls, and a shadow shows that there are more."""
    page.page(f"{folder}/perl.html", "#view=overview")
    more, attached = page.evaluate("""(() => {
        const row = document.getElementById("tabs");
        return [row.scrollWidth > row.clientWidth, getComputedStyle(row).backgroundAttachment];
    })()""")
    tap.equal(f"tabs scroll, {size[0]} pixels wide", more, size[0] < 400)
    tap.equal("... with a shadow at the side, which stays, and what covers it at the ends", attached,
              "local, local, scroll, scroll")
    tap.equal("... and the page itself does not", page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"), True)


def dark(tap, page, folder, pictures):
    for scheme in ("light", "dark"):
        page.resize(1280, 800, scheme)
        for name, file, address in VIEWS:
            open_view(page, f"{folder}/{file}.html", address)
            least, text = page.apply(CONTRAST)
            if scheme == "dark":
                picture(page, pictures, f"{name}-dark")
            tap.ok(f"{name}, {scheme}: text can be read", least >= 4.5, f"{least:.2f}: {text}")


def paper(tap, page, folder):
    """In print there are no controls, and tables have all their rows."""
    page.resize(1280, 800)
    page.page(f"{folder}/moments.html", "#view=functions")
    rows = len(page.rows("functions"))
    page.call("Emulation.setEmulatedMedia", media="print")
    page.settle()
    tap.equal("printed: no controls", page.texts("#main > .view:not([hidden]) .bar button"), [])
    tap.equal("... and the rows", len(page.texts("#main > .view:not([hidden]) .space .row")), rows)
    page.call("Emulation.setEmulatedMedia", media="")
    page.page(f"{folder}/perl.html", "#view=functions")
    count = page.evaluate("Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount')) - 1")
    page.evaluate("addEventListener('beforeprint', () => window.printed ="
                  " document.querySelectorAll('.space .row').length)")
    tap.ok("a longer table is not in the page as a whole", len(page.rows("functions")) < count, count)
    page.call("Page.printToPDF")
    tap.equal("... but it is printed", page.evaluate("window.printed"), count)
    tap.ok("... and then is as it was", len(page.rows("functions")) < count, count)


def test(tap, page, arguments):
    folder, pictures = (*arguments, None)[:2]
    for size in SIZES:
        page.resize(*size)
        look(tap, page, folder, pictures, size)
        tabs(tap, page, folder, size)
        long_names(tap, page, folder, size)
        tabs(tap, page, folder, size)
    dark(tap, page, folder, pictures)
    paper(tap, page, folder)


reader.main(test)
# SPDX-License-Identifier: MIT
