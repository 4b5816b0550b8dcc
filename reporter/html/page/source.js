/* SPDX-License-Identifier: MIT */
/*
 * source.js -- the view "Source": source files in the page, with what was allocated on their lines.
 *
 * A line has two figures: what it allocated itself, and the same including everything called on it. Each byte counts
 * once, however often the line occurs on a chain. The page may have only the lines near counted lines.
 *
 *     mprof.source.link(file, line, figure, short)    returns a link that is called "name:line", or "line" if SHORT. It
 *                                             leads to the line, or to the table of lines if the page has no such file
 *     mprof.source.open(file, line)           does what a click on this link does
 *     mprof.source.linked(text)               returns TEXT as a list of texts and links, one for each "name:line" in it
 *                                             that is the line of a call
 *     mprof.source.lines(f, figure)           returns the lines of calls in function F as [{file, line, value}], largest
 *                                             own value of FIGURE first, or largest total if there are only calls
 */
"use strict";
(() => {
    const GAP = "\u22ef";        /* text of the row that replaces lines which the page lacks */
    const HOT = 0.1;            /* lines with this part of the figure are marked */

    const sources = () => mprof.model.sources || {};
    const hasFile = file => sources()[file] !== undefined;
    const has = f => lines(f, "bytes").some(({ file }) => hasFile(file));
    const baseName = file => (mprof.model.files[file] || "").replace(/^.*\//, "");

    /* ------------------------------------------------------------ links */

    /* Returns the changes of the address that lead to LINE of FILE. */
    function address(file, line, figure) {
        const known = { node: null, path: null, sort: null, up: null, q: null, cycle: null, function: null, figure };
        const quoted = baseName(file).replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

        if (!figure)
            delete known.figure;
        return hasFile(file) ? { ...known, view: "source", file, line }
            : { ...known, view: "functions", table: "lines", q: "/(^|\\/)" + quoted + ":" + line + "$/" };
    }

    const open = (file, line) => mprof.url.set(address(file, line));
    const link = (file, line, figure, short = false) => mprof.el("a", {
        class: "place", href: mprof.url.link(address(file, line, figure)),
        title: mprof.format.name(mprof.model.files[file]) + ":" + line,
    }, (short ? "" : mprof.format.name(baseName(file)) + ":") + line);

    /* Returns, by "name:line" of calls, the file, or -1 if files in several directories have such a name. */
    function places() {
        return mprof.graph.once("places by name", () => {
            const { line, file, count } = mprof.model.nodes, found = new Map();

            for (let i = 1; i < count; i++) {
                const name = line[i] && file[i] >= 0 ? baseName(file[i]) + ":" + line[i] : "";

                if (name)
                    found.set(name, (found.has(name) ? found.get(name) : file[i]) === file[i] ? file[i] : -1);
            }
            return found;
        });
    }

    function linked(text) {
        return mprof.format.name(text).split(/([^\s()/:,;]+:\d+)/).map((part, i) => {
            const file = i % 2 ? places().get(part) : undefined;

            return file >= 0 ? link(file, Number(part.replace(/^.*:/, ""))) : part;
        });
    }

    /* ------------------------------------------------------------ figures of lines */

    function lines(f, figure) {
        return mprof.graph.once("lines of " + f + " " + figure, () => {
            const { function: of, line, file, count } = mprof.model.nodes, found = new Map();
            const self = mprof.model.self(figure), total = mprof.model.inclusive(figure);

            for (let i = 1; i < count; i++) {
                if (of[i] !== f || !line[i] || file[i] < 0)
                    continue;
                const key = file[i] + ":" + line[i], one = found.get(key) || { file: file[i], line: line[i], self: 0, total: 0 };

                one.self += self[i];
                one.total += total[i];
                found.set(key, one);
            }
            const all = [...found.values()], what = all.some(one => one.self !== 0) ? "self" : "total";

            return all.map(one => ({ file: one.file, line: one.line, value: one[what] }))
                .sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.line - b.line);
        });
    }

    /* Returns the rows of FILE: lists of line numbers and texts. Rows for gaps have the line 0. */
    function rowsOf(file) {
        const line = [], text = [];

        for (const [first, list] of sources()[file].parts) {
            if (first !== (line.length ? line[line.length - 1] + 1 : 1)) {
                line.push(0);
                text.push(GAP);
            }
            list.forEach((each, i) => {
                line.push(first + i);
                text.push(each);
            });
        }
        return { line, text, n: line.length };
    }

    /* Returns the values of FIGURE for the lines of FILE: two maps by line number. */
    function figuresOf(file, figure) {
        const { keys, sum } = mprof.sums.groups("lines", mprof.lineOf), begin = mprof.model.files[file] + ":";
        const self = new Map(), total = new Map(), own = sum("self", figure), all = sum("total", figure);

        keys.forEach((key, i) => {
            if (key.startsWith(begin)) {
                self.set(Number(key.slice(begin.length)), own[i]);
                total.set(Number(key.slice(begin.length)), all[i]);
            }
        });
        return { self, total };
    }

    /* Returns the source files as [{key, title, sum}], sorted by `sum`, what was allocated on their lines, largest
     * first. */
    function files(figure) {
        return Object.keys(sources()).map(Number).map(file => ({
            key: String(file), title: mprof.format.name(mprof.model.files[file]),
            sum: [...figuresOf(file, figure).self.values()].reduce((a, b) => a + Math.abs(b), 0),
        })).sort((a, b) => b.sum - a.sum || (a.title < b.title ? -1 : 1));
    }

    /* Returns the line with the largest own value, or else with the largest total, or 0. */
    function hottest({ self, total }) {
        const best = values => [...values].reduce((a, b) => Math.abs(b[1]) > Math.abs(a[1]) ? b : a, [0, 0])[0];

        return best(self) || best(total);
    }

    /* ------------------------------------------------------------ the view */

    function show(element, state, narrow) {
        const figure = mprof.model.figure(state.figure), all = files(figure.key), whole = mprof.model.total(figure.key);
        const of = state.function ? lines(Number(state.function), figure.key).find(({ file }) => hasFile(file)) : undefined;
        const file = of ? of.file : state.file !== undefined && hasFile(Number(state.file)) ? Number(state.file) : Number(all[0].key);
        const { doubt } = sources()[file], rows = rowsOf(file), sums = figuresOf(file, figure.key);
        const at = of ? of.line : Number(state.line) || hottest(sums);
        const value = (values, row) => values.get(rows.line[row]) || 0;
        const column = (key, title, values, explain) => ({
            key, title, unit: figure.unit, explain, value: row => value(values, row),
            text: row => value(values, row) ? mprof.format.grouped(value(values, row)) : "",
            mark: row => Math.abs(value(values, row)) >= HOT * Math.abs(whole) && value(values, row) ? ["hot"] : [],
        });
        const columns = [column("total", mprof.figures.title(figure), sums.total, "Allocated by what is called on the line.")];

        if (!narrow) {
            if (!figure.difference)
                columns.push({
                    key: "share", title: "%", unit: "share", value: row => whole > 0 ? value(sums.total, row) / whole : 0,
                    explain: "Share of the whole program's.",
                });
            columns.push(column("self", "itself", sums.self, "Allocated by the line itself."));
        }
        columns.push({
            key: "line", title: "line", unit: "count", value: row => rows.line[row] || (rows.line[row + 1] || Infinity) - 0.5,
            text: row => rows.line[row] ? String(rows.line[row]) : "",
        }, { key: "text", title: "source", unit: "text", value: row => rows.text[row] });
        element.append(mprof.el("p", { class: "controls" },
            mprof.figures.chooser("File", all, String(file), key => mprof.url.set({ file: key, function: null, line: null })),
            mprof.figures.figureChooser(state)));
        if (doubt)
            element.append(mprof.el("p", { class: "note" }, `${mprof.format.name(mprof.model.files[file])}: ${doubt}`));
        const grid = mprof.grid(element, {
            label: "source", n: rows.n, columns, sort: state.sort || "line", down: state.up === "0",
            filter: state.q, filtered: q => mprof.url.set({ q: q || null }, true),
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? "0" : null }, true),
        });

        grid.root.classList.add("source");
        grid.center(rows.line.indexOf(at));
    }

    mprof.source = { has, hasFile, link, open, linked, lines };
    mprof.views.push({
        id: "source", title: "Source", resized: true,
        applies: model => Boolean(model.sources) && Object.keys(model.sources).length > 0,
        show: (element, state) => mprof.figures.renew(element, state, ["sort", "up", "q", "node", "search"],
            narrow => show(element, state, narrow)),
    });
})();
