/* overview.js -- the first view: figures, findings, live bytes over time, and properties of the recording. */
"use strict";
(() => {
    const { el, format } = mprof;
    const shortName = (text) => text.replace(/^.*\//, "");

    /* ---------------------------------------------------------------- figures */

    /* Returns the function with the largest own value of FIGURE as {name, value}, or null if no function has any. */
    const largest = (model, figure) => {
        const sums = mprof.graph.sums("self", figure);
        let best = -1;
        for (let f = 2; f < sums.length; f++)
            if (model.functions.sort[f] !== 2 && sums[f] > 0 && (best < 0 || sums[f] > sums[best]))
                best = f;
        return best < 0 ? null : { name: model.functions.name[best], value: sums[best] };
    };

    const card = (model, title, figure, value, more) => {
        const most = largest(model, figure), total = model.total(figure);
        return el("a", { class: "card figure-card", href: mprof.url.link({ view: "flame", figure, node: null, path: null }) },
            el("span", { class: "quiet" }, title), el("strong", {}, value), el("span", {}, more),
            el("span", { class: "quiet most", title: most && most.name },
                !most ? "\u2013" : model.figure(figure).difference ? `${format.bytes(most.value)} more by ${most.name}`
                    : `${format.share(most.value, total)} by ${most.name}`));
    };

    /* Returns how many blocks malloc made. Objects are never temporary. */
    const blocksOfC = ({ cells, kinds }) =>
        cells.allocs.reduce((sum, value, i) => (kinds[cells.kind[i]].lisp ? sum : sum + value), 0);

    const cards = (model) => {
        const about = model.estimated ? "about " : "", grouped = (value) => about + format.grouped(value);
        const bytes = (value) => about + format.bytes(value);
        const blocks = (key) => `${grouped(model.window ? model.total(key) : Math.max(0, model.total(key)))} blocks`;
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
     * with the same inner end, returns the address of this end in the reversed graph. */
    const findingLink = (model, each) => {
        const chain = model.chain(each.node).reverse(), view = { view: "flame", figure: each.figure };
        if (each.whole || model.functionOf(each.node) === 1)
            return { ...view, node: each.node, path: null, reverse: null };
        return { ...view, node: null, path: chain.slice(0, each.depth).map(model.functionOf).join("."), reverse: "1" };
    };

    const finding = (model, each) => el("li", { class: "card finding" },
        el("h3", {}, each.title),
        el("p", {}, each.text),
        each.chain.length > 0 ? el("p", { class: "finding-chain" },
            each.whole ? null : el("span", { class: "quiet" }, "\u2026 "),
            each.chain.map((call, i) =>
                [i > 0 ? el("span", { class: "quiet" }, " \u203a ") : null, el("span", {}, format.name(call))])) : null,
        el("div", { class: "finding-actions" },
            each.node > 0 ? el("a", { class: "button", href: mprof.url.link(findingLink(model, each)) }, "In the flame graph") : null,
            el("button", { type: "button", class: "command", title: "Copy the command", onclick: () => mprof.copy(each.command) },
                el("code", {}, each.command))));

    const findings = (model) => {
        if (!model.findings)
            return null;
        const left = model.findingsLeftOut;
        return el("section", { class: "findings", "aria-labelledby": "findings-title" },
            el("h2", { id: "findings-title" }, "Worth a look"),
            model.findingsCaveat ? el("p", { class: "quiet" }, model.findingsCaveat) : null,
            model.findings.length === 0
                ? el("p", { class: "quiet" }, "No rule of mprof findings has anything to say of this recording.")
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

    /* Returns a table of the functions that allocate most bytes themselves. On pages of what happened between two
     * points in time, functions with the largest changes are in it, too. */
    const allocators = (model) => {
        const bytes = mprof.graph.sums("self", "bytes"), kept = mprof.graph.sums("self", "kept"), total = model.total("bytes");
        const alive = model.window && model.window.alive, growth = model.window && !alive;
        const weight = growth ? (f) => Math.max(bytes[f], Math.abs(kept[f])) : (f) => bytes[f];
        const most = bytes.reduce((a, b) => Math.max(a, b), 1);
        const order = [...bytes.keys()].slice(2).filter((f) => weight(f) > 0)
            .sort((a, b) => weight(b) - weight(a)).slice(0, MOST_ROWS);
        const columns = ["function", "bytes", "", "share", alive ? null : growth ? "change" : model.keptTitle.toLowerCase()];
        const target = (f) => (mprof.views.some((view) => view.id === "functions")
            ? { view: "functions", function: f } : { view: "flame", search: model.functions.name[f], node: null });
        return el("section", { "aria-labelledby": "allocators-title" },
            el("h2", { id: "allocators-title" }, alive ? "Who holds it" : "Who allocates"),
            el("table", { class: "allocators" },
                el("thead", {}, el("tr", {}, columns.filter((title) => title !== null)
                    .map((title) => el("th", { scope: "col" }, title)))),
                el("tbody", {}, order.map((f) => el("tr", {},
                    el("th", { scope: "row" },
                        el("a", { href: mprof.url.link(target(f)), title: model.fullName(f) }, model.functions.name[f])),
                    el("td", { class: "number" }, format.bytes(bytes[f])),
                    el("td", { class: "bar-cell", "aria-hidden": "true" }, el("meter", { min: 0, max: most, value: bytes[f] })),
                    el("td", { class: "number" }, format.share(bytes[f], total)),
                    alive ? null : el("td", { class: "number" }, kept[f] !== 0 ? format.bytes(kept[f]) : "\u2013"))))),
            model.estimated ? el("p", { class: "quiet" }, "All figures here are estimates from samples.") : null);
    };

    const head = (model) => el("section", { class: "card", "aria-labelledby": "head-title" },
        el("h2", { id: "head-title" }, model.difference ? "What is compared" : "What was recorded"),
        model.part && !model.difference ? el("p", { class: "quiet" }, "Of the whole recording:") : null,
        el("table", { class: "head-table" }, el("tbody", {}, model.head.map(headRows).flat())));

    const show = (element) => {
        const { model } = mprof;
        if (element.dataset.thread === String(model.thread))
            return;
        element.dataset.thread = model.thread;
        element.replaceChildren();
        document.title = `${shortName(model.program)}${model.difference ? ": what changed" : ""} \u2013 mprof`;
        if (model.difference) {
            mprof.changes.show(element, model, head(model));
            return;
        }
        element.append(...[
            model.part ? el("div", { class: "card part-card" }, model.part.map((line) => el("p", {}, line))) : null,
            cards(model),
            mprof.views.some((view) => view.id === "time") ? sparkline(model) : null,
            model.peakNote() && model.thread >= 0 ? el("p", { class: "note" }, model.peakNote()) : null,
            model.leftOut().length > 0 ? el("p", { class: "note" }, model.leftOut().join(" ")) : null,
            el("div", { class: "overview-body" },
                el("div", { class: "overview-main" }, findings(model), allocators(model)), head(model)),
        ].filter(Boolean));
    };

    mprof.views.unshift({ id: "overview", title: "Overview", show });
})();
