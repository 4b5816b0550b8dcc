/*
 * threads.js -- one thread of several: its cells and changes take the place of all in the model; and the field
 * in the head of the page that chooses it.  The address has its name.
 */
"use strict";
(() => {
    /* COLUMNS, lists of one length, with the places at which KEEPS is true. */
    const pick = (columns, keeps) => {
        const places = [...columns.thread.keys()].filter((i) => keeps(columns.thread[i]));
        const picked = {};
        for (const [key, list] of Object.entries(columns))
            picked[key] = list.length === columns.thread.length && typeof list === "object"
                ? (Array.isArray(list) ? places.map((i) => list[i]) : list.constructor.from(places, (i) => list[i])) : list;
        return picked;
    };

    /* SUMS of the tables' rows that KEEPS is true of; undefined: they are not known by thread. */
    const pickSums = (sums, keeps) => (sums && sums.parts ? mapTables(sums, (table) => pick(table, keeps)) : undefined);
    const mapTables = (sums, f) => sums &&
        { ...sums, tables: Object.fromEntries(Object.entries(sums.tables).map(([name, table]) => [name, f(table)])) };

    /* MODEL with what chooses a thread.  RENEW(): cells and sums are others. */
    const add = (model, renew) => {
        const { cells, sums, time } = model;
        const part = (keeps) => {
            model.cells = pick(cells, keeps);
            model.sums = pickSums(sums, keeps);
            if (!time)
                return;
            const moments = time.moments.map((moment) => (moment.node ? pick(moment, keeps) : moment));
            model.time = { ...time, moments, points: undefined };
        };
        const all = () => {
            model.cells = { ...cells };
            model.sums = mapTables(sums, (table) => ({ ...table }));
            model.time = time;
        };
        model.thread = -1;
        model.choose = (thread) => {
            if (thread === model.thread || !model.threads)
                return false;
            model.thread = thread;
            if (thread < 0)
                all();
            else
                part((of) => of === thread);
            renew();
            return true;
        };
        /* Did somebody look at the very moment of the peak?  Who came later saw less. */
        const most = cells.peak.reduce((a, b) => a + b, 0);
        model.sawPeak = (moment) => Boolean(time && time.points) &&
            time.points.time.some((at, i) => at === moment.time && time.points.live[i] === most);
        all();
        renew();
    };

    const selected = (model, state) => (model.threads ? model.threads.indexOf(state.thread) : -1);

    /* What is not known of one thread, or is not shown of it. */
    const note = (model) => {
        const all = model.difference ? ["the first view"]
            : ["what was recorded", "what is worth a look", ...model.bins && model.bins.length ? ["sizes"] : []];
        return `Only what was allocated in thread ${model.threads[model.thread]}. Of all threads: ${all.join(", ")}.` +
            (model.time && !model.difference ? " Totals between the moments of the time line are not known of one." : "");
    };

    /* The field of the head, and what is said under it. */
    const field = (model) => {
        const box = document.getElementById("threads");
        if (!model.threads)
            return;
        const names = [...new Set(model.threads)].sort();
        const select = mprof.el("select", { onchange: () => mprof.url.set({ thread: select.value }) },
            mprof.el("option", { value: "" }, "all"), names.map((name) => mprof.el("option", { value: name }, name)));
        box.append(mprof.el("label", { class: "chooser" }, "Thread ", select), mprof.el("span", { class: "note", role: "status" }));
    };

    /* As STATE says; true: figures are others now. */
    const follow = (model, state) => {
        const changed = model.choose(selected(model, state)), box = document.getElementById("threads");
        if (model.threads) {
            box.querySelector("select").value = model.thread < 0 ? "" : model.threads[model.thread];
            box.querySelector(".note").textContent = model.thread < 0 ? "" : note(model);
        }
        return changed;
    };

    mprof.threads = { add, field, follow };
})();
