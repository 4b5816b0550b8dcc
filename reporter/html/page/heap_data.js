/* SPDX-License-Identifier: MIT */
/*
 * heap_data.js -- contents of the heap's snapshots as series, by type, package, function, site or source file, for
 * series_view.js. Bytes are shallow sizes.
 *
 *     mprof.heapData.roots(moment)    the tree of what the roots of that snapshot retain: [{sort, parent, name, group,
 *                                     left, objects, bytes, retained, path}], parents first; see html_parts.h. The
 *                                     parent of the first branch is -1; a path identifies a branch in all snapshots
 */
"use strict";
(() => {
    const WAYS = [
        { key: "type", title: "Type" }, { key: "package", title: "Package" }, { key: "function", title: "Function" },
        { key: "site", title: "Site" }, { key: "file", title: "Source file" },
    ];
    /* The groupings of the parts of a series, in the order in which next() tries them. */
    const PARTS = ["function", "site", "type", "file"];

    const heap = () => mprof.model.heap;
    const texts = () => mprof.graph.once("texts of the heap", () => heap().texts.map(mprof.format.name));

    function moments() {
        return heap().snapshots.map(one => ({ ...one, kind: "snapshot", name: mprof.format.name(one.name) || String(one.number) }));
    }

    const momentName = moment => "snapshot " + moment.name + ", " + mprof.format.time(moment.time);

    function end() {
        return [...heap().snapshots, ...mprof.model.time ? mprof.model.time.moments : []]
            .reduce((most, { time }) => Math.max(most, time), 1);
    }

    /* Returns, by row, whether the row satisfies all of WITHIN. */
    function flags(within) {
        const { rows } = heap(), names = texts();

        return rows.type.map((_, i) => within.every(([by, name]) => names[rows[by][i]] === name));
    }

    const word = () => heap().snapshots[0].word;

    /* Returns the bytes of one word if UNIT is words, else 1. */
    const perUnit = unit => unit === "words" ? word() : 1;

    const units = () => [{ key: "bytes", title: "bytes" }, ...word() > 0 ? [{ key: "words", title: "words of " + word() + " bytes" }] : [],
        { key: "objects", title: "objects" }];

    function series(by, unit, within) {
        const { rows, cells, snapshots } = heap(), inside = flags(within), found = new Map();
        const values = unit === "objects" ? cells.objects : cells.bytes, size = perUnit(unit);
        let row = 0;

        for (let i = 0; i < values.length; i++) {
            row += cells.row[i];
            if (!inside[row])
                continue;
            const text = rows[by][row], one = found.get(text) || { name: texts()[text], values: new Float64Array(snapshots.length) };

            one.values[cells.snapshot[i]] += values[i] / size;
            found.set(text, one);
        }
        return [...found.values()];
    }

    /* Returns a function from the name of a series to the grouping of its parts, which is undefined if the series has
     * no parts. Skips groupings whose only part has the name of the series or a name that was clicked. Skips functions
     * below a site, because a site determines its function. */
    function next({ by, within }) {
        const { rows } = heap(), names = texts(), inside = flags(within), parts = new Map();
        const used = [by, ...within.map(([way]) => way)], clicked = within.map(([, name]) => name);
        const ways = PARTS.filter(way => !used.includes(way) && !(way === "function" && used.includes("site")));

        inside.forEach((is, row) => {
            const name = names[rows[by][row]], found = parts.get(name) || new Set();

            if (is)
                ways.filter(way => ![name, ...clicked].includes(names[rows[way][row]])).forEach(way => found.add(way));
            parts.set(name, found);
        });
        return name => ways.find(way => parts.get(name).has(way));
    }

    /* Returns two curves: the size of the heap, and what was alive after the last collection, as each snapshot has them.
     * Unknown values are null. Objects, and a part of the heap, have no curves. */
    function curves(unit, within) {
        const { snapshots } = heap(), in_ = value => value === null ? null : value / perUnit(unit);

        return unit === "objects" || within.length ? { times: [], list: [] } : {
            times: snapshots.map(({ time }) => time),
            list: [{ key: "heap", title: "heap, as the system gave it", on: true, values: snapshots.map(one => in_(one.heap)) },
                { key: "live", title: "live, after the last collection", on: true, values: snapshots.map(one => in_(one.live)) }]
                .filter(curve => curve.values.some(value => value !== null)),
        };
    }

    function roots(moment) {
        const names = texts(), found = [];

        for (const [sort, parent, name, group, left, objects, bytes, retained] of heap().snapshots[moment].roots) {
            const branch = {
                sort, parent: sort === "all" ? -1 : parent, name: names[name], group: names[group], left, objects, bytes, retained,
            };
            const above = found[branch.parent];

            branch.path = above ? above.path.concat(branch.name ? [branch.name, branch.group] : sort) : [];
            found.push(branch);
        }
        return found;
    }

    mprof.heapData = {
        ways: () => WAYS, units, moments, moment: "snapshot", momentName, end, series, next, roots, curves, totals: () => null, joined: true,
        marks: () => mprof.timeData.marks().filter(mark => mark.kind !== "snapshot"),
    };
})();
