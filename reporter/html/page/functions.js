/* SPDX-License-Identifier: MIT */
/*
 * functions.js -- the view "Functions": tables by function, module, file and line, and those of ways.js. A selected
 * function is shown with its callers and callees.
 */
"use strict";
(() => {
    /* ------------------------------------------------------------ columns of figures */

    /* Returns the columns of figures: the chosen figure with its share, and the others. SELF(figure) returns what each
     * row allocated itself, and TOTAL(figure) the same including callees. TOTAL is null if both are equal. */
    function figureColumns(chosen, self, total, narrow) {
        const figure = mprof.model.figure(chosen), whole = mprof.model.total(chosen) || 1;
        const values = (total || self)(chosen), own = self(chosen);

        if (figure.of && figure.difference)
            return mprof.changes.columns(figure, total || self, total && self, narrow);
        const columns = [{
            key: "total", title: mprof.figures.title(figure), unit: figure.unit, value: row => values[row],
            explain: total ? "Allocated by it and all that it called." : "Allocated there.",
        }];

        if (!figure.difference)
            columns.push({
                key: "share", title: "%", unit: "share", value: row => values[row] / whole,
                explain: "Share of the whole program's.",
            });
        if (total)
            columns.push({
                key: "self", title: "itself", unit: figure.unit, value: row => own[row],
                explain: "Allocated by it alone.",
            });
        if (narrow || figure.of)
            return columns;
        for (const other of mprof.figures.ofAll())
            if (other.key !== chosen) {
                const others = (total || self)(other.key);

                columns.push({
                    key: other.key, title: mprof.figures.title(other), unit: other.unit, value: row => others[row],
                });
            }
        return columns;
    }

    /* Returns the rows below COUNT that have a value other than 0 in any figure. */
    function present(count, figures) {
        const rows = [], all = mprof.figures.ofAll().map(f => figures(f.key));

        for (let i = 0; i < count; i++)
            if (all.some(values => values[i] !== 0))
                rows.push(i);
        return Uint32Array.from(rows);
    }

    /* ------------------------------------------------------------ tables */

    /*
     * A table is {label, self(figure), total(figure), rows, names, open(id), skip(id)}. `rows` are the ids of its rows,
     * which index the lists of figures. `names` are the columns of names; narrow views leave out those that are `late`.
     * The last two members are optional.
     */

    function functionsTable() {
        const self = figure => mprof.graph.sums("self", figure);
        const total = figure => mprof.graph.sums("total", figure);
        const model = mprof.model;

        return {
            label: "functions", self, total,
            rows: mprof.graph.once("rows of functions", () => present(model.functions.count, total)),
            names: [
                { key: "name", title: "function", unit: "text", wide: 3, value: f => model.functions.name[f] },
                { key: "module", title: "module", unit: "text", late: true, value: f => model.moduleName(f) },
            ],
            open: f => mprof.url.set({ view: "functions", function: f }), skip: mprof.skip.add,
        };
    }

    /* Returns a table of nodes grouped by KEYOF(node). TEXT(key) and OPEN(key) show and open a row. */
    function grouped(name, title, keyOf, text, open) {
        const { keys, sum } = mprof.sums.groups(name, keyOf);
        const self = figure => sum("self", figure), total = figure => sum("total", figure);

        return {
            label: name, self, total,
            rows: mprof.graph.once("rows of " + name, () => present(keys.length, total)),
            names: [{ key: "name", title, unit: "text", value: row => text(keys[row]) }],
            open: open && (row => open(keys[row])),
        };
    }

    /* Returns "file:line" of NODE's call, or only the file if the line is unknown. */
    function place(node) {
        const model = mprof.model, line = model.nodes.line[node];

        return model.fileOf(node) + (line ? ":" + line : "");
    }

    /* Returns the place of NODE's call, or null if the line is unknown. */
    const lineOf = node => mprof.model.nodes.line[node] ? place(node) : null;

    /* Opens the source file at the line KEY, or a function with a call on this line if the page has no such file. */
    function toSource(key) {
        const { function: functions, file, line } = mprof.model.nodes;
        const node = functions.findIndex((_, i) => i > 0 && lineOf(i) === key);

        if (node > 0 && mprof.source.hasFile(file[node]))
            mprof.source.open(file[node], line[node]);
        else if (node > 0)
            mprof.url.set({ view: "functions", function: functions[node] });
    }

    const same = key => key;
    const TABLES = [
        { key: "functions", title: "Functions", make: functionsTable },
        { key: "up", title: "Bottom-up" },
        { key: "down", title: "Top-down" },
        { key: "modules", title: "Modules", make: () => grouped("modules", "module",
            node => mprof.model.moduleName(mprof.model.functionOf(node)), same) },
        { key: "files", title: "Source files", make: () => grouped("files", "source file",
            node => mprof.model.fileOf(node) || null, same) },
        { key: "lines", title: "Source lines", make: () => grouped("lines", "line", lineOf, same, toSource) },
    ];

    /* ------------------------------------------------------------ the view */

    function showTable(element, state, narrow) {
        const chosen = TABLES.find(table => table.key === state.table) || TABLES[0];
        const figure = mprof.model.figure(state.figure).key;

        element.append(mprof.figures.choice("Table", TABLES, chosen.key,
            key => mprof.url.set({ table: key, sort: null, up: null, q: null })),
        mprof.el("p", { class: "controls" }, mprof.figures.figureChooser(state)),
        ...mprof.figures.left(figure, !chosen.make));
        if (!chosen.make) {
            mprof.ways.show(element, chosen.key === "up", mprof.model.figure(figure), state, narrow);
            return;
        }
        const table = chosen.make(), names = table.names.filter(column => !narrow || !column.late);
        const at = column => {
            const by = f => f && (row => f(table.rows[row]));

            return { ...column, value: by(column.value), text: by(column.text), rank: by(column.rank) };
        };

        if (!table.rows.length) {
            element.append(mprof.el("p", { class: "nothing" },
                "Nothing is known of this: the program has no debug information, or none was found."));
            return;
        }
        mprof.grid(element, {
            label: table.label, n: table.rows.length,
            columns: mprof.figures.inOrder(narrow, figureColumns(figure, table.self, table.total, narrow), names).map(at),
            sort: state.sort || "total", down: state.sort ? state.up !== "1" : undefined,
            filter: state.q,
            open: table.open && (row => table.open(table.rows[row])),
            keys: table.skip && { s: row => table.skip(table.rows[row]) },
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? null : "1" }),
            filtered: q => mprof.url.set({ q: q || null }, true),
        });
    }

    mprof.place = place;
    mprof.lineOf = lineOf;
    mprof.views.push({
        id: "functions", title: "Functions", resized: true,
        show: (element, state) => mprof.figures.renew(element, state, ["sort", "up", "q", "node", "search"], narrow => {
            if (state.cycle)
                mprof.sandwich.showCycle(element, Number(state.cycle), state);
            else if (state.function)
                mprof.sandwich.show(element, Number(state.function), state, narrow);
            else
                showTable(element, state, narrow);
        }),
    });
})();
