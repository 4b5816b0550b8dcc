/*
 * heap.js -- the view "Heap": snapshots of the heap over time, stacked by type, package, function or site. A click on
 * a band shows what it consists of. Keys in the address: hby, hunit, hat (the selected snapshot), hin (the bands that
 * were clicked).
 */
"use strict";
(() => {
    const SERIES = 12;
    const OTHERS = "others";
    /* How the parts of a band are grouped. */
    const NEXT = { type: "function", package: "function", function: "site", site: "type" };

    const go = changes => mprof.url.set({ view: "heap", ...changes });
    const known = key => mprof.heapData.WAYS.some(way => way.key === key);

    function within(text) {
        try {
            const value = JSON.parse(text || "[]");

            return Array.isArray(value) ? value.filter(pair => Array.isArray(pair) && pair.length === 2 && known(pair[0])) : [];
        } catch {
            return [];
        }
    }

    function settings(state) {
        const moments = mprof.heapData.moments(), at = Number(state.hat);

        return {
            moments, by: known(state.hby) ? state.hby : "type", unit: state.hunit === "objects" ? "objects" : "bytes",
            at: state.hat !== undefined && moments[at] ? at : moments.length - 1, within: within(state.hin),
        };
    }

    /* Returns the largest series, and the sum of the others as one more. */
    function chosen(all, n) {
        if (all.length <= SERIES + 1)
            return all;
        const others = { name: OTHERS + " (" + mprof.format.grouped(all.length - SERIES) + ")", values: new Float64Array(n), rest: true };

        for (const one of all.slice(SERIES))
            one.values.forEach((value, i) => others.values[i] += value);
        return [...all.slice(0, SERIES), others];
    }

    /* Returns the state that shows the parts of band NAME, or null if it has no parts. Groupings that give only one
     * part with the same name are skipped. */
    function next(set, name) {
        const inside = [...set.within, [set.by, name]], used = inside.map(([by]) => by);

        for (let by = NEXT[set.by]; !used.includes(by); by = NEXT[by]) {
            const parts = mprof.heapData.series(by, set.unit, inside);

            if (parts.length !== 1 || parts[0].name !== name)
                return { hin: JSON.stringify(inside), hby: by };
            used.push(by);
        }
        return null;
    }

    function drill(set, series, name, more = {}) {
        const one = series.find(each => each.name === name), into = one && !one.rest ? next(set, name) : null;

        go({ ...more, ...into });
    }

    function controls(set) {
        const ways = mprof.heapData.WAYS.filter(way => !set.within.some(([by]) => by === way.key));

        return mprof.el("div", { class: "controls" },
            mprof.figures.chooser("By", ways, set.by, hby => go({ hby })),
            mprof.figures.chooser("Unit", [{ key: "bytes", title: "bytes" }, { key: "objects", title: "objects" }], set.unit,
                hunit => go({ hunit: hunit === "bytes" ? null : hunit })));
    }

    function trail(set) {
        const bar = mprof.el("p", { class: "links trail" });

        if (!set.within.length)
            return null;
        bar.append(mprof.button("All", () => go({ hin: null, hby: set.within[0][0] })));
        set.within.forEach(([, name], i) => bar.append(" \u203a ", i + 1 === set.within.length
            ? mprof.el("strong", {}, name)
            : mprof.button(name, () => go({ hin: JSON.stringify(set.within.slice(0, i + 1)), hby: set.within[i + 1][0] }))));
        return bar;
    }

    /* Returns a table of the series by snapshot. */
    function table(set, series) {
        const head = mprof.el("tr", {}, mprof.el("th", { scope: "col" }, set.by), set.moments.map((moment, i) => mprof.el("th", {
            scope: "col", "aria-current": i === set.at ? "true" : null,
        }, mprof.button(moment.name, () => go({ hat: i }), "link"), mprof.el("br"), mprof.format.time(moment.time))));
        const cells = values => Array.from(values, (value, i) => mprof.el("td", {
            class: i === set.at ? "number at" : "number",
        }, mprof.format.grouped(value)));
        const sums = set.moments.map((_, i) => series.reduce((sum, one) => sum + one.values[i], 0));
        const body = mprof.el("tbody", {}, series.map(one => {
            const name = one.rest || !next(set, one.name) ? mprof.el("span", { class: "name" }, one.name)
                : mprof.button(one.name, () => drill(set, series, one.name), "link name");

            name.title = one.name;
            return mprof.el("tr", {}, mprof.el("th", { scope: "row" }, mprof.timeSwatch(one.color), " ", name), cells(one.values));
        }), mprof.el("tr", { class: "sum" }, mprof.el("th", { scope: "row" }, "all"), cells(sums)));

        return mprof.el("div", { class: "wide" }, mprof.el("table", { class: "lifetimes heaps" }, mprof.el("thead", {}, head), body));
    }

    function show(element, state) {
        const set = settings(state), end = Math.max(...set.moments.map(moment => moment.time), ...(mprof.model.time
            ? mprof.model.time.moments.map(moment => moment.time) : [1]));
        const series = chosen(mprof.heapData.series(set.by, set.unit, set.within), set.moments.length);
        const drawing = mprof.el("div", { class: "drawing" }), figure = mprof.el("div", { class: "figure-box" }, drawing);

        series.forEach((one, i) => one.color = one.rest ? -1 : i);
        element.append(...[trail(set), controls(set), figure, table(set, series)].filter(part => part));
        if (set.unit === "bytes" && !set.within.length)
            element.append(mprof.el("p", { class: "note" }, "The dashed line is what the heap took of the system, the other " +
                "what lived as the recording saw it; triangles are collections."));
        element.append(mprof.el("p", { class: "note" }, "Objects of all threads in the heap, also those that nothing reaches, with their own " +
            "sizes; between two snapshots nothing was counted. A click on a band goes into it."));
        if (mprof.model.heap.left > 0)
            element.append(mprof.el("p", { class: "note" }, mprof.format.grouped(mprof.model.heap.left) +
                " small rows are summed up as [smaller rows], to keep the page small."));
        mprof.timeChart(drawing, {
            ...(set.within.length ? { points: null } : mprof.heapData.lines()), moments: set.moments, series, unit: set.unit,
            marks: mprof.timeData.marks().filter(mark => mark.kind !== "snapshot"), from: 0, to: end, instant: set.at,
            choose(hat, name) {
                if (name === undefined || name === null)
                    go({ hat });
                else
                    drill(set, series, name, { hat });
            },
            zoom() {},
        });
    }

    mprof.views.push({
        id: "heap", title: "Heap", resized: true, applies: model => Boolean(model.heap),
        show(element, state) {
            mprof.figures.renewDrawn(element, state, ["node", "search", "figure"], () => show(element, state));
        },
    });
})();
