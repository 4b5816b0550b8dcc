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

    function row(title, blocks, bytes, sums, most) {
        const cell = text => mprof.el("td", { class: "number" }, text);

        return mprof.el("tr", {}, mprof.el("th", { scope: "row" }, title),
            mprof.el("td", { "aria-hidden": "true" }, mprof.el("meter", { min: 0, max: most || 1, value: bytes })),
            cell(mprof.format.grouped(bytes)), cell(mprof.format.share(bytes, sums.allBytes) || "0 %"),
            cell(mprof.format.grouped(blocks)));
    }

    function table(sums) {
        const { below } = mprof.model.sums.lived, sum = list => list.reduce((a, b) => a + b, 0);
        const rest = { blocks: sums.allBlocks - sum(sums.blocks), bytes: sums.allBytes - sum(sums.bytes) };
        const last = sums.blocks.reduce((found, blocks, i) => blocks > 0 ? i : found, 0);
        const most = Math.max(rest.bytes, ...sums.bytes), body = mprof.el("tbody", {});
        const heads = ["Allocated meanwhile", "", "bytes", "%", "blocks"];

        for (let i = 0; i <= last; i++)
            body.append(row(i < below.length ? "less than " + size(below[i]) : "more", sums.blocks[i], sums.bytes[i], sums, most));
        if (rest.blocks > 0)
            body.append(row("not freed, or not known", rest.blocks, rest.bytes, sums, most));
        return mprof.el("table", { class: "lifetimes" }, mprof.el("thead", {}, mprof.el("tr", {},
            heads.map(text => mprof.el("th", { scope: "col" }, text)))), body);
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
            part.append(table(sums));
        element.append(part);
    }

    mprof.lifetimes = { of, show };
})();
