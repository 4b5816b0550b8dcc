/* SPDX-License-Identifier: MIT */
/*
 * shell.js -- tabs and panels. A view is shown when it is first opened, and again after each change of the address.
 *
 * A view is {id, title, show(element, state)}, with these optional members: applies(model) is whether the page has the
 * view, keys are its shortcuts (keys.js), resized is whether to show it again when the size of the window has changed,
 * and allThreads is whether it ignores the chosen thread.
 */
"use strict";
(() => {
    const panels = new Map();

    const makePanel = (view) => {
        const panel = mprof.el("section", {
            id: `view-${view.id}`, role: "tabpanel", "aria-labelledby": `tab-${view.id}`, class: "view",
        });
        document.getElementById("main").append(panel);
        panels.set(view, panel);
        return panel;
    };

    const showCurrent = () => {
        const view = mprof.view();
        if (mprof.threads.follow(mprof.model, view.allThreads ? {} : mprof.url.state))
            mprof.graph.forget();
        document.getElementById("threads").hidden = Boolean(view.allThreads);
        mprof.skip.shown(view.allThreads ? {} : mprof.url.state);
        for (const [other, panel] of panels)
            panel.hidden = other !== view;
        for (const other of mprof.views) {
            const tab = document.getElementById(`tab-${other.id}`);
            tab.setAttribute("aria-selected", String(other === view));
            tab.tabIndex = other === view ? 0 : -1;
        }
        const panel = panels.get(view) || makePanel(view);
        view.show(panel, mprof.url.state);
    };

    const choose = (view, focus) => {
        mprof.url.set({ view: view.id });
        if (focus)
            document.getElementById(`tab-${view.id}`).focus();
    };

    const step = (by) => {
        const at = mprof.views.indexOf(mprof.view());
        choose(mprof.views[(at + by + mprof.views.length) % mprof.views.length], true);
    };

    const makeTabs = () => {
        const tabs = document.getElementById("tabs");
        for (const view of mprof.views)
            tabs.append(mprof.el("button", {
                id: `tab-${view.id}`, role: "tab", "aria-controls": `view-${view.id}`, type: "button",
                onclick: () => choose(view),
            }, view.title));
        tabs.addEventListener("keydown", (event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (!by)
                return;
            event.preventDefault();
            step(by);
        });
        tabs.append(mprof.el("button", {
            id: "help-button", type: "button", title: "Keys (?)", "aria-label": "Keys", onclick: mprof.keys.help,
        }, "?"));
    };

    const summarise = (model) => {
        const { bytes, grouped } = mprof.format;
        const made = `${bytes(model.total("bytes"))} in ${grouped(model.total("allocs"))}`;
        const facts = model.difference ? [mprof.format.name(model.difference.sentences[0][1])] : !model.window ? [
            `${made} allocations`,
            model.knows("peak") ? `peak ${bytes(Math.max(model.peakBytes, 0))}` : "peak not known",
            model.knows("kept") ? `${bytes(model.total("kept"))} ${model.running ? "live" : "kept"}` : "kept not known",
        ] : model.window.alive ? [`only what was live ${model.window.text}: ${made} ${model.things}`] : [
            `only what happened ${model.window.text}: ${made} allocations`,
            `change ${bytes(model.total("kept"))}`,
        ];
        if (model.estimated)
            facts.push("figures are estimates from samples");
        document.getElementById("summary").append(...facts.flatMap((fact, i) => [i > 0 ? " \u00b7 " : "",
            mprof.el("span", { class: model.window || model.difference ? "long" : null }, fact)]));
    };

    /* Shows the tables as text, and the reason. The style sheet hides everything else, including #loading. */
    const fail = (error) => {
        document.documentElement.classList.remove("scripted");
        document.getElementById("plain").prepend(mprof.el("p", { role: "alert" },
            `This browser cannot show the profile (${error.message}); the tables are below.`));
    };

    const start = async () => {
        document.body.append(mprof.el("div", { id: "spoken", role: "status", "aria-live": "polite" }));
        const model = await mprof.load();
        document.getElementById("loading").remove();
        summarise(model);
        mprof.views = mprof.views.filter((view) => !view.applies || view.applies(model));
        makeTabs();
        mprof.threads.field(model);
        mprof.keys.add(
            { key: "?", text: "these keys", run: mprof.keys.help },
            ...mprof.views.map((view, i) => ({ key: String(i + 1), text: view.title, run: () => choose(view) })));
        mprof.url.start();
        mprof.url.listen(showCurrent);
        mprof.keys.start();
        showCurrent();
    };

    start().catch(fail);
})();
