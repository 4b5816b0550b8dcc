/*
 * source.js -- the view "Source": source files in the page, with what was allocated on their lines.
 *
 * A line has two figures: what it allocated itself, and the same including everything called on it. Each byte counts
 * once, however often the line occurs on a chain.
 */
"use strict";
(() => {
    const sources = () => mprof.model.sources || {};
    const fileOf = f => mprof.model.functions.file[f];
    const hasFile = file => sources()[file] !== undefined;
    const has = f => hasFile(fileOf(f));

    /* Returns the values of FIGURE for the lines of FILE: {self, total}, by line number. */
    function figuresOf(file, figure) {
        const { keys, sum } = mprof.sums.groups("lines", mprof.lineOf), begin = mprof.model.files[file] + ":";
        const n = sources()[file].lines.length + sources()[file].first;
        const self = new Float64Array(n), total = new Float64Array(n), own = sum("self", figure), all = sum("total", figure);

        keys.forEach((key, i) => {
            const line = key.startsWith(begin) ? Number(key.slice(begin.length)) : n;

            if (line < n) {
                self[line] = own[i];
                total[line] = all[i];
            }
        });
        return { self, total };
    }

    /* Returns the source files as [{key, title, sum}], sorted by `sum`, what was allocated on their lines, largest
     * first. */
    function files(figure) {
        return Object.keys(sources()).map(Number).map(file => ({
            key: String(file), title: mprof.format.name(mprof.model.files[file]),
            sum: figuresOf(file, figure).self.reduce((a, b) => a + b, 0),
        })).sort((a, b) => b.sum - a.sum || (a.title < b.title ? -1 : 1));
    }

    function show(element, state, narrow) {
        const figure = mprof.model.figure(state.figure), all = files(figure.key);
        const wanted = state.function ? fileOf(Number(state.function)) : Number(state.file);
        const file = hasFile(wanted) ? wanted : Number(all[0].key);
        const { first, lines, doubt } = sources()[file], { self, total } = figuresOf(file, figure.key);
        const column = (key, title, values, explain) => ({
            key, title, unit: figure.unit, explain, value: row => values[row + first],
            text: row => values[row + first] ? mprof.format.grouped(values[row + first]) : "",
        });
        const columns = [column("total", mprof.figures.title(figure), total, "Allocated by what is called on the line.")];

        if (!narrow)
            columns.push(column("self", "itself", self, "Allocated by the line itself."));
        columns.push({ key: "line", title: "line", unit: "count", value: row => row + first },
            { key: "text", title: "source", unit: "text", value: row => lines[row] });
        element.append(mprof.el("p", { class: "controls" },
            mprof.figures.chooser("File", all, String(file), key => mprof.url.set({ file: key, function: null, line: null })),
            mprof.figures.figureChooser(state)));
        if (doubt)
            element.append(mprof.el("p", { class: "note" }, `${mprof.format.name(mprof.model.files[file])}: ${doubt}`));
        const grid = mprof.grid(element, {
            label: "source", n: lines.length, columns, sort: state.sort || "line", down: state.up === "0",
            filter: state.q, filtered: q => mprof.url.set({ q: q || null }, true),
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? "0" : null }, true),
        });

        grid.root.classList.add("source");
        if (state.line)
            grid.move(Number(state.line) - first);
        else if (state.function)
            grid.move(firstLine(Number(state.function)) - first);
    }

    /* Returns the smallest line of function F that occurs on a chain. */
    function firstLine(f) {
        const { function: of, line, file, count } = mprof.model.nodes;
        let least = Infinity;

        for (let i = 1; i < count; i++)
            if (of[i] === f && line[i] && file[i] === fileOf(f))
                least = Math.min(least, line[i]);
        return Number.isFinite(least) ? least : 1;
    }

    mprof.source = { has, hasFile };
    mprof.views.push({
        id: "source", title: "Source", resized: true,
        applies: model => Boolean(model.sources) && Object.keys(model.sources).length > 0,
        show: (element, state) => mprof.figures.renew(element, state, ["sort", "up", "q", "node", "search"],
            narrow => show(element, state, narrow)),
    });
})();
