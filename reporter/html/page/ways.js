/* SPDX-License-Identifier: MIT */
/*
 * ways.js -- two tables of the view "Functions" that open step by step. "Bottom-up" begins with the places that
 * allocate, and a row opens to its callers. "Top-down" begins with the outermost calls, and a row opens to what it calls.
 * Calls of one function on one line are one row, as are chains with the same inner end.
 *
 *     mprof.ways.show(element, up, figure, state, narrow)   shows the table; UP is whether it is "Bottom-up"
 */
"use strict";
(() => {
    const CRITICAL = 0.5;       /* part of a row that a row below it must have to be opened with it */

    /* The rows of one table. They are numbered in the order in which they are made; the outermost ones are made at once.
     * By row, `at` is a list of nodes. In "Bottom-up", `leaf` is the allocating node of each of these, on whose chain it
     * is. */
    class Ways {
        constructor(up) {
            const { parent, count } = mprof.model.nodes;

            Object.assign(this, { up, at: [], leaf: [], parent: [], below: [], values: new Map(), opened: new Set() });
            if (up) {
                const leaves = [...new Set(mprof.model.cells.node)].filter(node => node > 0);

                this.n = this.add(-1, leaves, leaves).length;
                return;
            }
            this.first = new Int32Array(count);
            this.next = new Int32Array(count);
            for (let i = count - 1; i > 0; i--) {
                this.next[i] = this.first[parent[i]];
                this.first[parent[i]] = i;
            }
            this.n = this.add(-1, this.calls([0])).length;
        }

        /* Returns what NODES call. */
        calls(nodes) {
            const found = [];

            for (const node of nodes)
                for (let at = this.first[node]; at; at = this.next[at])
                    found.push(at);
            return found;
        }

        /* Adds rows below the row ABOVE for NODES, one for each function and line, unless all of its figures are 0. Returns
         * the rows. */
        add(above, nodes, leaves) {
            const { function: of } = mprof.model.nodes, places = placeOf(), n = mprof.model.functions.count, found = new Map();

            nodes.forEach((node, i) => {
                const key = places[node] * n + of[node], group = found.get(key) || { at: [], leaf: [] };

                group.at.push(node);
                if (leaves)
                    group.leaf.push(leaves[i]);
                found.set(key, group);
            });
            const rows = [];

            for (const { at, leaf } of found.values()) {
                const row = this.at.length;

                this.at.push(at);
                this.leaf.push(leaf);
                this.parent.push(above);
                if (keys().some(key => this.value(key, row) !== 0)) {
                    rows.push(row);
                    continue;
                }
                this.at.pop();
                this.leaf.pop();
                this.parent.pop();
                this.values.forEach(values => delete values[row]);
            }
            return rows;
        }

        /* Returns the value of FIGURE of ROW: what came this way, or what was allocated in and below its calls. */
        value(figure, row) {
            const values = this.values.get(figure) || [];

            this.values.set(figure, values);
            if (values[row] === undefined) {
                const by = this.up ? mprof.model.self(figure) : mprof.model.inclusive(figure);

                values[row] = (this.up ? this.leaf : this.at)[row].reduce((sum, node) => sum + by[node], 0);
            }
            return values[row];
        }

        /* Returns what the calls of ROW allocated themselves. */
        own(figure, row) {
            const self = mprof.model.self(figure);

            return this.at[row].reduce((sum, node) => sum + self[node], 0);
        }

        children(row) {
            if (!this.below[row]) {
                const { parent } = mprof.model.nodes, at = this.at[row], outer = [], leaves = [];

                if (this.up)
                    at.forEach((node, i) => {
                        if (parent[node] !== 0) {
                            outer.push(parent[node]);
                            leaves.push(this.leaf[row][i]);
                        }
                    });
                this.below[row] = this.up ? this.add(row, outer, leaves) : this.add(row, this.calls(at));
            }
            return this.below[row];
        }

        node(row) {
            return this.at[row][0];
        }

        /* Opens ROW, and below it each row that has most of FIGURE, because that is where most people look. */
        open(figure, row) {
            for (let at = row; at !== undefined;) {
                this.opened.add(at);
                at = this.children(at).find(child =>
                    Math.abs(this.value(figure, child)) > CRITICAL * Math.abs(this.value(figure, row)));
            }
        }

        /* Returns a test whether TEST holds for the name or line of ROW or of a row below it. */
        matches(test) {
            const { model } = mprof, { parent, count } = model.nodes, names = model.functions.name.map(test);
            const lines = new Map(), found = new Uint8Array(count);
            const hit = node => {
                const place = placeOf()[node];

                if (!lines.has(place))
                    lines.set(place, test(mprof.place(node)));
                return names[model.functionOf(node)] || lines.get(place) ? 1 : 0;
            };

            for (let i = 1; i < count; i++)
                found[i] = hit(i) || this.up && found[parent[i]];
            for (let i = count - 1; i > 0 && !this.up; i--)
                found[parent[i]] = found[parent[i]] || found[i];
            return row => this.at[row].some(node => found[node]);
        }
    }

    /* Returns the keys of all figures, because a row may have only some of them. */
    const keys = () => [...mprof.figures.ofAll(), mprof.model.figure(mprof.url.state.figure)].map(figure => figure.key);

    /* Returns, by node, a number that identifies the file and line of its call. */
    function placeOf() {
        return mprof.graph.once("numbers of places", () => {
            const { line, file, count } = mprof.model.nodes, known = new Map(), of = new Int32Array(count);

            for (let i = 1; i < count; i++) {
                const key = line[i] * (mprof.model.files.length + 1) + file[i] + 1;

                if (!known.has(key))
                    known.set(key, known.size);
                of[i] = known.get(key);
            }
            return of;
        });
    }

    const ways = up => mprof.graph.once("ways " + up, () => new Ways(up));

    /* Returns the links of NODE: its line, and a button that skips its function. */
    function links(node, figure) {
        const { line, file } = mprof.model.nodes, f = mprof.model.functionOf(node);

        return [...line[node] && file[node] >= 0 ? [mprof.source.link(file[node], line[node], figure)] : [],
            ...mprof.skip.can(f) ? [mprof.skip.button(f)] : []];
    }

    function show(element, up, figure, state, narrow) {
        const tree = ways(up), key = figure.key, whole = mprof.model.total(key), { model } = mprof;
        const value = row => tree.value(key, row), share = row => value(row) / whole;
        const name = {
            key: "name", title: "function", unit: "text", wide: 3,
            value: row => model.nameOf(tree.node(row)), more: row => links(tree.node(row), key),
            text: row => model.nameOf(tree.node(row)),
        };
        const more = figure.of || narrow ? [] : mprof.figures.ofAll().filter(other => other.key !== key).map(other => ({
            key: other.key, title: mprof.figures.title(other), unit: other.unit, value: row => tree.value(other.key, row),
        }));
        const columns = figure.of && figure.difference
            ? mprof.changes.columns(figure, other => new Proxy({}, { get: (_, row) => tree.value(other, row) }), null, narrow)
            : [{ key: "total", title: mprof.figures.title(figure), unit: figure.unit, value,
                explain: up ? "Allocated there, on these ways." : "Allocated by it and all that it called." },
            ...figure.difference ? [] : [{ key: "share", title: "%", unit: "share", value: share, explain: "Share of the whole program's." }],
            ...up || narrow ? [] : [{ key: "self", title: "itself", unit: figure.unit, value: row => tree.own(key, row),
                most: whole, explain: "Allocated by it alone." }], ...more];
        const lineOf = row => {
            const node = tree.node(row), { line, file } = model.nodes;

            if (line[node] && file[node] >= 0)
                mprof.source.open(file[node], line[node]);
        };
        const go = row => mprof.url.set({ function: model.functionOf(tree.node(row)), sort: null, up: null, q: null });

        if (!up && !tree.opened.size && tree.n)
            tree.open(key, Array.from({ length: tree.n }, (_, row) => row).reduce((a, b) => value(b) > value(a) ? b : a));
        mprof.grid(element, {
            label: up ? "bottom-up" : "top-down", n: tree.n, columns: [name, ...columns], sort: state.sort || "total",
            down: state.sort ? state.up !== "1" : undefined, filter: state.q, matches: test => tree.matches(test),
            keys: { l: lineOf, f: go, s: row => mprof.skip.add(model.functionOf(tree.node(row))) },
            sorted: (sort, down) => mprof.url.set({ sort, up: down ? null : "1" }, true),
            filtered: q => mprof.url.set({ q: q || null }, true),
            tree: { parent: row => tree.parent[row], children: row => tree.children(row), opened: tree.opened, toggled: () => {} },
        });
        element.append(mprof.el("p", { class: "note" }, up
            ? "A click or Enter opens a row to the callers of its last call, which have what came this way."
            : "A click or Enter opens a row to what it calls.", " In the table, the keys l, f and s show the line, show the " +
            "function, and skip it."));
    }

    mprof.ways = { show };
})();
