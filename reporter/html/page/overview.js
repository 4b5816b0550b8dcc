/* The first view: what was recorded. */
"use strict";
(() => {
    const head = (model) => mprof.el("table", { class: "head" },
        mprof.el("tbody", {}, model.head.map(([label, ...rest]) => mprof.el("tr", {},
            mprof.el("th", { scope: "row" }, label),
            mprof.el("td", {}, rest.join("  "))))));

    const show = (element) => {
        if (element.firstChild)
            return;
        element.append(mprof.el("h2", {}, "What was recorded"), head(mprof.model));
    };

    mprof.views.unshift({ id: "overview", title: "Overview", show, keys: [] });
})();
