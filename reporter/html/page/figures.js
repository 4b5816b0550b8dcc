/* SPDX-License-Identifier: MIT */
/*
 * figures.js -- functions that the views of tables share. They return short titles of figures and controls to choose a
 * figure, and rebuild a view when its state changes.
 */
"use strict";
(() => {
    const NARROW = 700;         /* pixels; in narrower views only the chosen figure has columns */

    /* Short titles for columns. The model's labels are sentences. An @ stands for blocks or objects. */
    const TITLES = {
        bytes: "bytes", allocs: "@", kept: "kept", keptBlocks: "kept @",
        peak: "at peak", peakBlocks: "@ at peak", temporary: "temporary",
    };

    /* Returns the short title of FIGURE. */
    const title = figure => {
        if (figure.side)
            return figure.side;
        const word = figure.difference ? "change" : figure.alive || !TITLES[figure.key] ? "alive" : "";

        return (word ? word + (figure.unit === "blocks" ? " @" : "") : TITLES[figure.key]).replace("@", mprof.model.things);
    };

    /* Returns the figures of the whole recording, without the figures of a point in time. */
    const ofAll = () => mprof.model.figures.filter(figure => figure.to === undefined);

    /* Returns a labelled <select>. ITEMS are {key, title}. CHOOSE(key) is called when the choice changes. */
    function chooser(name, items, chosen, choose) {
        const select = mprof.el("select", { name, onchange: () => choose(select.value) }, items.map(item =>
            mprof.el("option", { value: item.key, selected: item.key === chosen }, item.title)));

        return mprof.el("label", { class: "chooser" }, name + " ", select);
    }

    function figureChooser(state) {
        const chosen = mprof.model.figure(state.figure), items = mprof.model.figures.slice();

        if (!items.includes(chosen) && !items.some(figure => figure.key === chosen.key))
            items.push(chosen);
        return chooser("Figure", items.map(figure => ({ key: figure.key, title: figure.label })), chosen.key,
            figure => mprof.url.set({ figure, sort: null, up: null }));
    }

    /* Returns a row of buttons of which one is pressed. */
    function choice(name, items, chosen, choose) {
        return mprof.el("div", { class: "choice", role: "group", "aria-label": name }, items.map(item =>
            mprof.el("button", {
                type: "button", "aria-pressed": String(item.key === chosen), onclick: () => choose(item.key),
            }, item.title)));
    }

    /* Returns a note about how nodes that were left out of the page affect FIGURE. CHAINS is whether the rows below the
     * note are chains. Returns [] if no nodes were left out. */
    function left(figure, chains) {
        const { nodes, bytes } = mprof.model.left || { nodes: 0 };

        if (mprof.model.difference)
            return nodes > 0 ? [mprof.el("p", { class: "note" }, mprof.model.leftOut().join(" "))] : [];
        return nodes > 0 ? [mprof.el("p", { class: "note" }, mprof.format.grouped(nodes) + " small contexts with " +
            mprof.format.exact(bytes, "bytes") + " are summed up as [smaller parts] under their callers" +
            (chains ? "." : mprof.sums.are(figure) ? ", but not here: these figures are of all."
                : ": figures of functions below lack these."))] : [];
    }

    /* Returns the columns FIGURES and NAMES of a table. In a narrow view, names come first. */
    const inOrder = (narrow, figures, names) => narrow ? [...names, ...figures] : [...figures, ...names];

    /* Rebuilds the view in ELEMENT with BUILD(narrow), unless it already shows STATE. Ignores changes of the keys in
     * QUIET, which the view makes itself, or which do not affect it. A control that has the keyboard's focus keeps it, if
     * the new view has a control of that name. */
    function renew(element, state, quiet, build) {
        const narrow = element.clientWidth < NARROW, focused = element.contains(document.activeElement)
            ? document.activeElement.name : "";
        const now = JSON.stringify([narrow, Object.entries(state).filter(([key]) => !quiet.includes(key)).sort()]);

        if (element.dataset.shown === now)
            return;
        element.dataset.shown = now;
        element.replaceChildren();
        build(narrow);
        const again = focused && [...element.querySelectorAll("select, input")].find(({ name }) => name === focused);
        if (again)
            again.focus();
    }

    /* Like renew(), but also rebuilds the view if the width of ELEMENT has changed. For views with a drawing. */
    function renewDrawn(element, state, quiet, build) {
        if (Number(element.dataset.width) !== element.clientWidth)
            delete element.dataset.shown;
        element.dataset.width = element.clientWidth;
        renew(element, state, quiet, build);
    }

    /* Shows the current view again when the window size has changed. */
    addEventListener("resize", mprof.soon(() => {
        const panel = mprof.model && document.querySelector("#main > .view:not([hidden])");
        const view = panel && mprof.views.find(each => panel.id === "view-" + each.id && each.resized);

        if (view)
            view.show(panel, mprof.url.state);
    }));

    mprof.figures = { title, ofAll, chooser, figureChooser, choice, left, inOrder, renew, renewDrawn };
})();
