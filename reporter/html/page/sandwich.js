/* SPDX-License-Identifier: MIT */
/*
 * sandwich.js -- a function with its callers above and its callees below: the call graph table as linked pages. A
 * cycle of functions that call each other has its own page.
 *
 * Outside of cycles, these sums are exactly equal: called by others + outermost = with callees = itself + callees.
 */
"use strict";
(() => {
    const CALLS = "allocs";     /* figure by which calls are counted */
    const LINES = 5;            /* maximum lines of a function */

    function go(f) {
        mprof.url.set({ view: "functions", function: f, cycle: null, sort: null, up: null, q: null });
    }

    function goCycle(cycle) {
        mprof.url.set({ view: "functions", function: null, cycle, sort: null, up: null, q: null });
    }

    /* The link to the table of all functions, which every page has. */
    const toAll = ["All functions", () => mprof.url.set({ function: null, cycle: null })];

    function cycleOf(f) {
        return mprof.graph.cycles().of[f];
    }

    function nameWithCycle(f) {
        const cycle = cycleOf(f);

        return mprof.model.functions.name[f] + (cycle ? " <cycle " + cycle + ">" : "");
    }

    /* ------------------------------------------------------------ parts of a page */

    /* Formats a share with a non-breaking space. */
    const percent = (part, whole) => mprof.format.share(part, whole).replace(/ /g, "\u00a0");

    /* Returns the key of the figure that counts the blocks of FIGURE, or null if there is none. */
    function blocksOf(figure) {
        const key = { bytes: "allocs", kept: "keptBlocks", peak: "peakBlocks" }[figure] || figure.replace(/^live:/, "liveBlocks:");

        return mprof.model.figure(key).key === key && mprof.model.figure(key).unit === "blocks" ? key : null;
    }

    function amount(value, whole, unit) {
        const text = mprof.format.grouped(value) + (unit === "bytes" ? " bytes" : " " + mprof.model.things);

        return text + (whole > 0 ? " (" + percent(value, whole) + ")" : "");
    }

    /* Returns a definition list. ROWS are [term, text or element]. */
    function facts(rows) {
        const list = mprof.el("dl", { class: "facts" });

        for (const [term, text] of rows)
            list.append(mprof.el("dt", {}, term), mprof.el("dd", {}, ...[text].flat()));
        return list;
    }

    function section(element, title, said) {
        const part = mprof.el("section", { class: "part" });

        part.append(mprof.el("h3", {}, title));
        if (said)
            part.append(mprof.el("p", { class: "note" }, said));
        element.append(part);
        return part;
    }

    /* Returns a column with each row's share of WHOLE, or no column for changes. */
    function shareColumn(figure, part, whole) {
        return mprof.model.figure(figure).difference ? [] : [
            { key: "share", title: "%", unit: "share", value: row => whole > 0 ? part(row) / whole : 0 }];
    }

    /* Appends a table of arcs. ENDS[arc] is the function at the other end of the arc. OF(arc, figure) is the
     * sum that contains the arc's, for the column "of". Shares are of WHOLE. */
    function arcsGrid(element, label, arcs, figure, ends, of, whole, narrow) {
        const sums = mprof.graph.sums("arcs", figure), blocks = blocksOf(figure);
        const chosen = mprof.model.figure(figure), { unit } = chosen;
        const mark = row => [inCycle(arcs[row]) ? "overlaps" : "adds"];
        const columns = [
            { key: "amount", title: mprof.figures.title(chosen), unit, value: row => sums[arcs[row]], mark },
            ...shareColumn(figure, row => sums[arcs[row]], whole),
        ];

        if (chosen.of && chosen.difference)
            columns.splice(0, 1, ...mprof.changes
                .columns(chosen, key => arcs.map(arc => mprof.graph.sums("arcs", key)[arc]), null, narrow)
                .map(column => ({ ...column, key: column.key === "total" ? "amount" : column.key, mark })));
        else if (!narrow && !chosen.of)
            columns.push(...blocks ? [
                {
                    key: "called", title: mprof.model.things, unit: "blocks", value: row => mprof.graph.sums("arcs", blocks)[arcs[row]],
                    explain: "Blocks or objects of this figure on such chains.",
                },
                {
                    key: "of", title: "of", unit: "blocks", value: row => of(arcs[row], blocks),
                    explain: "... of all that belong to what the caller calls, or with the callee called.",
                }] : [], ...mprof.kinds.shares("arcs", figure, arcs));
        const name = { key: "name", title: "function", unit: "text", value: row => nameWithCycle(ends[arcs[row]]) };

        mprof.grid(element, {
            label, n: arcs.length, columns: mprof.figures.inOrder(narrow, columns, [name]), sort: "amount", open: row => go(ends[arcs[row]]),
        });
    }

    function inCycle(arc) {
        const graph = mprof.graph.structure(), cycle = cycleOf(graph.caller[arc]);

        return cycle !== 0 && cycle === cycleOf(graph.callee[arc]);
    }

    function overlapNote(arcs) {
        return arcs.some(inCycle) ? "Rows of the function's own cycle (in italics) overlap: a chain may take " +
            "many of them." : "";
    }

    /* Returns a row of links. ITEMS are [text, action]. */
    function links(items) {
        const bar = mprof.el("p", { class: "links" });

        for (const [text, action] of items)
            bar.append(mprof.button(text, action));
        return bar;
    }

    function kindFacts(f, figure) {
        if (!mprof.kinds.hasSums(figure) || mprof.model.figure(figure).difference)
            return [];
        const whole = mprof.graph.sums("total", figure)[f];
        const parts = mprof.kinds.columns().map(column => {
            const part = mprof.kinds.sums("total", figure, column.key)[f];

            return part > 0 ? column.title + " " + percent(part, whole) : "";
        }).filter(text => text);

        return parts.length ? [["Kinds", parts.join(", ")]] : [];
    }

    /* Returns the ARCS with a value other than 0 in any figure. Other arcs occur only in other threads, or lead to
     * [smaller parts], which the tables do not have. */
    function present(arcs) {
        const keys = mprof.figures.ofAll().map(figure => figure.key).concat(mprof.model.figure(mprof.url.state.figure).key);

        return arcs.filter(arc => keys.some(key => mprof.graph.sums("arcs", key)[arc] !== 0));
    }

    /* ------------------------------------------------------------ a function */

    function head(element, f, figure) {
        const model = mprof.model;
        const sum = what => mprof.graph.sums(what, figure.key)[f], total = sum("total");
        const amountOf = (what, whole) => mprof.changes.plus(figure, sum(what)) +
            amount(sum(what), figure.difference ? 0 : whole, figure.unit);
        const recur = mprof.graph.sums("recur", CALLS)[f], cycle = cycleOf(f), rows = [];
        const file = model.fileName(f);

        if (model.moduleName(f))
            rows.push(["Module", model.moduleName(f)]);
        const lines = mprof.source.lines(f, figure.key).slice(0, LINES).flatMap(each =>
            [" ", mprof.source.link(each.file, each.line, figure.key)]);
        if (file)
            rows.push(["Source", [file, ...lines]]);
        rows.push([figure.of ? "With callees" : figure.label + ", with callees", amountOf("total", model.total(figure.key))],
            ["Itself", amountOf("self", total)], ["Callees", amountOf("calling", total)],
            ["Called by others", amountOf("called", total)]);
        if (sum("root") !== 0)
            rows.push(["Outermost", amountOf("root", total)]);
        if (figure.of && figure.difference)
            rows.push(["Before, after", mprof.changes.sides(figure, key => mprof.graph.sums("total", key)[f])],
                ["Became", mprof.changes.word(figure, key => mprof.graph.sums("total", key)[f]) || "as before"]);
        if (recur > 0 && !figure.of)
            rows.push(["Recurs", mprof.format.grouped(recur) + " times, once for each block that was allocated below"]);
        rows.push(...kindFacts(f, figure.key));
        if (cycle)
            rows.push(["Cycle", mprof.button("cycle " + cycle + " of " +
                mprof.format.grouped(mprof.graph.cycles().members[cycle].length) + " functions",
                () => goCycle(cycle), "link")]);
        element.append(mprof.el("h2", { class: "name" }, model.functions.name[f]), facts(rows));
    }

    function show(element, f, state, narrow) {
        const model = mprof.model;

        if (!(f >= 0 && f < model.functions.count)) {
            element.append(links([toAll]), mprof.el("p", { class: "nothing" }, "There is no such function in this profile."));
            return;
        }
        const graph = mprof.graph.structure(), figure = model.figure(state.figure).key;
        const total = mprof.graph.sums("total", figure)[f];
        const others = arcs => present(arcs.filter(arc => graph.caller[arc] !== graph.callee[arc]));
        const into = others(graph.into(f)), out = others(graph.out(f));
        const actions = [toAll,
            ["Flame graph", () => mprof.url.set({
                view: "flame", function: null, node: null, path: null, search: model.functions.name[f],
            })],
            ["Types", () => mprof.url.set({ view: "types", function: f })]];

        if (mprof.source.has(f))
            actions.push(["Source", () => mprof.url.set({ view: "source", function: f, line: null })]);
        if (mprof.skip.can(f))
            actions.push(["Skip", () => mprof.skip.add(f)]);
        element.append(links(actions), mprof.el("p", { class: "controls" }, mprof.figures.figureChooser(state)),
            ...mprof.figures.left(figure));
        const above = section(element, "Callers", overlapNote(into));
        const middle = mprof.el("section", { class: "part middle" });
        element.append(middle);
        head(middle, f, model.figure(figure));
        mprof.lifetimes.show(middle, f);
        const below = section(element, "Callees", overlapNote(out));

        if (into.length)
            arcsGrid(above, "callers", into, figure, graph.caller,
                (arc, key) => mprof.graph.sums("calling", key)[graph.caller[arc]], total, narrow);
        else
            above.append(mprof.el("p", { class: "nothing" }, model.thread < 0 ? "Nobody: it is outermost on every chain."
                : "Nobody in this thread."));
        if (out.length)
            arcsGrid(below, "callees", out, figure, graph.callee,
                (arc, key) => mprof.graph.sums("called", key)[graph.callee[arc]], mprof.graph.sums("calling", figure)[f], narrow);
        else
            below.append(mprof.el("p", { class: "nothing" }, "Nobody allocates on its behalf."));
    }

    /* ------------------------------------------------------------ a cycle */

    /* Returns the sums of ARCS, which enter or leave a cycle, by the function outside, as [[function, sum], ...],
     * largest first. ENDS[arc] is that function. Sums of arcs do not overlap, because a chain enters and leaves a cycle
     * at most once. */
    function outside(arcs, ends, figure) {
        const values = mprof.graph.sums("arcs", figure), sums = new Map();

        for (const arc of arcs)
            sums.set(ends[arc], (sums.get(ends[arc]) || 0) + values[arc]);
        return [...sums].sort((a, b) => b[1] - a[1]);
    }

    function pairsGrid(element, label, pairs, figure, whole, none) {
        const { unit } = mprof.model.figure(figure);

        if (!pairs.length) {
            element.append(mprof.el("p", { class: "nothing" }, none));
            return;
        }
        mprof.grid(element, {
            label, n: pairs.length, sort: "amount", open: row => go(pairs[row][0]),
            columns: [
                {
                    key: "amount", title: mprof.figures.title(mprof.model.figure(figure)), unit,
                    value: row => pairs[row][1],
                },
                ...shareColumn(figure, row => pairs[row][1], whole),
                { key: "name", title: "function", unit: "text", value: row => mprof.model.functions.name[pairs[row][0]] },
            ],
        });
    }

    /* Returns what was allocated in and below the cycle of MEMBERS, in two breakdowns: by the allocating function, and
     * by the innermost member on the chain. */
    function under(members, figure) {
        const model = mprof.model, { parent } = model.nodes, self = model.self(figure), inside = new Set(members);
        const last = new Int32Array(parent.length), allocators = new Map(), innermost = new Map();
        const add = (sums, f, value) => sums.set(f, (sums.get(f) || 0) + value);

        for (let i = 1; i < parent.length; i++) {
            last[i] = inside.has(model.functionOf(i)) ? i : last[parent[i]];
            if (last[i] && self[i] !== 0) {
                add(allocators, model.functionOf(i), self[i]);
                add(innermost, model.functionOf(last[i]), self[i]);
            }
        }
        return { allocators: [...allocators], innermost: [...innermost] };
    }

    function showCycle(element, cycle, state) {
        const graph = mprof.graph.structure(), members = mprof.graph.cycles().members[cycle];
        const figure = mprof.model.figure(state.figure).key, { unit } = mprof.model.figure(figure);

        if (!members || !members.length) {
            element.append(links([toAll]), mprof.el("p", { class: "nothing" }, "There is no such cycle in this profile."));
            return;
        }
        const of = what => members.reduce((sum, f) => sum + mprof.graph.sums(what, figure)[f], 0);
        const into = present(members.flatMap(f => graph.into(f)).filter(arc => !inCycle(arc)));
        const out = present(members.flatMap(f => graph.out(f)).filter(arc => !inCycle(arc)));
        const callers = outside(into, graph.caller, figure), callees = outside(out, graph.callee, figure);
        const sum = pairs => pairs.reduce((total, pair) => total + pair[1], 0);
        const total = sum(callers) + of("root");
        const own = mprof.graph.sums("self", figure);

        element.append(links([toAll]),
            mprof.el("p", { class: "controls" }, mprof.figures.figureChooser(state)));
        pairsGrid(section(element, "Members", "What each allocated itself."), "members", members.map(f => [f, own[f]]), figure,
            of("self"), "");
        pairsGrid(section(element, "Callers"), "callers", callers, figure, total, "Nobody outside calls it.");
        const middle = mprof.el("section", { class: "part middle" });
        middle.append(mprof.el("h2", { class: "name" }, "Cycle " + cycle), mprof.el("p", { class: "note" },
            mprof.format.grouped(members.length) + " functions that call each other. A chain enters a cycle once and leaves " +
            "it once, so these figures add up whatever happens inside."), facts([
            ["With callees", amount(total, mprof.model.total(figure), unit)],
            ["Its functions themselves", amount(of("self"), total, unit)],
            ["Callees", amount(sum(callees), total, unit)]]));
        element.append(middle);
        pairsGrid(section(element, "Callees"), "callees", callees, figure, sum(callees), "It calls nobody outside.");
        const { allocators, innermost } = under(members, figure);
        const cut = mprof.model.left.nodes > 0 ? " What is summed up as [smaller parts] counts where it was cut off." : "";
        pairsGrid(section(element, "Allocators", "Who allocates on its behalf: each byte once." + cut), "allocators",
            allocators, figure, total, "");
        pairsGrid(section(element, "Innermost members", "The last function of the cycle on the chain: each byte once." + cut),
            "innermost members", innermost, figure, total, "");
    }

    mprof.sandwich = { show, showCycle };
})();
