/* SPDX-License-Identifier: MIT */
/*
 * heap.js -- the view "Heap": the contents of the heap's snapshots over time, and what roots hold in the selected
 * snapshot. Keys in the address begin with "h": those of series_view.js, hopen (the paths of the open branches in the
 * table of roots), hsort and hup (the order of that table), and hq (its filter).
 */
"use strict";
(() => {
    function notes(set) {
        const { left } = mprof.model.heap, curves = mprof.heapData.curves(set.unit, set.within).list;

        return [
            ...curves.some(curve => curve.key === "heap") ? ["The dashed line is what the heap took of the system, the " +
                "other what was alive after the last collection before each snapshot; triangles are collections."] : [],
            "Objects of all threads in the heap, also those that nothing reaches, with their own sizes; between two " +
                "snapshots nothing was counted. A click on a band or a name goes into it.",
            ...left > 0 ? [mprof.format.grouped(left) +
                " small rows are summed up as [smaller rows], to keep the page small."] : [],
        ];
    }

    /* ------------------------------------------------------------ roots */

    function branchName(branch, branches) {
        if (branch.sort === "others")
            return "others (" + mprof.format.grouped(branch.left) + ")";
        if (branch.sort === "shared")
            return "held by several " + (branches[branch.parent].sort === "all" ? "kinds of roots" : "roots");
        return branch.name;
    }

    function rootColumns(branches, narrow) {
        const whole = branches[0].retained || 1, groups = !narrow && branches.some(branch => branch.group);
        const size = (key, title, explain) => [
            { key, title, unit: "bytes", explain, value: row => branches[row][key] },
            {
                key: key + "share", title: "%", unit: "share", explain: "Share of what all roots retain.",
                value: row => branches[row][key] / whole,
            },
        ];

        return [
            { key: "name", title: "root, or type", unit: "text", wide: 3, value: row => branchName(branches[row], branches) },
            ...groups ? [{ key: "group", title: "group", unit: "text", value: row => branches[row].group }] : [],
            ...narrow ? [] : [
                { key: "objects", title: "objects", unit: "count", value: row => branches[row].objects,
                    explain: "Of a root: those that it refers to." },
                ...size("bytes", "shallow", "The sizes of these objects."),
            ],
            ...size("retained", "retained", "What would be free without the row: its objects, and all that only they lead to."),
        ];
    }

    /* Returns the paths of the open branches in STATE. By default, only the first branch, whose path is [], is open. */
    function openPaths(state) {
        try {
            const paths = JSON.parse(state.hopen);

            return Array.isArray(paths) ? paths : [[]];
        } catch {
            return [[]];
        }
    }

    /* Returns a test whether TEST holds for the name or group of a branch or of one below it. */
    function found(branches, test) {
        const flags = branches.map(branch => test(branchName(branch, branches)) || test(branch.group));

        for (let i = branches.length - 1; i > 0; i--)
            flags[branches[i].parent] = flags[branches[i].parent] || flags[i];
        return row => flags[row];
    }

    function showRoots(element, state, moment, narrow) {
        const { heap } = mprof.model, branches = mprof.heapData.roots(moment), at = mprof.heapData.moments()[moment];
        const paths = openPaths(state).map(path => JSON.stringify(path));
        const opened = new Set([...branches.keys()].filter(row => paths.includes(JSON.stringify(branches[row].path))));
        const lost = at.bytes - branches[0].retained, part = mprof.el("section", { class: "part" });

        part.append(mprof.el("h3", {}, "What roots hold at " + mprof.heapData.momentName(at)));
        element.append(part);
        const below = branches.map(() => []);

        branches.forEach(({ parent }, row) => parent >= 0 && below[parent].push(row));
        mprof.grid(part, {
            label: "roots", columns: rootColumns(branches, narrow), n: 1, matches: test => found(branches, test),
            sort: state.hsort || "retained", down: state.hup ? false : undefined, filter: state.hq,
            sorted: (hsort, down) => mprof.url.set({ hsort, hup: down ? null : "1" }, true),
            filtered: hq => mprof.url.set({ hq: hq || null }, true),
            tree: {
                parent: row => branches[row].parent, children: row => below[row], opened,
                toggled: () => mprof.url.set({ hopen: JSON.stringify([...opened].map(row => branches[row].path)) }, true),
            },
        });
        part.append(mprof.el("p", { class: "note" }, "A click opens a row: kinds of roots, their roots, and the types of the " +
            "objects beneath. Objects of one type that lead to each other, such as lists, are one row. " +
            (lost > 0 ? mprof.format.exact(lost, "bytes") + " that no root reaches are left out. " : "") +
            "The table has the " + mprof.format.grouped(heap.mostRoots) + " rows that retain most, at most " + heap.deepestRoots +
            " types deep; others are sums."));
    }

    mprof.views.push(mprof.seriesView({
        id: "heap", title: "Heap", prefix: "h", data: mprof.heapData, applies: model => Boolean(model.heap), allThreads: true,
        into: true, next: mprof.heapData.next, links: () => [], notes, below: showRoots, quiet: ["hopen", "hsort", "hup", "hq"],
    }));
})();
