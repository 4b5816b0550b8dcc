/* SPDX-License-Identifier: MIT */
/*
 * types.js -- the view "Types": figures by kind of object, and the functions that allocate each kind.
 */
"use strict";
(() => {
    const LARGEST = 1024;       /* the table of sizes has a row for each size up to this */

    /* Returns the figures that are known by kind. */
    function figures() {
        return mprof.figures.ofAll().filter(f => mprof.kinds.has(f.key));
    }

    /* Returns figures by kind, of what was allocated in and below function F, or of everything if F is null. */
    function byKind(f) {
        return mprof.graph.once("types " + f, () => {
            const { model } = mprof, { cells } = model, flags = f === null ? null : model.onChain({ [f]: true });
            const sums = {};

            for (const figure of figures()) {
                const known = f === null ? undefined : mprof.sums.byKind(f, figure.key), values = cells[figure.key];
                const to = sums[figure.key] = known || new Float64Array(model.kinds.length);

                for (let i = 0; i < values.length && !known; i++)
                    if (!flags || flags[cells.node[i]])
                        to[cells.kind[i]] += values[i];
            }
            return sums;
        });
    }

    /* Returns the columns: the figure CHOSEN with its share, the other figures, and NAMES. SUMS has the values by
     * figure, and ROWS the index of each row in these. */
    function columnsOf(chosen, sums, rows, names) {
        const figure = figures().find(f => f.key === chosen) || figures()[0];
        const whole = sums[figure.key].reduce((a, b) => a + b, 0);
        const column = f => ({
            key: f.key, title: mprof.figures.title(f), unit: f.unit, value: row => sums[f.key][rows[row]],
        });

        if (figure.of && figure.difference) {
            const [change, ...others] = mprof.changes.columns(figure, key => rows.map(row => sums[key][row]), null);

            return [{ ...change, key: figure.key }, ...others, ...names];
        }
        return [column(figure), ...figure.difference ? [] : [{
            key: "share", title: "%", unit: "share",
            value: row => whole > 0 ? sums[figure.key][rows[row]] / whole : 0,
        }], ...figures().filter(f => f !== figure && !f.of).map(column), ...names];
    }

    /* Returns COLUMNS, or the most important of them if the view is narrow. */
    function narrowed(narrow, columns) {
        const name = columns[columns.length - 1];

        return narrow ? [name, ...columns.filter((column, i) => i === 0 || i === 1 && column.unit === "share" ||
            column.key === "became")] : columns;
    }

    /* ------------------------------------------------------------ all kinds */

    function showKinds(element, state, narrow) {
        const model = mprof.model, f = state.function ? Number(state.function) : null;
        const sums = byKind(f), rows = model.kinds.map((_, i) => i)
            .filter(i => figures().some(figure => sums[figure.key][i] !== 0));
        const text = mprof.el("p", { class: "links" });

        if (f !== null) {
            text.append("Allocated under ",
                mprof.button(model.functions.name[f], () => mprof.url.set({ view: "functions", function: f }), "link"),
                mprof.button("All types", () => mprof.url.set({ function: null })));
            element.append(text);
        }
        const title = rows.some(i => model.kinds[i].lisp) ? "type or size" : "size of the blocks";

        mprof.grid(element, {
            label: "types", n: rows.length, sort: state.sort || figures()[0].key, down: state.up !== "1",
            columns: narrowed(narrow, columnsOf(state.figure, sums, rows, [
                { key: "category", title: "category", unit: "text", value: row => mprof.kinds.title(rows[row]) },
                { key: "name", title, unit: "text", wide: 3, value: row => model.kinds[rows[row]].name },
            ])),
            open: row => mprof.url.set({ view: "types", kind: rows[row], sort: null, up: null, q: null }),
            filter: state.q, filtered: q => mprof.url.set({ q: q || null }),
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? null : "1" }, true),
        });
    }

    /* ------------------------------------------------------------ sizes */

    /* Returns the powers of two around SIZE, which are the bounds of its row in the histogram: 0, 1, 2, 3 to 4, 5 to 8 ... */
    function bounds(size) {
        const high = size <= 1 ? size : 2 ** Math.ceil(Math.log2(size));

        return [size <= 2 ? high : high / 2 + 1, high];
    }

    /* Returns the histogram of the sizes of malloc's blocks: [{low, high, mixed, bytes, blocks}], smallest first. Sizes up
     * to 1,024 bytes are counted exactly in the table of sizes of a whole recording, others in cells. Cells with several sizes are in a row of
     * their range, unless a single row contains all of it. */
    function histogram() {
        const { bins, cells, kinds, part } = mprof.model, rows = new Map(), rest = { bytes: 0, blocks: 0 };
        const counted = part ? -1 : LARGEST;
        let most = 0;
        const add = (low, high, bytes, blocks) => {
            const least = bounds(low)[0], last = bounds(high)[1], key = least + " " + last;
            const row = rows.get(key) || { low: least, high: last, mixed: last !== bounds(low)[1], bytes: 0, blocks: 0 };

            row.bytes += bytes;
            row.blocks += blocks;
            rows.set(key, row);
        };

        for (const { size, bytes, allocs } of part ? [] : bins)
            if (typeof size === "number") {
                add(size, size, bytes, allocs);
            } else {
                rest.bytes += bytes;
                rest.blocks += allocs;
            }
        for (let i = 0; i < cells.kind.length; i++) {
            const low = cells.sizeMin[i], high = low + cells.sizeMore[i];

            if (kinds[cells.kind[i]].lisp || high <= counted)
                continue;
            if (low > counted) {
                add(low, high, cells.bytes[i], cells.allocs[i]);
                rest.bytes -= cells.bytes[i];
                rest.blocks -= cells.allocs[i];
            } else {
                most = Math.max(most, high);
            }
        }
        if (!part && rest.blocks > 0)
            rows.set("", { low: LARGEST + 1, high: most ? bounds(most)[1] : Infinity, mixed: true, ...rest });
        return [...rows.values()].sort((a, b) => a.low - b.low || a.high - b.high);
    }

    function showHistogram(element) {
        const rows = histogram(), text = mprof.format.grouped;
        const title = ({ low, high, mixed }) => (low === high ? text(low) : high === Infinity ? "more than " + text(low - 1)
            : text(low) + " to " + text(high)) + (mixed ? ", several sizes" : "");

        element.append(mprof.histogram("Size in bytes", rows.map(row => ({ title: title(row), ...row })),
            rows.reduce((sum, { bytes }) => sum + bytes, 0)));
    }

    /* Shows the report's table of block sizes. A size may be a text that describes a range. */
    function showSizes(element, state, narrow) {
        showHistogram(element);
        const bins = mprof.model.bins, whole = bins.reduce((sum, bin) => sum + bin.bytes, 0);
        const column = (key, title, unit) => ({ key, title, unit, value: row => Number(bins[row][key]) });
        const sizes = bins.map(bin => Number(String(bin.size).replace(/[^0-9]/g, "")));
        const columns = [
            {
                key: "size", title: "size", unit: "bytes", value: row => sizes[row],
                text: row => typeof bins[row].size === "number" ? mprof.format.grouped(bins[row].size) : bins[row].size,
            },
            column("bytes", "bytes", "bytes"),
            { key: "share", title: "%", unit: "share", value: row => whole > 0 ? bins[row].bytes / whole : 0 },
        ];

        if (!narrow)
            columns.push(column("allocs", "blocks", "blocks"));
        if (!narrow && mprof.model.knows("kept"))
            columns.push(column("frees", "freed", "blocks"),
                column("kept_bytes", mprof.figures.title(mprof.model.figure("kept")), "bytes"));
        columns.push({
            key: "types", title: "types", unit: "text", value: row => [].concat(bins[row].types).join(", "),
        });
        mprof.grid(element, {
            label: "sizes", n: bins.length, columns, sort: state.sort || "size", down: state.up === "0",
            open: row => typeof bins[row].size === "number" &&
                mprof.url.set({ view: "types", size: sizes[row], sort: null, up: null, q: null }),
            filter: state.q, filtered: q => mprof.url.set({ q: q || null }, true),
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? "0" : null }, true),
        });
    }

    /* ------------------------------------------------------------ who allocates one */

    /* Shows a table of functions. SUMSOF(figure) returns two lists by function: its own figure, and the figure
     * including callees. */
    function showWho(element, title, said, sumsOf, state, narrow) {
        const model = mprof.model, sums = {}, all = {}, rows = [];
        const figure = figures().find(f => f.key === state.figure) || figures()[0];

        for (const f of figures()) {
            [sums[f.key], all[f.key]] = sumsOf(f.key);
        }
        for (let f = 0; f < model.functions.count; f++)
            if (figures().some(x => all[x.key][f] !== 0))
                rows.push(f);
        element.append(mprof.el("p", { class: "links" }, mprof.button("All types",
            () => mprof.url.set({ kind: null, size: null, sort: null, up: null }))),
        mprof.el("h2", { class: "name" }, mprof.format.name(title)), mprof.el("p", { class: "note" }, said));
        if (!rows.length)
            return;
        mprof.grid(element, {
            label: "who allocates it", n: rows.length,
            columns: narrowed(narrow, columnsOf(figure.key, sums, rows, [
                { key: "total", title: "with callees", unit: figure.unit, value: row => all[figure.key][rows[row]] },
                { key: "name", title: "function", unit: "text", value: row => model.functions.name[rows[row]] },
            ])),
            sort: state.sort || figure.key, down: state.up !== "1",
            open: row => mprof.url.set({
                view: "functions", function: rows[row], kind: null, size: null, sort: null, up: null, q: null,
            }),
            filter: state.q, filtered: q => mprof.url.set({ q: q || null }, true),
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? null : "1" }, true),
        });
    }

    function showKind(element, state, narrow) {
        const model = mprof.model, kind = Number(state.kind);

        if (!model.kinds[kind])
            element.append(mprof.el("p", { class: "nothing" }, "There is no such type in this profile."));
        else
            showWho(element, model.kinds[kind].name,
                "Functions that allocate it themselves, or on whose behalf it is allocated.",
                figure => ["self", "total"].map(what => mprof.graph.sumsOf(what, figure, "kind " + kind, each => each === kind)),
                state, narrow);
    }

    /* Shows who allocates blocks of one size. Cells with blocks of several sizes are not in the table. The note has
     * their number. */
    function showSize(element, state, narrow) {
        const model = mprof.model, { cells } = model, size = Number(state.size);
        const isC = i => !model.kinds[cells.kind[i]].lisp && (cells.sizeMin[i] > 0 || cells.sizeMore[i] > 0 || size === 0);
        const graph = mprof.graph.structure();
        let among = 0;

        for (let i = 0; i < cells.kind.length; i++)
            if (isC(i) && cells.sizeMore[i] > 0 && cells.sizeMin[i] <= size && size <= cells.sizeMin[i] + cells.sizeMore[i])
                among++;
        showWho(element, "Blocks of " + mprof.format.exact(size, "bytes"), "Functions that allocate blocks of just " +
            "this size, or on whose behalf they are allocated." + (among > 0 ? " On " + mprof.format.grouped(among) +
            " more chains there are several sizes, of which this may be one: these are not counted here." : ""),
        figure => {
            const self = model.sumCells(figure, i => isC(i) && cells.sizeMin[i] === size && cells.sizeMore[i] === 0);

            return [graph.self(self), graph.total(graph.inclusive(self))];
        }, state, narrow);
    }

    const TABLES = [{ key: "types", title: "Types" }, { key: "sizes", title: "Sizes" }];

    function show(element, state, narrow) {
        const known = mprof.model.bins && mprof.model.bins.length && mprof.model.thread < 0;
        const sizes = known && state.of === "sizes";

        if (known && !state.function)
            element.append(mprof.figures.choice("Table", TABLES, sizes ? "sizes" : "types", of => mprof.url.set({
                of: of === "types" ? null : of, kind: null, size: null, sort: null, up: null, q: null,
            })));
        if (sizes && !state.size && !state.function) {
            showSizes(element, state, narrow);
            return;
        }
        element.append(mprof.el("p", { class: "controls" }, mprof.figures.figureChooser(state)));
        if (state.size)
            showSize(element, state, narrow);
        else if (state.kind)
            showKind(element, state, narrow);
        else
            showKinds(element, state, narrow);
    }

    mprof.views.push({
        id: "types", title: "Types", resized: true,
        show: (element, state) => mprof.figures.renew(element, state, ["sort", "up", "q", "node", "search"],
            narrow => show(element, state, narrow)),
    });
})();
