/* SPDX-License-Identifier: MIT */
/*
 * changes.js -- how pages of two sides show changes: words, columns of tables, and the first view.
 *
 *     mprof.changes.word(figure, sum)     returns "new", "gone", "grown", "shrunk", or "" if nothing changed; SUM(key)
 *                                         is the value of a figure
 *     mprof.changes.columns(figure, ...)  returns columns of a grid
 *     mprof.changes.signed(figure, value) returns, for example, "+1.2 kB"; exact() returns all digits
 *     mprof.changes.plus(figure, value)   returns "+" for an increase, else ""
 *     mprof.changes.sides(figure, sum)    returns, for example, "3,000 before, 4,500 after"
 *     mprof.changes.show(element, model, head)    shows the first view
 *
 * Everything that the graph shows by colour is also shown by signs and words.
 */
"use strict";
(() => {
    const { el, format } = mprof;
    const WORDS = { new: "New", gone: "Gone", grown: "Grown", shrunk: "Shrunk" };

    /* ------------------------------------------------------------ one item */

    const isOn = (side, sum) => mprof.model.difference.figures.some((key) => sum(`${side}:${key}`) !== 0);

    const word = (figure, sum) => {
        const change = sum(figure.key);
        if (change === 0)
            return "";
        return !isOn("before", sum) ? "new" : !isOn("after", sum) ? "gone" : change > 0 ? "grown" : "shrunk";
    };

    /* Returns "+" for an increase. The text of a decrease already has a sign. */
    const plus = (figure, value) => (figure.of && figure.difference && value > 0 ? "+" : "");
    const signed = (figure, value) => plus(figure, value) + format.value(value, figure.unit);
    const exact = (figure, value) => plus(figure, value) + format.exact(value, figure.unit);

    const sides = (figure, sum) => ["before", "after"]
        .map((side) => `${format.grouped(sum(`${side}:${figure.of}`))} ${side}`).join(", ");

    /* ------------------------------------------------------------ tables */

    /* Returns the columns of a grid. SUMS(key) and OWN(key) return values by row, with and without callees. OWN may be
     * null. If NARROW is set, leaves out columns. */
    const columns = (figure, sums, own, narrow) => {
        const values = sums(figure.key), self = own && own(figure.key), known = {};
        const of = (key) => (known[key] = known[key] || sums(key));
        const became = (row) => word(figure, (key) => of(key)[row]);
        const side = (name) => ({
            key: name, title: name, unit: figure.unit, value: (row) => of(`${name}:${figure.of}`)[row],
        });
        return [
            {
                key: "total", title: "change", unit: figure.unit, value: (row) => values[row],
                text: (row) => plus(figure, values[row]) + format.grouped(values[row]), rank: (row) => Math.abs(values[row]),
                explain: own ? "More or less than before, with all that it called." : "More or less than before.",
            },
            ...self && !narrow ? [{
                key: "self", title: "itself", unit: figure.unit, value: (row) => self[row],
                text: (row) => plus(figure, self[row]) + format.grouped(self[row]), rank: (row) => Math.abs(self[row]),
                explain: "More or less than before, by itself.",
            }] : [],
            ...narrow ? [] : [side("before"), side("after")],
            {
                key: "became", title: "became", unit: "count", text: (row) => became(row) || "=",
                value: (row) => Object.keys(WORDS).indexOf(became(row)),
                explain: "New: there was nothing of it before; gone: there is nothing any more.",
            },
        ];
    };

    /* ------------------------------------------------------------ the first view */

    const number = (value) => (value === "" ? "" : format.grouped(value));
    const change = (value) => (value > 0 ? "+" : "") + format.grouped(value);
    const NO_CHANGE = "no change";

    const card = (model, i) => {
        const row = model.difference.sides[i], figure = model.figure(`change:${model.difference.figures[i]}`);
        const href = mprof.url.link({ view: "flame", figure: figure.key, node: null, path: null });
        return el("a", { class: "card figure-card", href },
            el("span", { class: "quiet" }, figure.what), el("strong", {}, row.change === 0 ? NO_CHANGE : signed(figure, row.change)),
            el("span", {}, `${format.value(row.before, figure.unit)} \u2192 ${format.value(row.after, figure.unit)}`),
            el("span", { class: "quiet most" }, row.doubt || (row.before > 0 && row.change !== 0
                ? `${row.change > 0 ? "+" : ""}${format.share(row.change, row.before)}` : "\u2013")));
    };

    /* Returns cards for bytes, and for figures that have no bytes. */
    const cards = (model) => el("div", { class: "figure-cards" }, model.difference.figures
        .map((key, i) => (["bytes", "kept", "peak", "temporary"].includes(key) ? card(model, i) : null)));

    const sentence = ([about, text]) => {
        const rest = WORDS[about] && text.startsWith(`${WORDS[about]}: `) ? text.slice(WORDS[about].length + 2) : null;
        return el("li", { class: about }, rest === null ? format.name(text)
            : [el("strong", { class: "became" }, WORDS[about]), " ", format.name(rest)]);
    };

    const words = (model) => el("section", { class: "card changed-words", "aria-labelledby": "changed-title" },
        el("h2", { id: "changed-title" }, "What changed"),
        el("ul", {}, model.difference.sentences.map(sentence)));

    const table = (label, titles, rows) => el("table", { class: "changes-table", "aria-label": label },
        el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col", class: title }, title)))),
        el("tbody", {}, rows));

    const nameCell = (model, name) => {
        const f = model.functions.name.indexOf(name);
        return el("th", { scope: "row", title: name }, f < 2 ? name
            : el("a", { href: mprof.url.link({ view: "functions", function: f, figure: model.figures[0].key }) }, name));
    };

    const functions = (model) => {
        const { changes, changed } = model.difference;
        return el("section", { "aria-labelledby": "functions-title" },
            el("h2", { id: "functions-title" }, "Functions that changed most by themselves"),
            changes.length === 0 ? el("p", { class: "quiet" }, "None.") : table("functions that changed",
                ["change", "became", "before", "after", "function"], changes.map((row) => el("tr", { class: row.became },
                    el("td", { class: "number" }, change(row.change)),
                    el("td", { class: "word" }, row.became, row.doubt ? el("span", { class: "quiet" }, `, ${row.doubt}`) : null),
                    el("td", { class: "number side" }, number(row.before)), el("td", { class: "number side" }, number(row.after)),
                    nameCell(model, format.name(row.function))))),
            changed > changes.length ? el("p", { class: "quiet" },
                `${format.grouped(changed - changes.length)} more functions changed.`) : null);
    };

    const inAll = (model) => el("section", { class: "card", "aria-labelledby": "all-title" },
        el("h2", { id: "all-title" }, "In all"),
        table("in all", ["change", "before", "after", "figure"], model.difference.sides.map((row) => el("tr", {},
            el("td", { class: "number" }, change(row.change)),
            el("td", { class: "number side" }, number(row.before)), el("td", { class: "number side" }, number(row.after)),
            el("th", { scope: "row" }, row.figure + (row.doubt ? `, ${row.doubt}` : ""))))));

    /* Returns the sentence about which runs are shown, if a side has several. */
    const shown = ({ difference: { several, shown: runs, sides: rows, figures, cost } }) => (several
        ? `The flame graph, and the tables of functions and types, are of ${runs.map(format.name).join(" and ")} alone: ` +
            `of each side the run whose ${rows[figures.indexOf(cost)].figure} are nearest the median. ` +
            "What this view says is of all runs." : "");

    const show = (element, model, head) => {
        element.append(...[
            model.part ? el("div", { class: "card part-card" }, model.part.map((line) => el("p", {}, line))) : null,
            el("div", { class: "overview-body" }, words(model), head),
            cards(model),
            el("p", { class: "note" }, [shown(model), ...model.leftOut()].filter(Boolean).join(" ")),
            el("div", { class: "overview-body" }, functions(model), inAll(model)),
        ].filter(Boolean));
    };

    mprof.changes = { word, plus, signed, exact, sides, columns, show };
})();
