/* SPDX-License-Identifier: MIT */
/*
 * lifetimes.js -- histogram of the lifetimes of blocks that were allocated below a function, if lifetimes were recorded
 * (mprof run --lifetimes).
 *
 *     mprof.lifetimes.of(f)              {blocks, bytes, allBlocks, allBytes}: two lists by bucket of the histogram,
 *                                        and sums of all blocks of malloc, also of those without a known lifetime;
 *                                        undefined if these tables did not fit into the page
 *     mprof.lifetimes.show(element, f)   appends the histogram of function F, if it has any blocks of malloc
 */
"use strict";
(() => {
    function of(f) {
        const { kinds, sums: { lived } } = mprof.model, n = lived.below.length + 1;
        const sums = { blocks: new Array(n).fill(0), bytes: new Array(n).fill(0) };
        const [blocks, bytes] = ["allocs", "bytes"].map(figure => mprof.sums.byKind(f, figure));
        const ofC = values => values.reduce((sum, value, kind) => kinds[kind].lisp ? sum : sum + value, 0);

        if (!blocks)
            return undefined;
        lived.key.forEach((key, i) => {
            if (key !== f)
                return;
            sums.blocks[lived.bucket[i]] += lived.blocks[i];
            sums.bytes[lived.bucket[i]] += lived.bytes[i];
        });
        return { ...sums, allBlocks: ofC(blocks), allBytes: ofC(bytes) };
    }

    function size(bytes) {
        const steps = [[30, "GiB"], [20, "MiB"], [10, "KiB"]], step = steps.find(([bits]) => bytes >= 2 ** bits);

        return step ? bytes / 2 ** step[0] + " " + step[1] : bytes + " bytes";
    }

    function rowsOf(sums) {
        const { below } = mprof.model.sums.lived, sum = list => list.reduce((a, b) => a + b, 0);
        const rest = { blocks: sums.allBlocks - sum(sums.blocks), bytes: sums.allBytes - sum(sums.bytes) };
        const last = sums.blocks.reduce((found, blocks, i) => blocks > 0 ? i : found, 0);
        const rows = sums.blocks.slice(0, last + 1).map((blocks, i) => ({
            title: i < below.length ? "less than " + size(below[i]) : "more", blocks, bytes: sums.bytes[i],
        }));

        return rest.blocks > 0 ? [...rows, { title: "not freed, or not known", ...rest }] : rows;
    }

    /* Returns a table of ROWS, [{title, bytes, blocks}], with a bar for the bytes of each. HEAD is the title of their
     * titles, and WHOLE the bytes that shares refer to. */
    function histogram(head, rows, whole) {
        const most = rows.reduce((a, { bytes }) => Math.max(a, bytes), 1), cell = text => mprof.el("td", { class: "number" }, text);

        return mprof.el("table", { class: "histogram" },
            mprof.el("thead", {}, mprof.el("tr", {}, [head, "", "bytes", "%", "blocks"].map(text => mprof.el("th", { scope: "col" }, text)))),
            mprof.el("tbody", {}, rows.map(({ title, bytes, blocks }) => mprof.el("tr", {}, mprof.el("th", { scope: "row" }, title),
                mprof.el("td", { "aria-hidden": "true" }, mprof.el("meter", { min: 0, max: most, value: bytes })),
                cell(mprof.format.grouped(bytes)), cell(mprof.format.share(bytes, whole) || "0 %"), cell(mprof.format.grouped(blocks))))));
    }

    function show(element, f) {
        const { sums: tables, thread } = mprof.model;

        if (!tables || !tables.lived)
            return;
        const part = mprof.el("section", { class: "part" }), sums = of(f);

        if (!sums || sums.allBlocks === 0)
            return;
        part.append(mprof.el("h3", {}, "Lifetimes"), thread < 0 ? mprof.el("p", { class: "note" },
            "Of its blocks, and those of its callees: how long each lived, in bytes that the program allocated meanwhile.")
            : mprof.el("p", { class: "nothing" }, "Not known by thread."));
        if (thread < 0)
            part.append(histogram("Allocated meanwhile", rowsOf(sums), sums.allBytes));
        element.append(part);
    }

    mprof.lifetimes = { of, show };
    mprof.histogram = histogram;
})();
