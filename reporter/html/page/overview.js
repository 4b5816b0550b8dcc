/* SPDX-License-Identifier: MIT */
/* overview.js -- the first view: figures, findings, live bytes over time, and properties of the recording. */
"use strict";
(() => {
    const { el, format } = mprof;
    const shortName = (text) => text.replace(/^.*\//, "");
    const MOST_LINES = 3, FEW = 0.05;   /* maximum lines of a function in a row; the least part of the first that others have */
    const FRESH = { node: null, path: null, function: null, cycle: null, sort: null, up: null, q: null };

    /* ---------------------------------------------------------------- figures */

    /* Returns the function with the largest own value of FIGURE as {f, name, value}, or null if no function has any. */
    const largest = (model, figure) => {
        const sums = mprof.graph.sums("self", figure);
        let best = -1;
        for (let f = 2; f < sums.length; f++)
            if (model.functions.sort[f] !== 2 && sums[f] > 0 && (best < 0 || sums[f] > sums[best]))
                best = f;
        return best < 0 ? null : { f: best, name: model.functions.name[best], value: sums[best] };
    };

    /* Returns links to the lines on which function F has most of FIGURE. */
    const linesOf = (f, figure) => mprof.source.lines(f, figure)
        .filter(({ value }, i, all) => value !== 0 && Math.abs(value) >= FEW * Math.abs(all[0].value)).slice(0, MOST_LINES)
        .flatMap(({ file, line }) => [" ", mprof.source.link(file, line, figure)]);

    /* Returns a card that leads to the places with most of FIGURE. Its last line has the first of them. */
    const card = (model, title, figure, value, more) => {
        const most = largest(model, figure), total = model.total(figure);
        return el("div", { class: "card figure-card" },
            el("span", { class: "quiet" }, title),
            el("a", {
                class: "whole", href: mprof.url.link({ view: "functions", table: "up", figure, ...FRESH }),
                "aria-label": `${title}: ${value}, by place`,
            }, el("strong", {}, value)), el("span", {}, more),
            el("span", { class: "quiet most", title: most && most.name },
                !most ? "\u2013" : model.figure(figure).difference ? `${format.bytes(most.value)} more by ${most.name}`
                    : `${format.share(most.value, total)} by ${most.name}`),
            most ? el("span", { class: "most" }, linesOf(most.f, figure).slice(0, 2)) : null);
    };

    /* Returns how many blocks malloc made. Objects are never temporary. */
    const blocksOfC = ({ cells, kinds }) =>
        cells.allocs.reduce((sum, value, i) => (kinds[cells.kind[i]].lisp ? sum : sum + value), 0);

    const cards = (model) => {
        const about = model.estimated ? "about " : "", grouped = (value) => about + format.grouped(value);
        const bytes = (value) => about + format.bytes(value);
        const blocks = (key) => `${grouped(model.window ? model.total(key) : Math.max(0, model.total(key)))} ${model.things}`;
        const known = (key, ...rest) => (model.knows(key) ? card(model, rest[0], key, rest[1](), rest[2]()) : null);
        const temporary = () => known("temporary", "Temporary", () => grouped(model.total("temporary")),
            () => `blocks, ${format.share(model.total("temporary"), blocksOfC(model)) || "0 %"} of ` +
                (model.kinds.some((kind) => kind.lisp) ? "malloc's" : "all"));
        if (model.window)
            return el("div", { class: "figure-cards" },
                card(model, model.window.alive ? "Live then" : "Allocated", "bytes", bytes(model.total("bytes")), blocks("allocs")),
                model.window.alive ? null
                    : card(model, "Change of what is live", "kept", bytes(model.total("kept")), blocks("keptBlocks")),
                temporary());
        const blocksOf = (key) => () => (model.knows(key) ? blocks(key) : "");
        return el("div", { class: "figure-cards" },
            known("bytes", "Allocated", () => bytes(model.total("bytes")), blocksOf("allocs")),
            known("peak", "Live at the peak", () => bytes(Math.max(0, model.peak())), blocksOf("peakBlocks")),
            known("kept", model.keptTitle, () => bytes(model.total("kept")), blocksOf("keptBlocks")),
            temporary());
    };

    /* ---------------------------------------------------------------- findings */

    /* Returns the address of a finding's chain in the flame graph of its figure. If the finding is about several chains
     * with the same inner end, returns the address of this end in the reversed graph. If it was found in another view
     * than that of the page, searches for its innermost function that the page has. Returns null if there is none. */
    const findingLink = (model, each) => {
        const chain = model.chain(each.node).reverse(), view = { view: "flame", figure: each.figure };
        if (each.node > 0 && (each.whole || model.functionOf(each.node) === 1))
            return { ...view, node: each.node, path: null, reverse: null };
        if (each.node > 0)
            return { ...view, node: null, path: chain.slice(0, each.depth).map(model.functionOf).join("."), reverse: "1" };
        const calls = [...each.chain.map((call) => call.replace(/ \(.*$/, "")), each.function].map(format.name);
        const name = calls.filter((call) => model.functions.name.includes(call)).pop();
        return name && { ...view, node: null, path: null, search: `/^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$/` };
    };

    const finding = (model, each) => {
        const link = findingLink(model, each);
        return el("li", { class: "card finding" },
            el("h3", {}, each.title),
            el("p", {}, mprof.source.linked(each.text)),
            each.chain.length > 0 ? el("p", { class: "finding-chain" },
                each.whole ? null : el("span", { class: "quiet" }, "\u2026 "),
                each.chain.map((call, i) =>
                    [i > 0 ? el("span", { class: "quiet" }, " \u203a ") : null, el("span", {}, mprof.source.linked(call))])) : null,
            el("div", { class: "finding-actions" },
                link ? el("a", {
                    class: "button", href: mprof.url.link(link), "aria-label": `${each.title}: in the flame graph`,
                }, "In the flame graph") : null,
                el("button", { type: "button", class: "command", title: "Copy the command", onclick: () => mprof.copy(each.command) },
                    el("code", {}, each.command))));
    };

    const findings = (model) => {
        if (!model.findings)
            return null;
        const left = model.findingsLeftOut;
        return el("section", { class: "findings", "aria-labelledby": "findings-title" },
            el("h2", { id: "findings-title" }, "Worth a look"),
            model.findingsCaveat ? el("p", { class: "quiet" }, model.findingsCaveat) : null,
            model.findings.length === 0
                ? el("p", { class: "quiet" }, model.findingsNothing || "None.")
                : el("ol", {}, model.findings.map((each) => finding(model, each))),
            left > 0 ? el("p", { class: "quiet" }, `${left} more: mprof findings --all`) : null,
            model.estimated && model.findings.length > 0
                ? el("p", { class: "quiet" }, "All figures here are estimates from samples.") : null);
    };

    /* ---------------------------------------------------------------- how it went */

    /* Returns a small curve of live bytes that links to the view of time, or null if there are too few points. */
    const sparkline = (model) => {
        const points = model.time && model.time.points, width = 600, height = 90;
        if (!points || points.time.length < 2)
            return null;
        const end = points.time[points.time.length - 1] || 1, most = points.live.reduce((a, b) => Math.max(a, b), 1);
        const x = (time) => (time / end * width).toFixed(1), y = (live) => (height - live / most * (height - 4)).toFixed(1);
        const line = points.time.map((time, i) => `${x(time)},${y(points.live[i])}`).join(" ");
        const drawing = mprof.svg("svg", {
            viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", class: "sparkline",
            "aria-label": `Live bytes over ${format.time(end)}, ${format.bytes(most)} at most`,
        }, mprof.svg("polygon", { points: `0,${height} ${line} ${width},${height}`, class: "under" }),
        mprof.svg("polyline", { points: line, class: "line" }));
        return el("a", { class: "card spark-card", href: mprof.url.link({ view: "time" }) },
            el("span", { class: "quiet" }, `Live bytes over ${format.time(end)}, most seen ${format.bytes(most)}`), drawing);
    };

    /* Returns a bar of what the resident memory consisted of, with a legend. */
    const residentBar = (resident) => {
        const parts = resident.parts.filter(([, bytes]) => bytes > 0);
        const shaded = (element, i, grow) => {      /* attributes with styles are forbidden in the page */
            Object.assign(element.style, { opacity: 1 - i / (parts.length + 1), flexGrow: grow });
            return element;
        };

        return [
            el("p", { class: "quiet" }, resident.checkpoint === undefined
                ? `Most that was seen, ${format.time(resident.time)} after the recording began.`
                : `${format.bytes(resident.bytes)}, ${format.time(resident.late)} after checkpoint ${format.name(resident.checkpoint)}.`),
            el("div", { class: "resident-bar", "aria-hidden": "true" }, parts.map(([text, bytes], i) =>
                shaded(el("span", { title: `${format.bytes(bytes)} ${text}` }), i, bytes / resident.bytes))),
            el("ul", { class: "resident-parts" }, parts.map(([text, bytes], i) => el("li", {},
                shaded(el("span", { class: "swatch", "aria-hidden": "true" }), i, 0),
                `${format.bytes(bytes)} ${text} `, el("span", { class: "quiet" }, format.share(bytes, resident.bytes))))),
        ];
    };

    /* Returns a card of the largest resident memory and of that at checkpoints, or null if they are unknown. */
    const residentCard = ({ resident }) => {
        if (!resident)
            return null;
        const [{ bytes, missing }] = resident;
        return el("section", { class: "card resident-card", "aria-labelledby": "resident-title" },
            el("h2", { id: "resident-title" }, `Resident memory: ${format.bytes(bytes)}`),
            resident.map(residentBar),
            missing === 0 ? null : el("p", { class: "quiet" }, `${format.grouped(missing)} ` +
                `${missing === 1 ? "checkpoint is" : "checkpoints are"} missing: the observer saw the memory too late.`));
    };

    /* ---------------------------------------------------------------- what was recorded */

    /* Returns the table rows for one line of the model's head (html_parts.h). Figures have columns of their own, so
     * that they can be compared. Texts span all columns. */
    const headRows = ([label, ...cells]) => {
        const row = (...columns) => el("tr", {}, el("th", { scope: "row" }, label), columns);
        const text = (what) => el("td", { colspan: 2 }, what);
        const isSize = (cell) => typeof cell === "string" && /^[\d,]+ bytes? \(/.test(cell);
        if (typeof cells[0] !== "number" && !isSize(cells[0]))
            return row(text(cells.join(cells.length > 1 ? ", " : "").replace(/, ; /, "; ")));
        const count = typeof cells[0] === "number" ? format.grouped(cells.shift()) : "";
        const size = isSize(cells[0]) ? cells.shift().replace(/ \(.*/, "") : "";
        const said = cells.join(" ");
        return [row(el("td", { class: "number" }, count), el("td", { class: "number" }, size)),
            said ? el("tr", { class: "said" }, el("td"), text(said)) : null];
    };

    /* ---------------------------------------------------------------- who allocates */

    const MOST_ROWS = 10;

    /* A program allocates unusually much if it is this many times its peak, and this many bytes. */
    const TURNOVER = 10, MUCH = 1e8;

    /* Returns the figure that most people look for: what is unusual, or what the memory is. Where a collector frees
     * memory, that is what it has to free. */
    const unusual = (model) => {
        const bytes = model.total("bytes"), peak = model.knows("peak") ? model.total("peak") : 0;
        const collected = model.kinds.some((kind) => kind.lisp);
        return model.window || collected || peak <= 0 || bytes >= TURNOVER * peak && bytes >= MUCH ? "bytes" : "peak";
    };

    /* Returns a table of the functions that have most of the chosen figure themselves, with their lines. On pages of what
     * happened between two points in time, functions with the largest changes are in it, too. */
    const allocators = (model) => {
        const all = mprof.figures.ofAll().filter(({ key }) => model.inclusive(key).some((value) => value !== 0));
        const asked = all.find(({ key }) => key === mprof.url.state.rank), figure = asked || model.figure(unusual(model));
        const values = mprof.graph.sums("self", figure.key), kept = mprof.graph.sums("self", "kept"), total = model.total(figure.key);
        const alive = model.window && model.window.alive, growth = model.window && !alive && figure.key === "bytes";
        const weight = growth ? (f) => Math.max(values[f], Math.abs(kept[f])) : (f) => Math.abs(values[f]);
        const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 1);
        const order = [...values.keys()].slice(2).filter((f) => weight(f) > 0)
            .sort((a, b) => weight(b) - weight(a)).slice(0, MOST_ROWS);
        const more = alive || !model.knows("kept") || figure.key.startsWith("kept") ? null : growth ? "change" : model.keptTitle.toLowerCase();
        const columns = ["function", mprof.figures.title(figure), "", "share", more];
        return el("section", { class: "who", "aria-labelledby": "allocators-title" },
            el("h2", { id: "allocators-title" }, alive ? "Who holds it" : "Who allocates"),
            mprof.figures.choice("Figure of the table", all.filter(({ key }) => !key.endsWith("Blocks"))
                .map((each) => ({ key: each.key, title: mprof.figures.title(each) })), figure.key,
            (rank) => mprof.url.set({ rank }, true)),
            el("table", { class: "allocators" },
                el("thead", {}, el("tr", {}, columns.filter((title) => title !== null)
                    .map((title) => el("th", { scope: "col" }, title)))),
                el("tbody", {}, order.map((f) => el("tr", {},
                    el("th", { scope: "row" },
                        el("a", { href: mprof.url.link({ ...FRESH, view: "functions", function: f, figure: figure.key }),
                            title: model.fullName(f) }, model.functions.name[f]), linesOf(f, figure.key)),
                    el("td", { class: "number" }, format.value(values[f], figure.unit)),
                    el("td", { class: "bar-cell", "aria-hidden": "true" }, el("meter", { min: 0, max: most, value: Math.abs(values[f]) })),
                    el("td", { class: "number" }, figure.difference ? "" : format.share(values[f], total)),
                    more === null ? null : el("td", { class: "number" }, kept[f] !== 0 ? format.bytes(kept[f]) : "\u2013"))))),
            el("p", { class: "links" }, el("a", { href: mprof.url.link({ ...FRESH, view: "functions", table: "up", figure: figure.key }) },
                "All places, with their callers")),
            model.estimated ? el("p", { class: "quiet" }, "All figures here are estimates from samples.") : null);
    };

    const head = (model) => el("section", { class: "card", "aria-labelledby": "head-title" },
        el("h2", { id: "head-title" }, model.difference ? "What is compared" : "What was recorded"),
        model.part && !model.difference ? el("p", { class: "quiet" }, "Of the whole recording:") : null,
        el("table", { class: "head-table" }, el("tbody", {}, model.head.map(headRows).flat())));

    const show = (element, state) => {
        const { model } = mprof, shown = [model.thread, model.skipped, state.rank].join(" ");
        if (element.dataset.shown === shown)
            return;
        const focused = element.contains(document.activeElement) ? document.activeElement.textContent : "";
        element.dataset.shown = shown;
        element.replaceChildren();
        document.title = `${shortName(model.program)}${model.difference ? ": what changed" : ""} \u2013 mprof`;
        if (model.difference) {
            mprof.changes.show(element, model, head(model));
            return;
        }
        element.append(...[
            model.part ? el("div", { class: "card part-card" }, model.part.map((line) => el("p", {}, line))) : null,
            cards(model),
            residentCard(model),
            mprof.views.some((view) => view.id === "time") ? sparkline(model) : null,
            model.peakNote() && model.thread >= 0 ? el("p", { class: "note" }, model.peakNote()) : null,
            model.leftOut().length > 0 ? el("p", { class: "note" }, model.leftOut().join(" ")) : null,
            el("div", { class: "overview-body" },
                el("div", { class: "overview-main" }, findings(model), allocators(model)), head(model)),
        ].filter(Boolean));
        const again = focused && [...element.querySelectorAll(".choice button")].find((each) => each.textContent === focused);
        if (again)
            again.focus();
    };

    mprof.views.unshift({ id: "overview", title: "Overview", show });
})();
