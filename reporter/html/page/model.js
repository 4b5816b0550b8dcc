/* SPDX-License-Identifier: MIT */
/*
 * model.js -- mprof.model, the profile as typed arrays.
 *
 *     await mprof.load()
 *     mprof.model.figures                the figures that can be shown: {key, label, unit}
 *     mprof.model.self(key)              Float64Array by node: the node's own value of a figure
 *     mprof.model.inclusive(key)         the same including everything below the node
 *     mprof.model.knows(key)             whether the figure can be shown; other tools do not record all figures
 *     mprof.model.nodes.parent           node of the caller, by node; callers precede callees, and node 0 is the root
 *     mprof.model.nodes.file, line       position of the node's call, by node; -1 and 0 if unknown
 *     mprof.model.difference             defined on pages of two sides (html_difference.h); the figures are then
 *                                        change:KEY, before:KEY and after:KEY; self(KEY) is the sum of both sides,
 *                                        which only determines weights
 *     mprof.model.things                 "objects" if most allocations are of Lisp, else "blocks"
 *     mprof.model.threads                names of threads, if there are several
 *     mprof.model.choose(thread, skipped)    restricts the figures to the thread with this index; -1 removes the
 *                                        restriction; skips a list of functions; returns whether the choice changed
 *     mprof.model.thread, skipped        index of the chosen thread, or -1; list of skipped functions
 *     mprof.model.window                 {alive, text, exact, temporary} if the page is of a part of the time
 *
 * Figures may be differences, and therefore negative.
 */
