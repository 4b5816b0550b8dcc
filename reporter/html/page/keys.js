/* SPDX-License-Identifier: MIT */
/*
 * keys.js -- keyboard shortcuts and the dialog that lists them. A view lists its own shortcuts in `keys`, as {key,
 * text, run(state)}. Entries without run() are only listed. mprof.keys.add() adds shortcuts of the whole page.
 */
"use strict";
(() => {
    const ofPage = [];
    const isText = (element) =>
        element.matches("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]");

    const shown = (key) => ({ ArrowUp: "\u2191", ArrowDown: "\u2193", ArrowLeft: "\u2190", ArrowRight: "\u2192" }[key] || key);

    const list = (title, keys) => [
        mprof.el("h3", {}, title),
        mprof.el("dl", {}, keys.filter((entry) => entry.text).map((entry) => mprof.el("div", {},
            mprof.el("dt", {}, mprof.el("kbd", {}, shown(entry.key))), mprof.el("dd", {}, entry.text)))),
    ];

    const help = () => {
        const view = mprof.view();
        const dialog = mprof.el("dialog", { id: "help", "aria-label": "Keys" },
            mprof.el("h2", {}, "Keys"),
            list("Everywhere", ofPage),
            view.keys ? list(view.title, view.keys) : [],
            mprof.el("form", { method: "dialog" }, mprof.el("button", {}, "Close")));
        dialog.addEventListener("close", () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
    };

    const press = (event) => {
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey ||
            document.querySelector("dialog[open]") || isText(event.target))
            return;
        const wanted = (entry) => entry.key === event.key && entry.run;
        const entry = (mprof.view().keys || []).find(wanted) || ofPage.find(wanted);
        if (!entry)
            return;
        event.preventDefault();
        entry.run(mprof.url.state);
    };

    mprof.keys = {
        add: (...entries) => ofPage.push(...entries),
        help,
        start: () => addEventListener("keydown", press),
    };
})();
