/*
 * time_data.js -- what was where at the moments of the time line, as series: by type, module, function ...
 *
 * A moment with a breakdown has what changed since the one before; a series has the sum of all changes up to
 * each such moment.  All series together are exactly what was alive.
 */
"use strict";
(() => {

    /* How nodes and kinds are put together; text(key) names a key. */
    const WAYS = [
        { key: "module", title: "Module", of: node => mprof.model.moduleName(mprof.model.functionOf(node)) },
        { key: "function", title: "Function", of: node => mprof.model.functions.name[mprof.model.functionOf(node)] },
        { key: "type", title: "Type", of: (node, kind) => mprof.model.kinds[kind].name },
        { key: "file", title: "Source file", of: node => mprof.model.fileOf(node) },
        { key: "line", title: "Source line", of: node => mprof.place(node) },
        { key: "thread", title: "Thread", of: (node, kind, thread) => mprof.model.threads && mprof.model.threads[thread] },
        { key: "start", title: "Outermost", of: node => mprof.model.functions.name[outermost(node)] },
    ];
    const UNKNOWN = "(not known)";

    function outermost(node) {
        const model = mprof.model;

        while (node !== 0 && model.nodes.parent[node] !== 0)
            node = model.nodes.parent[node];
        return model.functionOf(node);
    }

    function time() {
        return mprof.model.time || null;
    }

    /* Figures of cells that are those of MOMENT, which has no changes of its own: [by bytes, by blocks]. */
    function cellsAt(moment) {
        if (moment.node)
            return null;
        if (moment.kind === "end")
            return ["kept", "keptBlocks"];
        return moment.kind === "peak" && mprof.model.sawPeak(moment) ? ["peak", "peakBlocks"] : null;
    }

    /* Moments that have a breakdown, in the order of time. */
    function moments() {
        return mprof.graph.once("moments", () => !time() ? [] : time().moments
            .map((moment, index) => ({ ...moment, index }))
            .filter(moment => moment.node || cellsAt(moment)));
    }

    /* Totals at many times: columns, in which null stands for what nobody looked at, or
     * what there was no more; or null. */
    function points() {
        const all = time() && time().points;

        return all ? mprof.graph.once("points", () => {
            const columns = {};

            for (const key of Object.keys(all))
                columns[key] = Array.from(all[key], value => value < 0 || key === "resident" && value === 0 ? null : value);
            return columns;
        }) : null;
    }

    /* Marks of the time line: what the program or the collector said. */
    function marks() {
        return time() ? time().moments.filter(moment => moment.kind === "checkpoint" ||
            moment.kind === "collection" || moment.kind === "snapshot") : [];
    }

    /* A test for nodes and kinds: WITHIN is [[way, name], ...], all of which must hold. */
    function inside(within) {
        const tests = within.map(([key, name]) => {
            const way = WAYS.find(w => w.key === key);

            return way ? (...of) => (way.of(...of) || UNKNOWN) === name : () => true;
        });

        return (...of) => tests.every(test => test(...of));
    }

    /* Series of WAY and UNIT ("bytes", "blocks"): [{name, values}], by moments(). */
    function series(key, unit, within) {
        return mprof.graph.once("series " + JSON.stringify([key, unit, within]), () => {
            const way = WAYS.find(w => w.key === key) || WAYS[0], all = moments();
            const found = new Map(), belongs = inside(within), known = new Map();
            const kinds = mprof.model.kinds.length, threads = mprof.model.threads ? mprof.model.threads.length : 1;

            function of(node, kind, thread) {
                const cell = (node * kinds + kind) * threads + thread;
                let one = known.get(cell);

                if (one === undefined) {
                    const name = way.of(node, kind, thread) || UNKNOWN;

                    one = null;
                    if (belongs(node, kind, thread)) {
                        one = found.get(name) || { name, values: new Float64Array(all.length) };
                        found.set(name, one);
                    }
                    known.set(cell, one);
                }
                return one;
            }

            function add(m, nodes, kindsOf, threadsOf, values) {
                for (let i = 0; i < values.length; i++) {
                    const one = of(nodes[i], kindsOf[i], threadsOf ? threadsOf[i] : 0);

                    if (one)
                        one.values[m] += values[i];
                }
            }

            const { cells } = mprof.model;
            all.forEach((moment, m) => moment.node
                ? add(m, moment.node, moment.kindOf, moment.thread, moment[unit])
                : add(m, cells.node, cells.kind, cells.thread, cells[cellsAt(moment)[unit === "blocks" ? 1 : 0]]));
            for (const one of found.values())
                all.reduce((sum, moment, m) => moment.node ? one.values[m] += sum : sum, 0);
            return [...found.values()];
        });
    }

    /* LIST between moments, too, where TOTALS, by points(), tell what all were together: their shares of that
     * are interpolated.  {times, values: a column for each of the list}. */
    function following(list, totals, all = moments()) {
        const columns = totals && points(), times = [], values = list.map(() => []);
        let p = 0;

        function add(time, of) {
            times.push(time);
            list.forEach((one, i) => values[i].push(of(one.values)));
        }

        all.forEach((moment, m) => {
            const next = all[m + 1];

            add(moment.time, column => column[m]);
            for (; totals && next && p < totals.length && columns.time[p] < next.time; p++) {
                const way = (columns.time[p] - moment.time) / (next.time - moment.time);
                const between = column => {
                    const from = Math.max(0, column[m]), to = Math.max(0, column[m + 1]);

                    return from + way * (to - from);
                };
                const sum = list.reduce((whole, one) => whole + between(one.values), 0), total = totals[p];

                if (way > 0 && total !== null)
                    add(columns.time[p], column => sum > 0 ? between(column) / sum * total : 0);
            }
        });
        return { times, values };
    }

    /* By the mean over time, or by moment AT; the largest first. */
    function ranked(list, at) {
        const times = moments().map(moment => moment.time);

        function mean(values) {
            let area = 0;

            for (let m = 1; m < values.length; m++)
                area += (values[m] + values[m - 1]) / 2 * (times[m] - times[m - 1]);
            return area;
        }

        const keys = new Map(list.map(one => [one, at === null ? mean(one.values) : one.values[at]]));
        return [...list].sort((a, b) => keys.get(b) - keys.get(a) || (a.name < b.name ? -1 : 1));
    }

    /* The chosen series, and one more that is all the others together, or null where there are none. */
    function chosen(list, names) {
        const picked = names.map(name => list.find(one => one.name === name)).filter(one => one);
        const rest = list.filter(one => !picked.includes(one));

        if (!rest.length)
            return { picked, others: null };
        const values = new Float64Array(rest[0].values.length);
        for (const one of rest)
            one.values.forEach((value, m) => values[m] += value);
        return { picked, others: { name: "others (" + mprof.format.grouped(rest.length) + ")", values } };
    }

    function nameOf(moment) {
        if (moment.kind === "checkpoint" || moment.kind === "collection")
            return moment.kind + (moment.name ? " " + moment.name : "");
        return moment.kind;
    }

    /* The figure of the model's that a moment is. */
    function figureOf(moment, unit) {
        const found = moments()[moment];

        return found.node ? (unit === "blocks" ? "liveBlocks:" : "live:") + found.index
            : cellsAt(found)[unit === "blocks" ? 1 : 0];
    }

    function seconds(ns) {
        return mprof.format.time(ns);
    }

    /* Those that tell anything of this profile. */
    const ways = () => WAYS.filter(way => way.key !== "thread" || mprof.model.threads);

    mprof.timeData = {
        ways, time, moments, points, marks, figureOf, following, series, ranked, chosen, nameOf, seconds,
    };
})();
