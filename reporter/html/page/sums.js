/* SPDX-License-Identifier: MIT */
/*
 * sums.js -- figures of functions, calls, modules, files and lines, from tables that were computed from all nodes
 * (html_sums.h). What was live at a point in time has no tables, and is summed from the page's nodes.
 *
 *     mprof.sums.of(what, figure, keep, n)   returns the sums of table WHAT by key less than N; with KEEP, only for
 *                                            kinds that satisfy KEEP(kind); undefined if there is no such table
 *     mprof.sums.byKind(f, figure)           returns the total of function F by kind, or undefined if there is no table
 *     mprof.sums.groups(name, keyOf)         groups nodes by KEYOF(node), except nodes for which that is null; returns
 *                                            {keys, sum(what, figure)}, where WHAT is "self" or "total"
 *     mprof.sums.are(figure)                 returns whether sums of FIGURE by function are of all nodes
 */
"use strict";
(() => {
    const tables = () => mprof.model.sums && mprof.model.sums.tables;

    function of(what, figure, keep, n) {
        const table = tables() && tables()[what], values = table && table[figure];

        if (!values || keep && !mprof.model.sums.parts)
            return undefined;
        const sums = new Float64Array(n);
        for (let i = 0; i < values.length; i++)
            if (!keep || keep(table.kind[i]))
                sums[table.key[i]] += values[i];
        return sums;
    }

    function byKind(f, figure) {
        const table = tables() && tables().total, values = table && table[figure];

        if (!values || !mprof.model.sums.parts)
            return undefined;
        const sums = new Float64Array(mprof.model.kinds.length);
        for (let i = 0; i < values.length; i++)
            if (table.key[i] === f)
                sums[table.kind[i]] += values[i];
        return sums;
    }

    /* Returns the keys of the tables called NAME, by id. */
    function keysOf(name) {
        const { sums } = mprof.model;

        return name !== "lines" ? sums[name] : sums.lines.map(([file, line]) => sums.files[file] + ":" + line);
    }

    function groups(name, keyOf) {
        return mprof.graph.once("groups by " + name, () => {
            const { model } = mprof, keys = model.sums ? [...keysOf(name)] : [];
            const numbers = new Map(keys.map((key, id) => [key, id])), ids = new Int32Array(model.nodes.count).fill(-1);

            for (let i = 1; i < ids.length; i++) {
                const key = keyOf(i);

                if (key === null)
                    continue;
                if (!numbers.has(key)) {
                    numbers.set(key, keys.length);
                    keys.push(key);
                }
                ids[i] = numbers.get(key);
            }
            const ofNodes = mprof.graph.structure().group(ids, keys.length);
            const sum = (what, figure) => mprof.graph.once(name + " " + what + " " + figure, () =>
                of(name + " " + what, figure, undefined, keys.length) ||
                    ofNodes[what](what === "self" ? model.self(figure) : model.inclusive(figure)));

            return { keys, sum };
        });
    }

    const are = figure => !mprof.model.left.nodes || Boolean(tables() && tables().total[figure]);

    mprof.sums = { of, byKind, groups, are };
})();
