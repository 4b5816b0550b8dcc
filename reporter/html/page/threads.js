/* SPDX-License-Identifier: MIT */
/*
 * threads.js -- restricts the model to one thread, by leaving out cells and changes of the other threads, and moves the
 * figures of skipped functions to their callers (skip.js). Also makes the field in the head of the page that chooses the
 * thread. The address contains the thread's name.
 */
"use strict";
(() => {
    /* Returns COLUMNS with only the rows whose thread satisfies KEEPS. Members that are not columns stay as they are.
     */
    const pick = (columns, keeps) => {
        const places = [...columns.thread.keys()].filter((i) => keeps(columns.thread[i]));
        const picked = {};
        for (const [key, list] of Object.entries(columns))
            picked[key] = list.length === columns.thread.length && typeof list === "object"
                ? (Array.isArray(list) ? places.map((i) => list[i]) : list.constructor.from(places, (i) => list[i])) : list;
        return picked;
    };

    /* Returns SUMS with only the rows whose thread satisfies KEEPS, or undefined if sums are not known by thread. */
    const pickSums = (sums, keeps) => (sums && sums.parts ? mapTables(sums, (table) => pick(table, keeps)) : undefined);
    const mapTables = (sums, f) => sums &&
        { ...sums, tables: Object.fromEntries(Object.entries(sums.tables).map(([name, table]) => [name, f(table)])) };

    /* Adds choose() to MODEL. RENEW() is called after cells and sums have changed. */
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
        /* Sums by function are not known without the skipped functions, and are computed from the nodes. */
        const move = (skipped) => {
            const to = mprof.skip.nodes(model, skipped), moved = (columns) => ({ ...columns, node: columns.node.map((node) => to[node]) });
            model.cells = moved(model.cells);
            model.sums = undefined;
            if (model.time)
                model.time = { ...model.time, moments: model.time.moments.map((moment) => (moment.node ? moved(moment) : moment)) };
        };
        model.thread = -1;
        model.skipped = [];
        model.choose = (thread, skipped) => {
            if ((thread === model.thread || !model.threads) && String(skipped) === String(model.skipped))
                return false;
            model.thread = thread;
            model.skipped = skipped;
            if (thread < 0)
                all();
            else
                part((of) => of === thread);
            if (skipped.length)
                move(skipped);
            renew();
            return true;
        };
        const most = cells.peak.reduce((a, b) => a + b, 0);
        /* Returns whether the observer saw all that was live at the peak when it polled at MOMENT. Usually it polls a
         * little later and sees less. */
        model.sawPeak = (moment) => Boolean(time && time.points) &&
            time.points.time.some((at, i) => at === moment.time && time.points.live[i] === most);
        all();
        renew();
    };

    const selected = (model, state) => (model.threads ? model.threads.indexOf(state.thread) : -1);

    /* Returns the sentence about what is shown of one thread, and what of all threads. */
    const note = (model) => {
        const all = model.difference ? ["the first view"]
            : ["what was recorded", "what is worth a look", ...model.bins && model.bins.length ? ["sizes"] : []];
        return `Only what was allocated in thread ${model.threads[model.thread]}. Of all threads: ${all.join(", ")}.` +
            (model.time && !model.difference ? " Totals between the moments of the time line are not known of one." : "");
    };

    /* Adds the field to the head of the page, and an empty note. */
    const field = (model) => {
        const box = document.getElementById("threads");
        if (!model.threads)
            return;
        const names = [...new Set(model.threads)].sort();
        const select = mprof.el("select", { onchange: () => mprof.url.set({ thread: select.value }) },
            mprof.el("option", { value: "" }, "all"), names.map((name) => mprof.el("option", { value: name }, name)));
        box.append(mprof.el("label", { class: "chooser" }, "Thread ", select), mprof.el("span", { class: "note", role: "status" }));
    };

    /* Chooses the thread and the skipped functions in STATE. Returns whether figures changed. */
    const follow = (model, state) => {
        const changed = model.choose(selected(model, state), mprof.skip.of(state)), box = document.getElementById("threads");
        if (model.threads) {
            box.querySelector("select").value = model.thread < 0 ? "" : model.threads[model.thread];
            box.querySelector(".note").textContent = model.thread < 0 ? "" : note(model);
        }
        return changed;
    };

    mprof.threads = { add, field, follow };
})();