"use strict";
(() => {
    /* The figures of each cell, and so of each node, of a whole recording. */
    const FIGURES = [
        { key: "bytes", label: "Allocated bytes", unit: "bytes" },
        { key: "allocs", label: "Allocated blocks", unit: "blocks" },
        { key: "kept", label: "Live at the end, bytes", unit: "bytes" },
        { key: "keptBlocks", label: "Live at the end, blocks", unit: "blocks" },
        { key: "peak", label: "Live at the peak, bytes", unit: "bytes" },
        { key: "peakBlocks", label: "Live at the peak, blocks", unit: "blocks" },
        { key: "temporary", label: "Temporary blocks", unit: "blocks" },
    ];

    /* Returns the title of what was not freed. Of Lisp objects, it is what survived a collection, which is less than what
     * the time line has at the end. */
    const keptTitle = ({ kinds, running }) => kinds.some((kind) => kind.lisp) ? "Kept" : running ? "Live now" : "Live at the end";

    /* Returns what most allocations of a page of one profile made. */
    const thingsOf = ({ cells, kinds, difference }) => {
        const sums = [0, 0];
        if (!difference)
            cells.allocs.forEach((value, i) => { sums[kinds[cells.kind[i]].lisp ? 1 : 0] += value; });
        return sums[1] > sums[0] ? "objects" : "blocks";
    };

    /* Returns the figures of a page of one profile. On pages of a part of the time, there are fewer, with other labels.
     */
    const figuresOf = ({ window, keptTitle: kept, things }) => {
        const named = (figure, label) => ({ ...figure, label: figure.key === "temporary" ? label : label.replace("blocks", things) });
        const chosen = (labels, more) => FIGURES.filter((figure) => labels[figure.key])
            .map((figure) => ({ ...named(figure, labels[figure.key]), ...more(figure.key) }));
        if (!window)
            return FIGURES.map((figure) => named(figure, figure.label.replace("Live at the end", kept)));
        if (window.alive)
            return chosen({ bytes: `Live ${window.text}, bytes`, allocs: `Live ${window.text}, blocks` }, () => ({ alive: true }));
        return chosen({
            bytes: "Allocated bytes", allocs: "Allocated blocks",
            kept: "Change of live bytes", keptBlocks: "Change of live blocks",
            ...(window.temporary ? { temporary: "Temporary blocks" } : {}),
        }, (key) => ({ difference: key === "kept" || key === "keptBlocks" }));
    };

    /* Returns the figures of a page of two sides: changes, then the values of each side. The compared figure comes
     * first. */
    const figuresOfSides = ({ figures, sides, cost }) => {
        const unitOf = (of) => FIGURES.find(({ key }) => key === of).unit;
        const known = figures.map((of, i) => ({ of, what: capital(sides[i].figure), unit: unitOf(of) }));
        const sorted = [...known.filter(({ of }) => of === cost), ...known.filter(({ of }) => of !== cost)];
        return [
            ...sorted.map((each) => ({ ...each, key: `change:${each.of}`, label: `Change: ${each.what}`, difference: true })),
            ...["before", "after"].flatMap((side) => sorted
                .map((each) => ({ ...each, key: `${side}:${each.of}`, label: `${capital(side)}: ${each.what}`, side }))),
        ];
    };

    const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

    const unpack = async (text) => {
        const bytes = atob(text), packed = new Uint8Array(bytes.length);
        for (let i = 0; i < bytes.length; i++)
            packed[i] = bytes.charCodeAt(i);
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
        return new Response(stream).json();
    };

    /* Converts a list of differences to the values. */
    const undelta = (list) => {
        const to = new Int32Array(list.length);
        let last = 0;
        for (let i = 0; i < list.length; i++)
            to[i] = last += list[i];
        return to;
    };

    const spread = (raw) => {
        const n = raw.nodes.up.length;
        const nodes = {
            count: n,
            parent: new Int32Array(n),
            function: new Int32Array(raw.nodes.function),
            line: new Int32Array(raw.nodes.line),
            inlined: new Uint8Array(raw.nodes.inlined),        /* 1: inlined into the caller; 2: ended with a tail call */
        };
        for (let i = 1; i < n; i++)
            nodes.parent[i] = i - raw.nodes.up[i];
        nodes.file = nodes.function.map((f) => raw.functions.file[f]);
        for (const [node, file] of raw.nodes.elsewhere)
            nodes.file[node] = file;
        const cells = { node: undelta(raw.cells.node), kind: new Int32Array(raw.cells.kind) };
        for (const key of ["thread", "side"].filter((name) => raw.cells[name]))
            cells[key] = new Int32Array(raw.cells[key]);
        for (const key of ["sizeMin", "sizeMore", ...FIGURES.map((figure) => figure.key)])
            cells[key] = new Float64Array(raw.cells[key]);
        return { nodes, cells, sums: raw.sums && spreadSums(raw.sums) };
    };

    /* Converts the columns of the tables to typed arrays. */
    const spreadSums = (sums) => {
        const columnsOf = (raw) => {
            const table = { key: undelta(raw.key) };
            for (const [name, list] of Object.entries(raw))
                if (name !== "key")
                    table[name] = ["kind", "thread", "side", "bucket"].includes(name) ? new Int32Array(list) : new Float64Array(list);
            return table;
        };
        const tables = Object.fromEntries(Object.entries(sums.tables).map(([name, raw]) => [name, columnsOf(raw)]));
        return { ...sums, tables, lived: sums.lived && columnsOf(sums.lived) };
    };

    /* Adds columns for each side and for the difference of the sides to CELLS. They are computed on first use. */
    const addSides = (cells) => {
        const signs = { before: [1, 0], after: [0, 1], change: [-1, 1] };
        const add = (key, of, sign) => Object.defineProperty(cells, key, {
            configurable: true,
            get: () => {
                const value = cells[of].map((number, i) => sign[cells.side[i]] * number);
                Object.defineProperty(cells, key, { value });
                return value;
            },
        });
        for (const { key } of FIGURES)
            for (const [name, sign] of Object.entries(signs))
                add(`${name}:${key}`, key, sign);
    };

    /* Returns, by node, the sum of the cells' FIGURE. With BELONGS, sums up only the cells I for which BELONGS(I). */
    const sumCells = ({ nodes, cells }, figure, belongs) => {
        const sums = new Float64Array(nodes.count), values = cells[figure];
        for (let i = 0; i < values.length; i++)
            if (!belongs || belongs(i))
                sums[cells.node[i]] += values[i];
        return sums;
    };

    /* Returns, by node, the change from moment FROM to moment TO, as the sum of the changes after FROM. */
    const sumMoments = (model, from, to, column) => {
        const sums = new Float64Array(model.nodes.count);
        for (let m = from + 1; m <= to; m++) {
            const moment = model.time.moments[m];
            if (!moment.node)
                continue;
            for (let i = 0; i < moment.node.length; i++)
                sums[moment.node[i]] += moment[column][i];
        }
        return sums;
    };

    const momentLabel = (moment) => {
        const at = mprof.format.time(moment.time);
        return moment.name ? `${moment.name} (${at})`
            : moment.kind === "seen" ? at : `${moment.kind} (${at})`;
    };

    const isKnown = (moment) => moment.node ? moment.kind !== "start" : moment.kind === "peak" || moment.kind === "end";

    /* Returns the indices of the moments whose live blocks are known by node. */
    const breakdowns = (model) => model.time
        ? [...model.time.moments.keys()].filter((i) => isKnown(model.time.moments[i])) : [];

    const figureOf = (model, key) => {
        const known = model.figures.find((figure) => figure.key === key);
        const parts = /^(live|liveBlocks):(\d+)(?:-(\d+))?$/.exec(key || "");
        if (known || !parts || !model.time)
            return known || model.figures[0];
        const from = parts[3] === undefined ? 0 : +parts[2];
        const to = parts[3] === undefined ? +parts[2] : +parts[3];
        const last = model.time.moments.length - 1;
        if (from > last || to > last)
            return model.figures[0];
        const unit = parts[1] === "live" ? "bytes" : "blocks";
        const name = (i) => momentLabel(model.time.moments[i]);
        return {
            key, unit, from, to, difference: parts[3] !== undefined,
            label: parts[3] === undefined ? `Live at ${name(to)}, ${unit}`
                : `Change from ${name(from)} to ${name(to)}, ${unit}`,
        };
    };

    /* The figures of cells that contain what was live at a moment. Moments with changes of their own need none. */
    const IN_CELLS = { peak: { bytes: "peak", blocks: "peakBlocks" }, end: { bytes: "kept", blocks: "keptBlocks" } };
    const inCells = (moment) => moment.node ? undefined : IN_CELLS[moment.kind];

    const liveAt = (model, index, unit) => {
        const cells = inCells(model.time.moments[index]);
        return cells ? model.self(cells[unit]) : sumMoments(model, 0, index, unit);
    };

    const computeSelf = (model, figure) => {
        if (figure.to === undefined)
            return sumCells(model, figure.key);
        const after = liveAt(model, figure.to, figure.unit).slice();
        if (figure.difference) {
            const before = liveAt(model, figure.from, figure.unit);
            for (let i = 0; i < after.length; i++)
                after[i] -= before[i];
        }
        return after;
    };

    /* Returns F with a cache of its last results. The cache is bounded, because there may be many moments. */
    const remember = (f) => {
        const known = new Map();
        return (key) => {
            if (!known.has(key)) {
                if (known.size >= 24)
                    known.delete(known.keys().next().value);
                known.set(key, f(key));
            }
            return known.get(key);
        };
    };

    /* Returns sentences about parts of the profile that did not fit into the page. */
    const leftOut = ({ left, sourcesLeft, difference }) => {
        const said = [];
        if (left.nodes > 0 && difference)
            said.push(`${mprof.format.grouped(left.nodes)} parts of the tree that changed least are summed up as [smaller parts].`);
        else if (left.nodes > 0)
            said.push(`${mprof.format.grouped(left.nodes)} small parts of the tree, with ` +
                `${mprof.format.exact(left.bytes, "bytes")} in all, are summed up as [smaller parts].`);
        if (left.moments)
            said.push("There was no room for what lived at each moment.");
        if (left.sources)
            said.push("There was no room for source files.");
        if (sourcesLeft > 0)
            said.push(`${mprof.format.grouped(sourcesLeft)} source files are not in the page.`);
        return said;
    };

    const addMethods = (model) => {
        model.figure = (key) => figureOf(model, key);
        model.moments = breakdowns(model);
        model.momentLabel = momentLabel;
        model.knows = (key) => model.figures.some((figure) => figure.key === key);
        model.self = remember((key) => (model.difference && !model.knows(key) && model.cells[key]
            ? sumCells(model, key) : computeSelf(model, model.figure(key))));
        model.inclusive = remember((key) => mprof.graph.inclusive(model.nodes.parent, model.self(key)));
        model.total = (key) => model.inclusive(key)[0];
        model.sumCells = (figure, belongs) => sumCells(model, figure, belongs);
        model.functionOf = (node) => model.nodes.function[node];
        model.nameOf = (node) => model.functions.name[model.nodes.function[node]];
        model.fullName = (f) => model.functions.full.get(f) || model.functions.name[f];
        model.moduleName = (f) => model.modules[model.functions.module[f]] || "";
        model.fileName = (f) => model.files[model.functions.file[f]] || "";
        model.fileOf = (node) => model.files[model.nodes.file[node]] || "";
        /* Returns the nodes from the outermost call to NODE. */
        model.chain = (node) => {
            const chain = [];
            for (; node > 0; node = model.nodes.parent[node])
                chain.push(node);
            return chain.reverse();
        };
        /* Returns the outermost function on NODE's chain. */
        model.outermost = (node) => {
            while (model.nodes.parent[node] !== 0)
                node = model.nodes.parent[node];
            return model.functionOf(node);
        };
        /* Returns, by node, 1 if its chain has a function F with FLAGS[F], else 0. Callers come before their callees.
         */
        model.onChain = (flags) => {
            const { parent, function: functions, count } = model.nodes, found = new Uint8Array(count);
            for (let i = 1; i < count; i++)
                found[i] = found[parent[i]] || flags[functions[i]] ? 1 : 0;
            return found;
        };
        model.leftOut = () => leftOut(model);
        /* Returns a sentence if the peak is not known exactly, else "". */
        model.peakNote = () => (model.peakSlack > 0 ? "The peak is known to within " +
            `${mprof.format.exact(model.peakSlack, "bytes")}; shares of threads may be of several moments.` : "");
        model.peak = () => (model.thread < 0 ? model.peakBytes : model.total("peak"));
    };

    const make = (raw) => {
        const model = { ...raw, ...spread(raw) };
        model.functions.full = new Map(raw.functions.full);
        model.functions.count = model.functions.name.length;
        model.functions.name = raw.functions.name.map(mprof.format.name);
        model.keptTitle = keptTitle(model);
        model.things = thingsOf(model);
        model.figures = model.difference ? figuresOfSides(model.difference) : figuresOf(model)
            .filter(({ key }) => !raw.unknown.includes(key));
        for (const moment of raw.time ? raw.time.moments : [])
            if (moment.node)
                moment.node = undelta(moment.node);
        if (model.threads)
            model.threads = model.threads.map((name) => (name ? mprof.format.name(name) : "(not known)"));
        mprof.threads.add(model, () => {
            for (const columns of [model.cells, ...Object.values(model.sums ? model.sums.tables : {})])
                if (columns.side)
                    addSides(columns);
            addMethods(model);
        });
        for (const index of model.moments) {
            if (!inCells(model.time.moments[index]))
                model.figures.push(model.figure(`live:${index}`));
        }
        return model;
    };

    mprof.load = async () => {
        const element = document.getElementById("model");
        const raw = await unpack(element.textContent);
        element.remove();
        mprof.model = make(raw);
        return mprof.model;
    };
})();
