/* SPDX-License-Identifier: MIT */
/*
 * time_data.js -- what was live at the moments of the time line, as series by type, module, function etc., for
 * series_view.js.
 *
 * A moment of the model has the changes since the previous moment. A series adds up all changes up to each moment. The
 * sum of all series is exactly what was live.
 */
"use strict";
(() => {
    /* The groupings. of(node, kind, thread) returns the name of a group, or "" or undefined if it is unknown. */
    const WAYS = [
        { key: "function", title: "Function", of: node => mprof.model.functions.name[mprof.model.functionOf(node)] },
        { key: "module", title: "Module", of: node => mprof.model.moduleName(mprof.model.functionOf(node)) },
        { key: "type", title: "Type", of: (node, kind) => mprof.model.kinds[kind].name },
        { key: "file", title: "Source file", of: node => mprof.model.fileOf(node) },
        { key: "line", title: "Source line", of: node => mprof.place(node) },
        { key: "thread", title: "Thread", of: (node, kind, thread) => mprof.model.threads && mprof.model.threads[thread] },
        { key: "start", title: "Outermost", of: node => mprof.model.functions.name[mprof.model.outermost(node)] },
    ];
    const UNKNOWN = "(not known)";

    function time() {
        return mprof.model.time || null;
    }

    /* Returns the figures of cells that contain what was live at MOMENT, as [bytes, blocks]. Returns null if the moment
     * has changes of its own, or if no figure contains that. */
    function cellsAt(moment) {
        if (moment.node)
            return null;
        if (moment.kind === "end")
            return ["kept", "keptBlocks"];
        return moment.kind === "peak" && mprof.model.sawPeak(moment) ? ["peak", "peakBlocks"] : null;
    }

    /* Returns the moments whose live blocks are known by node, sorted by time. */
    function moments() {
        return mprof.graph.once("moments", () => !time() ? [] : time().moments
            .map((moment, index) => ({ ...moment, index }))
            .filter(moment => moment.node || cellsAt(moment)));
    }

    /* Returns the totals at many times as columns, or null if there are none. A value is null if it was not observed,
     * or if the process no longer existed. */
    function points() {
        const all = time() && time().points;

        return all ? mprof.graph.once("points", () => {
            const columns = {};

            for (const key of Object.keys(all))
                columns[key] = Array.from(all[key], value => value < 0 || key === "resident" && value === 0 ? null : value);
            return columns;
        }) : null;
    }

    /* Returns the marks of the time line: checkpoints, collections, and snapshots of the heap. */
    function marks() {
        return time() ? time().moments.filter(moment => moment.kind === "checkpoint" ||
            moment.kind === "collection" || moment.kind === "snapshot") : [];
    }

    /* Returns a test whether (node, kind, thread) belongs to all groups in WITHIN, [[grouping, name], ...]. */
    function inside(within) {
        const tests = within.map(([key, name]) => {
            const way = WAYS.find(w => w.key === key);

            return way ? (...of) => (way.of(...of) || UNKNOWN) === name : () => true;
        });

        return (...of) => tests.every(test => test(...of));
    }

    /* Returns the series of grouping KEY in UNIT, "bytes" or "blocks", as [{name, values}]. There is one value for each
     * of moments(). */
    function series(key, unit, within) {
        return mprof.graph.once("series " + JSON.stringify([key, unit, within]), () => {
            const way = WAYS.find(w => w.key === key) || WAYS[0], all = moments();
            const found = new Map(), belongs = inside(within), known = new Map();
            const kinds = mprof.model.kinds.length, threads = mprof.model.threads ? mprof.model.threads.length : 1;

            /* Returns the series that a cell belongs to, or null if the cell is not within WITHIN. */
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

    function nameOf(moment) {
        if (moment.kind === "checkpoint" || moment.kind === "collection")
            return moment.kind + (moment.name ? " " + moment.name : "");
        return moment.kind;
    }

    /* Returns the key of the model's figure for what was live at MOMENT. */
    function figureOf(moment, unit) {
        const found = moments()[moment];

        return found.node ? (unit === "blocks" ? "liveBlocks:" : "live:") + found.index
            : cellsAt(found)[unit === "blocks" ? 1 : 0];
    }

    function momentName(moment) {
        return nameOf(moment) + ", " + mprof.format.time(moment.time) + (moment.exact ? "" : " (seen)");
    }

    function end() {
        const times = moments().map(moment => moment.time);

        return (points() ? [...times, ...points().time] : times).reduce((a, b) => Math.max(a, b), 1);
    }

    /* Returns the index of the peak among moments(), or of the moment at which most bytes were live. */
    function initial() {
        return mprof.graph.once("moment of the peak", () => {
            const all = moments(), { cells } = mprof.model, sum = list => list.reduce((a, b) => a + b, 0);
            const live = [];

            all.forEach((moment, m) => live.push(moment.node ? sum(moment.bytes) + (m > 0 ? live[m - 1] : 0)
                : sum(cells[cellsAt(moment)[0]])));
            return all.some(moment => moment.kind === "peak") ? all.findIndex(moment => moment.kind === "peak")
                : live.reduce((best, value, m) => value > live[best] ? m : best, 0);
        });
    }

    /* Returns a curve of how many per second there were between each two of TIMES, as steps. NUMBERS[i] is the number from
     * TIMES[i - 1] to TIMES[i]. The curve has a scale of its own, because its unit is another. */
    function rate(key, title, times, numbers) {
        const steps = { times: [], values: [] };
        let most = 0;

        for (let i = 1; i < times.length; i++) {
            const value = times[i] > times[i - 1] ? numbers[i] / (times[i] - times[i - 1]) * 1e9 : 0;

            most = Math.max(most, value);
            steps.times.push(times[i - 1], times[i]);
            steps.values.push(value, value);
        }
        return most > 0 ? [{ key, title: title + " per second (up to " + mprof.format.count(most) + ")", on: false, scale: most, ...steps }] : [];
    }

    /* Returns the curves of allocations and of temporary blocks per second, if their numbers are known between start and
     * end. The observer counts allocations; temporary blocks are known at checkpoints only. */
    function rates() {
        const { time: at, allocs } = points(), known = [...at.keys()].filter(i => allocs[i] !== null);
        const counted = time().moments.filter(moment => moment.temporary !== undefined || moment.kind === "end");
        const numbers = counted.map(moment => moment.temporary || 0), last = counted.length - 1;

        if (last >= 0 && counted[last].kind === "end")
            numbers[last] = mprof.model.total("temporary") - numbers.reduce((a, b) => a + b, 0);
        return [
            ...known.length > 2 ? rate("allocs", "allocations", known.map(i => at[i]),
                known.map((i, k) => allocs[i] - (k > 0 ? allocs[known[k - 1]] : 0))) : [],
            ...last > 1 ? rate("temporary", "temporaries", counted.map(moment => moment.time), numbers) : [],
        ];
    }

    function curves(unit) {
        const all = points(), known = all && unit === "bytes" && all.resident && all.resident.some(value => value !== null);

        return {
            times: all ? all.time : [],
            list: all ? [
                { key: "live", title: "alive in all", on: true, values: all[unit === "blocks" ? "blocks" : "live"] },
                ...known ? [{ key: "resident", title: "resident memory", on: false, values: all.resident }] : [],
                ...mprof.model.part ? [] : rates(),
            ] : [],
        };
    }

    /* Returns what was live by points(), or null unless all series add up to that. */
    function totals({ unit, within }) {
        return points() && !within.length && !mprof.model.part ? points()[unit === "blocks" ? "blocks" : "live"] : null;
    }

    /* Returns the groupings that are useful for this profile. */
    const ways = () => WAYS.filter(way => way.key !== "thread" || mprof.model.threads);
    const units = () => [{ key: "bytes", title: "bytes" }, { key: "blocks", title: mprof.model.things }];

    mprof.timeData = {
        ways, units, time, moments, moment: "moment", momentName, initial, end, points, curves, totals, marks, figureOf, series, nameOf,
    };
})();
