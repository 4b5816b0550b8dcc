/* SPDX-License-Identifier: MIT */
/* flame_details.js -- describes a frame in the tooltip, in the panel beside the graph, and for screen readers. */
"use strict";
(() => {
    const MOST_CHILDREN = 12, MOST_CHAIN = 40;

    const sortName = (model, f) => ["function of C", "function of Lisp", "mark"][model.functions.sort[f]];

    /* Returns the lines of FRAME's calls that lead to INNER, see flame_lines.js. */
    const place = (model, frames, frame, inner, figure) => mprof.flameLines.text(model, frames, frame, inner, figure.key);

    const nameOf = (model, frames, frame) =>
        frame === 0 ? "all" : model.functions.name[frames.function[frame]];

    /* Returns an array indexed by node of the merged tree. An element is 1 if FRAME of the reversed graph counts the node,
     * which it does if the innermost functions of the node's chain are those from the root to FRAME. */
    const members = (frames, frame) => {
        const tree = frames.merged, member = new Uint8Array(tree.count);
        const path = mprof.flameTree.path(frames, frame).slice(1).map((each) => frames.function[each]);
        for (let i = 1; i < tree.count; i++) {
            let at = i, n = 0;
            while (n < path.length && at > 0 && tree.function[at] === path[n]) {
                at = tree.parent[at];
                n++;
            }
            member[i] = n === path.length ? 1 : 0;
        }
        return member;
    };

    /* Returns the sums of figure KEY by id of the merged tree: `self`, and `all`, which includes everything below.
     * Results are cached. */
    const sums = (model, tree, key) => {
        tree.sums = tree.sums || {};
        if (!tree.sums[key]) {
            const values = model.self(key), self = new Float64Array(tree.count);
            for (let i = 0; i < values.length; i++)
                self[tree.to[i]] += values[i];
            const all = self.slice();
            for (let i = tree.count - 1; i > 0; i--)
                all[tree.parent[i]] += all[i];
            tree.sums[key] = { self, all };
        }
        return tree.sums[key];
    };

    /* Returns a function that gives FRAME's value of a figure, including everything below it. */
    const valueOf = (model, frames, frame) => {
        const member = frames.reversed && frame > 0 ? members(frames, frame) : null;
        return (key) => {
            if (frame === 0)
                return model.total(key);
            const { self, all } = sums(model, frames.merged, key);
            return member ? self.reduce((sum, value, i) => (member[i] ? sum + value : sum), 0) : all[frames.id[frame]];
        };
    };

    /* Returns FRAME's values by figure: `all`, which includes everything below, and `self`, which is null in reversed
     * graphs. */
    const figures = (model, frames, frame) => {
        const value = valueOf(model, frames, frame), id = frames.id[frame], all = {}, self = {};
        for (const { key } of mprof.figures.ofAll()) {
            all[key] = value(key);
            self[key] = frame > 0 ? sums(model, frames.merged, key).self[id] : 0;
        }
        return { all, self: frames.reversed ? null : self };
    };

    /* Returns the word for FRAME's change on a page of two sides. In reversed graphs returns "", because computing the
     * word for each frame takes too long. */
    const became = (model, frames, frame, figure) =>
        (figure.of && figure.difference && !frames.reversed ? mprof.changes.word(figure, valueOf(model, frames, frame)) : "");

    /* Returns "grown: 3,000 before, 4,500 after", or "" on other pages. */
    const history = (model, frames, frame, figure) => {
        if (!figure.of || !figure.difference)
            return "";
        const value = valueOf(model, frames, frame);
        return `${mprof.changes.word(figure, value) || "as before"}: ${mprof.changes.sides(figure, value)}`;
    };

    const tooltip = (model, frames, frame, figure, zoomed) => {
        const { format } = mprof, value = frames.value[frame], f = frames.function[frame];
        const facts = [`${mprof.changes.exact(figure, value)}${figure.unit === "bytes" ? ` (${format.bytes(value)})` : ""}`];
        if (frame > 0 && figure.difference)
            facts.push(`${format.share(frames.w[frame], 1)} of all that changed`, history(model, frames, frame, figure));
        else if (frame > 0)
            facts.push([`${format.share(value, frames.total)} of all`,
                zoomed > 0 ? `${format.share(value, frames.value[zoomed])} of ${nameOf(model, frames, zoomed)}` : null]
                .filter(Boolean).join(", "));
        const where = frame > 0 ? [model.moduleName(f), place(model, frames, frame, frame, figure),
            ["", "inlined", "tail call"][frames.inlined[frame]], model.functions.sort[f] === 1 ? "Lisp" : ""].filter(Boolean) : [];
        return [
            mprof.el("strong", {}, frame > 0 ? model.fullName(f) : "all"),
            where.length > 0 ? mprof.el("div", { class: "quiet" }, where.join(" \u00b7 ")) : null,
            ...facts.filter(Boolean).map((fact) => mprof.el("div", {}, fact)),
        ];
    };

    /* Returns a sentence about the frame for screen readers. */
    const sentence = (model, frames, frame, figure) => {
        const children = frames.first[frame + 1] - frames.first[frame];
        const share = figure.difference ? mprof.format.share(frames.w[frame], 1)
            : mprof.format.share(frames.value[frame], frames.total);
        return `${nameOf(model, frames, frame)}, ${mprof.changes.signed(figure, frames.value[frame])}, ` +
            `${share || "0 %"}, level ${frames.rowOf[frame]}, ` +
            `${children} ${frames.reversed ? "caller" : "callee"}${children === 1 ? "" : "s"}` +
            `${["", ", inlined", ", tail call"][frames.inlined[frame]]}` +
            (figure.of && figure.difference ? `, ${history(model, frames, frame, figure)}` : "");
    };

    const chainText = (model, frames, frame, figure) => {
        const names = mprof.flameTree.path(frames, frame).slice(1).map((each) => {
            const where = place(model, frames, each, frame, figure);
            return nameOf(model, frames, each) + (where ? ` (${where})` : "");
        });
        return names.join(frames.reversed ? "\n< " : "\n> ");
    };

    /* Rows of the table of figures: a label, and the keys of the same figure in bytes and in blocks. The label of
     * `kept` depends on the page. */
    const PAIRS = [
        ["Allocated", "bytes", "allocs"], [null, "kept", "keptBlocks"],
        ["Live at the peak", "peak", "peakBlocks"], ["Temporary", null, "temporary"],
    ];

    /* Returns rows for the figures with VALUES other than 0, below TITLE, or null if there are none. */
    const figureRows = (model, title, values) => {
        const cell = (key) => mprof.el("td", { title: key ? mprof.format.exact(values[key], model.figure(key).unit) : null },
            key ? mprof.format.value(values[key], model.figure(key).unit) : "");
        const cellOfBlocks = (bytes, key) => (bytes && values[bytes] && !values[key]
            ? mprof.el("td", { title: mprof.format.NO_BLOCKS }, "\u2013") : cell(key));
        const rows = PAIRS.filter(([, bytes, blocks]) => (bytes && values[bytes]) || values[blocks]);
        const labelOf = (label, bytes) => (!label && model.window ? "Change" : !label ? model.keptTitle
            : model.window && model.window.alive && bytes === "bytes" ? "Live then" : label);
        return rows.length === 0 ? null : mprof.el("tbody", {},
            mprof.el("tr", {}, mprof.el("th", { scope: "rowgroup", class: "group" }, title),
                ...["bytes", model.things, "share"].map((text) => mprof.el("th", { scope: "col" }, text))),
            rows.map(([label, bytes, blocks]) => mprof.el("tr", {},
                mprof.el("th", { scope: "row" }, labelOf(label, bytes)), cell(bytes), cellOfBlocks(bytes, blocks),
                mprof.el("td", {}, model.figure(bytes || blocks).difference ? ""
                    : mprof.format.share(values[bytes || blocks], model.total(bytes || blocks))))));
    };

    /* Returns a table of all figures before and after, for pages of two sides. */
    const sidesTable = (model, frames, frame) => {
        const value = valueOf(model, frames, frame);
        return mprof.el("table", { class: "facts-table" }, mprof.el("tbody", {},
            mprof.el("tr", {}, mprof.el("th", { scope: "col", class: "group" }, frames.reversed ? "On this way" : "With callees"),
                ...["before", "after", "change"].map((text) => mprof.el("th", { scope: "col" }, text))),
            model.figures.filter((each) => each.difference).map((each) => mprof.el("tr", {},
                mprof.el("th", { scope: "row" }, each.what),
                ...["before", "after", "change"].map((side) => value(`${side}:${each.of}`)).map((number, i) => mprof.el("td",
                    { title: mprof.format.exact(number, each.unit) },
                    i < 2 ? mprof.format.value(number, each.unit) : mprof.changes.signed(each, number)))))));
    };

    const figureTable = (model, frames, frame) => {
        if (model.difference)
            return sidesTable(model, frames, frame);
        const { all, self } = figures(model, frames, frame);
        return mprof.el("table", { class: "facts-table" },
            figureRows(model, frames.reversed ? "On this way" : "With callees", all),
            frame > 0 && self ? figureRows(model, "Itself", self) : null);
    };

    const childList = (model, frames, frame, figure, choose) => {
        const first = frames.first[frame], last = frames.first[frame + 1];
        if (first === last)
            return [];
        const shown = Math.min(last, first + MOST_CHILDREN), items = [];
        for (let i = first; i < shown; i++)
            items.push(mprof.el("li", {}, mprof.el("button", { type: "button", class: "flame-child", onclick: () => choose(i) },
                mprof.el("span", { class: "name" }, nameOf(model, frames, i)),
                mprof.el("span", { class: "value" }, mprof.changes.signed(figure, frames.value[i])),
                mprof.el("meter", {
                    min: 0, max: frames.w[frame], value: frames.w[i], "aria-hidden": "true",
                }))));
        return [
            mprof.el("h4", {}, frames.reversed ? "Called by" : "Calls"),
            mprof.el("ol", { class: "flame-children" }, items),
            last > shown ? mprof.el("p", { class: "quiet" }, `and ${mprof.format.grouped(last - shown)} more`) : null,
        ];
    };

    const chainList = (model, frames, frame, figure, choose) => {
        const path = mprof.flameTree.path(frames, frame).slice(1, -1);
        if (path.length === 0)
            return [];
        const shown = path.slice(-MOST_CHAIN).reverse();
        return [
            mprof.el("h4", {}, frames.reversed ? "Calls, to what allocates" : "Called by"),
            mprof.el("ol", { class: "flame-chain" }, shown.map((each) => mprof.el("li", {},
                mprof.el("button", { type: "button", class: "flame-child", onclick: () => choose(each) },
                    mprof.el("span", { class: "name" }, nameOf(model, frames, each))),
                mprof.el("span", { class: "value quiet" }, mprof.flameLines.links(model, frames, each, frame, figure.key))))),
            path.length > shown.length
                ? mprof.el("p", { class: "quiet" }, `and ${path.length - shown.length} further out`) : null,
        ];
    };

    /* Returns the elements of the panel. CHOOSE(frame) is called when another frame is clicked. */
    const panel = (model, frames, frame, figure, choose) => {
        const f = frames.function[frame], where = frame === 0 ? [] : mprof.flameLines.links(model, frames, frame, frame, figure.key);
        const about = frame === 0 ? [] : [
            sortName(model, f) + ["", ", inlined", ", tail call"][frames.inlined[frame]], model.moduleName(f)];
        return [
            mprof.el("h3", {}, frame > 0 ? model.fullName(f) : `All of ${model.program.replace(/^.*\//, "")}`),
            frame > 0 ? mprof.el("p", { class: "quiet about" }, about.filter(Boolean).join(" \u00b7 "),
                where.length > 0 ? [" \u00b7 ", where] : []) : null,
            figure.to === undefined ? null : mprof.el("p", {},
                `${figure.label}: `, mprof.el("strong", {}, mprof.format.exact(frames.value[frame], figure.unit))),
            figure.of && figure.difference ? mprof.el("p", {}, history(model, frames, frame, figure)) : null,
            figureTable(model, frames, frame),
            frame > 0 ? mprof.el("div", { class: "flame-actions" },
                mprof.views.some((view) => view.id === "functions") && model.functions.sort[f] !== 2 ? mprof.el("a", {
                    class: "button", href: mprof.url.link({ view: "functions", function: f, node: null, path: null }),
                }, "Callers and callees") : null,
                mprof.skip.can(f) ? mprof.skip.button(f) : null,
                mprof.button("Copy chain", () => mprof.copy(chainText(model, frames, frame, figure)))) : null,
            ...childList(model, frames, frame, figure, choose),
            ...chainList(model, frames, frame, figure, choose),
        ].filter(Boolean);
    };

    mprof.flameDetails = { nameOf, became, tooltip, sentence, panel };
})();
