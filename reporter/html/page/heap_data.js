/*
 * heap_data.js -- contents of the heap's snapshots as series, by type, package, function or site. Series can be
 * restricted to one type, package, function or site. Bytes are shallow sizes.
 *
 *     mprof.heapData.moments()                   [{kind, name, time, objects, bytes, heap}], by time
 *     mprof.heapData.series(by, unit, within)    [{name, values}], values by moment; WITHIN is [[by, name], ...]
 */
"use strict";
(() => {
    const WAYS = [
        { key: "type", title: "Type" }, { key: "package", title: "Package" }, { key: "function", title: "Function" },
        { key: "site", title: "Site" },
    ];

    const heap = () => mprof.model.heap;

    function moments() {
        return heap().snapshots.map(one => ({ ...one, kind: "snapshot", name: one.name || String(one.number) }));
    }

    /* Returns, by row, whether it satisfies all of WITHIN. */
    function flags(within) {
        const { texts, rows } = heap();

        return rows.type.map((_, i) => within.every(([by, name]) => rows[by] && texts[rows[by][i]] === name));
    }

    function series(by, unit, within) {
        const { texts, rows, cells, snapshots } = heap(), inside = flags(within), found = new Map();
        const values = unit === "objects" ? cells.objects : cells.bytes;
        let row = 0;

        for (let i = 0; i < values.length; i++) {
            row += cells.row[i];
            if (!inside[row])
                continue;
            const name = texts[rows[by][row]], one = found.get(name) || { name, values: new Float64Array(snapshots.length) };

            one.values[cells.snapshot[i]] += values[i];
            found.set(name, one);
        }
        return [...found.values()].sort((a, b) => Math.max(...b.values) - Math.max(...a.values) || (a.name < b.name ? -1 : 1));
    }

    /* Returns two curves: the size of the heap, by snapshot, and the live bytes that the recording observed. Both are
     * columns of one list of times, with null where a value is not known. */
    function lines() {
        const seen = mprof.model.time && mprof.model.time.points, times = new Map();
        const add = (time, key, value) => {
            if (value !== null && value >= 0)
                times.set(time, { ...times.get(time), [key]: value });
        };

        for (const one of heap().snapshots)
            add(one.time, "heap", one.heap);
        if (seen)
            seen.time.forEach((time, i) => add(time, "live", (mprof.model.language ? seen.lisp : seen.live)[i]));
        const all = [...times.keys()].sort((a, b) => a - b);
        const column = key => all.map(time => times.get(time)[key] === undefined ? null : times.get(time)[key]);

        return {
            points: { time: all },
            lines: [{ name: "heap, as the system gave it", class: "resident", values: column("heap") },
                { name: "live, as recorded", class: "live", values: column("live") }],
        };
    }

    mprof.heapData = { WAYS, moments, series, lines };
})();
