/* SPDX-License-Identifier: MIT */
/*
 * grid.js -- a table of any length. Only visible rows are in the page.
 *
 *     const grid = mprof.grid(element, {label, columns, n, sort, down, filter, matches, open, keys, sorted, filtered,
 *                                       tree});
 *
 * A column is {key, title, explain, unit, value(row)}. The unit is "bytes", "blocks", "count", "share" (value is a
 * fraction of 1) or "text". Optional members are text(row), which replaces the formatted value, rank(row), which is the
 * value to sort by, mark(row), a list of classes, more(row), a list of links that follow the text, and most, the largest
 * value if a row of a tree that is not outermost may have it. Rows are numbers below n. matches(test) returns a test for rows. open(row) handles clicks and Enter, keys[key](row) other keys.
 * sorted(key, down) and filtered(text) report changes by the reader.
 *
 * `tree`, {parent(row), children(row), opened, toggled()}, makes a tree of rows. Rows below n are its outermost rows.
 * children() returns other rows, which may be made when they are first asked for. parent() returns -1 for outermost
 * rows. `opened` is the set of the rows whose children are shown. Clicks and keys change it, then call toggled(). Rows
 * are sorted among their siblings. A filter shows rows that match, opened; a row must match if a row below it does.
 */
"use strict";
(() => {
    const ROW = 24;             /* height of a row in pixels, as in views.css */
    const INDENT = 16;          /* indentation of a row of a tree relative to its parent, in pixels */
    const DEEPEST = 24;         /* rows further in have the same indentation */
    const MARGIN = 8;           /* rows in the page above and below the visible rows */
    const PRINTED = 500;        /* maximum rows in print */
    const LEAST_TEXT = 12;      /* minimum width of a text column in characters */
    const LEAST_NUMBER = 7;     /* minimum width of a number in a tree, whose inner rows are not known in advance */
    const FEW = 8;              /* tables with fewer rows have no filter */
    const FOUND = 20000;        /* maximum rows of a tree that a filter opens */
    let grids = 0;

    /* ------------------------------------------------------------ text of values */

    /* Formats a fraction of 1. Returns "" for 0. */
    const share = fraction => fraction > 0 ? mprof.format.share(fraction, 1) : "";

    function shown(column, row) {
        if (column.text)
            return column.text(row);
        const value = column.value(row);

        if (column.unit === "text")
            return mprof.format.name(value);
        return column.unit === "share" ? share(value) : mprof.format.grouped(value);
    }

    /* ------------------------------------------------------------ order */

    /* Sorts rows by a column. Equal rows keep their order. */
    function order(rows, column, down) {
        const sign = down ? -1 : 1, text = column.unit === "text";
        const values = text ? [] : new Float64Array(rows.length);
        const places = Uint32Array.from(rows, (_, i) => i);

        for (let i = 0; i < rows.length; i++)
            values[i] = text ? column.value(rows[i]).toLowerCase() : Number((column.rank || column.value)(rows[i]));
        places.sort(text
            ? (a, b) => values[a] < values[b] ? -sign : values[a] > values[b] ? sign : a - b
            : (a, b) => sign * (values[a] - values[b]) || a - b);
        return places.map(place => rows[place]);
    }

    /* Returns a test for the filter TEXT, which is a list of words that must all occur, or /regular expression/.
     * Returns null if the expression is invalid. */
    function tester(text) {
        const pattern = /^\/(.+)\/?$/.exec(text);

        if (pattern)
            try {
                const expression = new RegExp(pattern[1].replace(/\/$/, ""), "i");

                return value => expression.test(value);
            } catch (error) {
                return null;
            }
        const words = text.toLowerCase().split(/\s+/).filter(word => word);

        return value => {
            const low = value.toLowerCase();

            return words.every(word => low.includes(word));
        };
    }

    /* ------------------------------------------------------------ the grid */

    class Grid {
        constructor(element, options) {
            this.options = options;
            this.id = "grid" + ++grids;
            this.all = Uint32Array.from({ length: options.n }, (_, i) => i);
            this.active = 0;
            this.drawn = new Map();         /* rows that are in the page, by their position */
            this.build(element);
            this.setColumns(options.columns, options.sort, options.down);
        }

        build(element) {
            const { label, n, filter, filtered, tree } = this.options;

            this.input = mprof.el("input", {
                type: "search", placeholder: "Filter: words, or /expression/", "aria-label": "Filter " + label,
                value: filter, hidden: n < FEW && !filter && !tree,
                oninput: () => {
                    this.filter();
                    if (filtered)
                        filtered(this.input.value);
                },
            });
            this.said = mprof.el("span", { class: "said", role: "status" });
            this.head = mprof.el("div", { class: "row head", role: "row" });
            this.space = mprof.el("div", { class: "space", role: "rowgroup", onclick: event => this.click(event) });
            this.body = mprof.el("div", {
                class: "rows", tabindex: 0, role: tree ? "treegrid" : "grid", "aria-label": label,
                onscroll: () => this.paint(), onkeydown: event => this.key(event),
            }, this.head, this.space);
            this.more = mprof.el("p", { class: "note" });
            this.root = mprof.el("div", { class: "grid" },
                mprof.el("div", { class: "bar" }, this.input, this.said, mprof.copier(() => this.text())),
                this.body, this.more);
            element.append(this.root);
            new ResizeObserver(() => this.paint()).observe(this.body);
            this.body.grid = this;
        }

        setColumns(columns, sort, down) {
            this.columns = columns;
            this.sort = columns.some(column => column.key === sort) ? sort : columns[0].key;
            this.down = down === undefined ? this.column().unit !== "text" : down;
            this.sortRows();
            this.setWidths();
            this.showHead();
            this.filter();
        }

        column() {
            return this.columns.find(column => column.key === this.sort);
        }

        sortRows() {
            this.sorted = order(this.all, this.column(), this.down);
        }

        /* ---------------------------------------------------- trees */

        /* Returns the rows of the tree that are shown, in depth-first order: the children of all opened rows, or the rows
         * that satisfy MATCHES. Sets `depth`, by row. */
        treeRows(matches) {
            const { children, opened } = this.options.tree, found = [], left = [...this.sorted].reverse();

            this.depth = new Map(left.map(row => [row, 0]));
            while (left.length) {
                const row = left.pop();

                if (matches && !matches(row))
                    continue;
                found.push(row);
                if (matches ? found.length > FOUND : !opened.has(row))
                    continue;
                for (const child of order(children(row), this.column(), this.down).reverse()) {
                    this.depth.set(child, this.depth.get(row) + 1);
                    left.push(child);
                }
            }
            return found;
        }

        /* Returns whether the children of ROW are shown, or null if it has none. */
        isOpen(row) {
            return this.options.tree.children(row).length ? this.filtering || this.options.tree.opened.has(row) : null;
        }

        toggle(row) {
            const { opened, toggled } = this.options.tree;

            if (this.filtering || this.isOpen(row) === null)
                return;
            if (!opened.delete(row))
                opened.add(row);
            toggled();
            this.filter();
        }

        /* Opens ROW, or moves to its first child if it is open (BY is 1). Closes ROW, or moves to its parent if it is
         * closed (BY is -1). */
        step(row, by) {
            const isOpen = this.isOpen(row), parent = this.options.tree.parent(row);

            if (isOpen !== null && isOpen === by < 0 && !this.filtering)
                this.toggle(row);
            else if (by > 0 && isOpen)
                this.move(this.active + 1);
            else if (by < 0 && parent >= 0)
                this.move(this.rows.indexOf(parent));
        }

        /* Makes each column of figures as wide as its longest value, so that all rows are aligned. */
        setWidths() {
            const widths = this.columns.map(column => {
                if (column.unit === "text")
                    return "minmax(" + LEAST_TEXT + "ch, " + (column.wide || 1) + "fr)";
                let most = column.most || 0, least = 0;

                if (column.unit !== "share")
                    for (const row of this.all) {
                        most = Math.max(most, column.value(row));
                        least = Math.min(least, column.value(row));
                    }
                if (column.text)
                    return this.all.reduce((longest, row) => Math.max(longest, column.text(row).length + 1),
                        column.title.length + 3) + "ch";
                const text = column.unit === "share" ? "100.0 %" : mprof.format.grouped(most);
                return Math.max(text.length, least < 0 ? mprof.format.grouped(least).length : 0, column.title.length + 2,
                    this.options.tree ? LEAST_NUMBER : 0) + 1 + "ch";
            });

            this.root.style.setProperty("--columns", widths.join(" "));
        }

        showHead() {
            this.head.replaceChildren(...this.columns.map(column => {
                const chosen = column.key === this.sort;
                const name = mprof.button(column.title, () => this.sortBy(column.key));

                if (column.explain)
                    name.title = column.explain;
                if (chosen)
                    name.append(mprof.el("span", { class: "arrow" }, this.down ? " \u25be" : " \u25b4"));
                return mprof.el("div", {
                    class: "cell " + column.unit, role: "columnheader",
                    "aria-sort": !chosen ? "none" : this.down ? "descending" : "ascending",
                }, name);
            }));
        }

        sortBy(key) {
            const again = key === this.sort;

            this.sort = key;
            this.down = again ? !this.down : this.column().unit !== "text";
            this.sortRows();
            this.showHead();
            this.head.querySelectorAll("button")[this.columns.indexOf(this.column())].focus();
            this.filter();
            if (this.options.sorted)
                this.options.sorted(this.sort, this.down);
        }

        filter() {
            const text = this.input.value.trim(), test = text ? tester(text) : null;

            this.input.setAttribute("aria-invalid", text && !test ? "true" : "false");
            const matches = test && (this.options.matches ? this.options.matches(test) : this.matchText(test));

            this.filtering = Boolean(test);
            this.rows = this.options.tree ? this.treeRows(matches) : matches ? this.sorted.filter(matches) : this.sorted;
            this.active = Math.min(this.active, Math.max(0, this.rows.length - 1));
            this.body.setAttribute("aria-rowcount", this.rows.length + 1);
            const all = this.options.tree ? this.rows.length : this.all.length;

            this.said.textContent = (this.rows.length < all ? mprof.format.grouped(this.rows.length) + " of " : "") +
                mprof.format.grouped(all) + (all === 1 ? " row" : " rows");
            this.repaint();
        }

        matchText(test) {
            const texts = this.columns.filter(column => column.unit === "text");

            return row => texts.some(column => test(column.value(row)));
        }

        /* ---------------------------------------------------- rows in the page */

        /* Returns the positions of the first row that must be in the page, and of the row after the last. */
        range() {
            const { scrollTop, clientHeight } = this.body;

            return this.printing ? [0, Math.min(this.rows.length, PRINTED)]
                : [Math.max(0, Math.floor(scrollTop / ROW) - MARGIN),
                    Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / ROW) + MARGIN)];
        }

        /* Adds and removes rows after scrolling. Rows that stay in the page keep their elements. */
        paint() {
            const [first, last] = this.range(), before = [], after = [];

            for (const [place, element] of this.drawn)
                if (place < first || place >= last) {
                    element.remove();
                    this.drawn.delete(place);
                }
            const least = Math.min(...this.drawn.keys());
            for (let place = first; place < last; place++)
                if (!this.drawn.has(place)) {
                    const element = this.row(place);

                    this.drawn.set(place, element);
                    (place < least && least !== Infinity ? before : after).push(element);
                }
            this.space.prepend(...before);
            this.space.append(...after);
            this.markActive();
        }

        markActive() {
            const element = this.drawn.get(this.active);

            for (const each of this.space.querySelectorAll(".active"))
                each.classList.remove("active");
            if (element) {
                element.classList.add("active");
                this.body.setAttribute("aria-activedescendant", element.id);
            } else {
                this.body.removeAttribute("aria-activedescendant");
            }
        }

        /* Replaces all rows. */
        repaint() {
            this.drawn.clear();
            this.space.replaceChildren();
            this.space.style.height = (this.printing ? this.range()[1] : this.rows.length) * ROW + "px";
            this.paint();
        }

        /* Shows many rows at once for printing, because paper cannot be scrolled. */
        print(printing) {
            this.printing = printing;
            this.more.textContent = printing && this.rows.length > PRINTED
                ? mprof.format.grouped(this.rows.length - PRINTED) + " more rows" : "";
            this.repaint();
        }

        row(place) {
            const element = mprof.el("div", {
                class: "row", id: this.id + "-" + place, "data-place": place, role: "row", "aria-rowindex": place + 2,
            });

            element.style.top = place * ROW + "px";
            for (const column of this.columns) {
                const text = shown(column, this.rows[place]);
                const cell = mprof.el("div", {
                    class: "cell " + column.unit, role: "gridcell", title: column.unit === "text" ? text : null,
                }, text, column.more ? column.more(this.rows[place]).flatMap(link => [" ", link]) : []);

                /* Links in rows are not reached by Tab, because there are many. Keys do the same for the active row. */
                for (const link of cell.querySelectorAll("a, button"))
                    link.tabIndex = -1;
                if (column.mark)
                    cell.classList.add(...column.mark(this.rows[place]));
                element.append(cell);
            }
            if (this.options.tree)
                this.showBranch(element, this.rows[place]);
            return element;
        }

        /* Indents the first cell of ROW, and marks whether it is open. */
        showBranch(element, row) {
            const isOpen = this.isOpen(row);

            element.setAttribute("aria-level", this.depth.get(row) + 1);
            element.firstChild.style.paddingLeft = Math.min(this.depth.get(row), DEEPEST) * INDENT + 4 + "px";
            element.firstChild.classList.add("branch");
            if (isOpen !== null)
                element.setAttribute("aria-expanded", String(isOpen));
        }

        click(event) {
            const element = event.target.closest(".row");

            if (!element || event.target.closest("a, button"))
                return;
            this.active = Number(element.dataset.place);
            this.markActive();
            this.openActive();
        }

        openActive() {
            if (this.options.tree)
                this.toggle(this.rows[this.active]);
            else if (this.options.open)
                this.options.open(this.rows[this.active]);
        }

        /* Selects ROW, which is shown in the middle of the table, unless it is filtered out. */
        center(row) {
            const place = this.rows.indexOf(row);

            if (place < 0)
                return;
            this.body.scrollTop = place * ROW - (this.body.clientHeight - this.head.offsetHeight - ROW) / 2;
            this.move(place);
        }

        move(place) {
            const seen = this.body.clientHeight - this.head.offsetHeight;

            this.active = Math.max(0, Math.min(this.rows.length - 1, place));
            if (this.active * ROW < this.body.scrollTop)
                this.body.scrollTop = this.active * ROW;
            if ((this.active + 1) * ROW > this.body.scrollTop + seen)
                this.body.scrollTop = (this.active + 1) * ROW - seen;
            this.paint();
        }

        key(event) {
            const page = Math.max(1, Math.floor(this.body.clientHeight / ROW) - 2);
            const to = {
                ArrowUp: this.active - 1, ArrowDown: this.active + 1, PageUp: this.active - page,
                PageDown: this.active + page, Home: 0, End: this.rows.length - 1,
            }[event.key];

            if (event.target !== this.body || event.ctrlKey || event.altKey || event.metaKey)
                return;
            if (to !== undefined)
                this.move(to);
            else if (event.key === "Enter" && this.rows.length && (this.options.open || this.options.tree))
                this.openActive();
            else if (this.rows.length && this.options.keys && this.options.keys[event.key])
                this.options.keys[event.key](this.rows[this.active]);
            else if (this.options.tree && this.rows.length && (event.key === "ArrowRight" || event.key === "ArrowLeft"))
                this.step(this.rows[this.active], event.key === "ArrowRight" ? 1 : -1);
            else
                return;
            event.preventDefault();
        }

        /* ---------------------------------------------------- as text */

        /* Returns all rows that match the filter as text in columns. Numbers have no commas. */
        text() {
            const [first, ...others] = this.columns, indent = row => "  ".repeat(this.depth.get(row));

            return mprof.tableText(this.options.tree
                ? [{ ...first, text: row => indent(row) + shown(first, row) }, ...others] : this.columns, this.rows);
        }
    }

    /* Formats ROWS as lines of text with aligned columns and a header. */
    function tableText(columns, rows) {
        const lines = [columns.map(column => column.title)];

        for (const row of rows)
            lines.push(columns.map(column =>
                shown(column, row).replace(column.unit === "text" ? /[\t\n]/g : /[, ]/g, "")));
        const widths = columns.map((_, i) => lines.reduce((most, line) => Math.max(most, line[i].length), 0));

        return lines.map(line => line.map((text, i) => columns[i].unit === "text"
            ? text.padEnd(widths[i]) : text.padStart(widths[i])).join("  ").trimEnd()).join("\n") + "\n";
    }

    for (const [event, printing] of [["beforeprint", true], ["afterprint", false]])
        addEventListener(event, () => {
            for (const body of document.querySelectorAll("#main > .view:not([hidden]) .rows"))
                body.grid.print(printing);
        });

    mprof.grid = (element, options) => new Grid(element, options);
    mprof.tableText = tableText;
    mprof.tester = tester;
})();
