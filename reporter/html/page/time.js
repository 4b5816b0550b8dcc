/*
 * time.js -- the view "Time": what was live at which time, and where it was allocated, with controls and a legend.
 *
 * All choices are in the address: by (the grouping), unit, n (number of series), at (the moment to sort by), moment
 * (the selected one), t0 and t1 (ns), within (the series that were clicked), add and drop (names), log, share, and
 * turned (curves that are switched from their default).
 */
"use strict";
(() => {
    const SERIES = 20;          /* number of series shown by default */
    const MOST = 60;
    const COMPLETIONS = 20;
    const DRAWN = { live: true, resident: false, marks: true };     /* defaults */

    function list(text) {
        try {
            const value = JSON.parse(text || "[]");

            return Array.isArray(value) ? value : [];
        } catch (error) {
            return [];
        }
    }

    function number(text, otherwise) {
        const value = text === undefined || text === null ? NaN : Number(text);

        return Number.isFinite(value) ? value : otherwise;
    }

    /* Returns the state of the view, with each part validated. */
    function settings(state) {
        const data = mprof.timeData, moments = data.moments(), ends = moments.map(moment => moment.time);
        const times = data.time().points ? [...ends, ...data.time().points.time] : ends;
        const start = 0, end = times.reduce((a, b) => Math.max(a, b), 1);
        const turned = list(state.turned);
        const index = text => {
            const value = number(text, null);

            return value !== null && moments[value] ? value : null;
        };
        let from = Math.max(start, number(state.t0, start)), to = Math.min(end, number(state.t1, end));

        if (!(to > from))
            [from, to] = [start, end];
        return {
            by: data.ways().some(way => way.key === state.by) ? state.by : data.ways()[0].key,
            unit: state.unit === "blocks" ? "blocks" : "bytes",
            n: Math.max(1, Math.min(MOST, number(state.n, SERIES))),
            at: index(state.at), moment: index(state.moment), from, to, start, end,
            within: list(state.within).filter(pair => Array.isArray(pair) && pair.length === 2),
            add: list(state.add), drop: list(state.drop), log: state.log === "1", share: state.share === "1",
            shows: what => DRAWN[what] !== turned.includes(what),
            toggled: what => joined(turned.includes(what) ? turned.filter(x => x !== what) : [...turned, what]),
        };
    }

    const go = changes => mprof.url.set({ view: "time", ...changes });
    const joined = value => value.length ? JSON.stringify(value) : null;

    /* ------------------------------------------------------------ controls */

    function toggle(title, on, change) {
        const label = mprof.el("label", { class: "toggle" }), box = mprof.el("input");

        box.type = "checkbox";
        box.checked = on;
        box.addEventListener("change", change);
        label.append(box, " " + title);
        return label;
    }

    /* Returns a field that completes names of series that are not in CHOSEN(), and adds the chosen one. */
    function adder(all, chosen, add) {
        const label = mprof.el("label", { class: "adder" }), input = mprof.el("input"), names = mprof.el("datalist");

        names.id = "series-names";
        input.type = "search";
        input.placeholder = "name of a series";
        input.setAttribute("list", names.id);
        function complete() {
            const test = mprof.tester(input.value) || (() => false);
            const found = all.filter(one => !chosen().some(other => other.name === one.name) && test(one.name)).slice(0, COMPLETIONS);

            names.replaceChildren(...found.map(one => {
                const option = mprof.el("option");

                option.value = one.name;
                return option;
            }));
            return found;
        }
        input.addEventListener("input", event => {
            const found = complete();

            /* a completion was chosen, not typed */
            if (!event.inputType && found.some(one => one.name === input.value))
                add(input.value);
        });
        input.addEventListener("keydown", event => {
            const found = event.key === "Enter" ? complete() : [];

            if (found.length)
                add((found.find(one => one.name === input.value) || found[0]).name);
        });
        input.addEventListener("focus", complete);
        label.append("Add ", input, names);
        return label;
    }

    function slider(set, most, again) {
        const label = mprof.el("label", { class: "slider" }), input = mprof.el("input"), said = mprof.el("output", {}, String(set.n));

        input.type = "range";
        input.min = 1;
        input.max = Math.max(1, Math.min(MOST, most));
        input.value = set.n;
        input.addEventListener("input", () => {
            said.textContent = input.value;
            again(Number(input.value));
        });
        input.addEventListener("change", () => mprof.url.set({ n: Number(input.value) }, true));
        label.append("Series ", input, " ", said);
        return label;
    }

    function momentName(moment) {
        return mprof.timeData.nameOf(moment) + ", " + mprof.timeData.seconds(moment.time) +
            (moment.exact ? "" : " (seen)");
    }

    /* Returns the controls. PICKED() returns the series that are shown now. AGAIN(n) shows N series. */
    function controls(set, all, picked, again) {
        const data = mprof.timeData, moments = data.moments(), bar = mprof.el("div", { class: "controls" });
        bar.append(
            mprof.figures.chooser("By", data.ways(), set.by, by => go({ by, add: null, drop: null })),
            mprof.figures.chooser("Unit", [{ key: "bytes", title: "bytes" }, { key: "blocks", title: "blocks" }], set.unit,
                unit => go({ unit: unit === "bytes" ? null : unit })),
            mprof.figures.chooser("Sort by", [{ key: "", title: "mean over time" }, ...moments.map((moment, m) =>
                ({ key: String(m), title: momentName(moment) }))], set.at === null ? "" : String(set.at),
            at => go({ at: at || null })),
            slider(set, all.length, again),
            adder(all, picked, name => go({
                add: joined([...set.add, name]), drop: joined(set.drop.filter(x => x !== name)),
            })),
            toggle("logarithmic", set.log, () => go({ log: set.log ? null : "1", share: null })),
            toggle("shares", set.share, () => go({ share: set.share ? null : "1", log: null })),
            toggle("alive in all", set.shows("live"), () => go({ turned: set.toggled("live") })),
            toggle("resident memory", set.shows("resident"), () => go({ turned: set.toggled("resident") })),
            toggle("marks", set.shows("marks"), () => go({ turned: set.toggled("marks") })));
        if (set.from > set.start || set.to < set.end)
            bar.append(mprof.button("Whole time", () => go({ t0: null, t1: null })));
        return bar;
    }

    /* Returns links that lead back from the series that were clicked. */
    function trail(set) {
        const bar = mprof.el("p", { class: "links trail" });

        if (!set.within.length)
            return bar;
        bar.append(mprof.button("All", () => go({ within: null, by: set.within[0][0], add: null, drop: null })));
        set.within.forEach(([, name], i) => {
            const last = i + 1 === set.within.length;

            bar.append(" \u203a ", last ? mprof.el("strong", {}, name) : mprof.button(name, () => go({
                within: joined(set.within.slice(0, i + 1)), by: set.within[i + 1][0], add: null, drop: null,
            })));
        });
        return bar;
    }

    /* ------------------------------------------------------------ legend */

    /* How the parts of a series are grouped. */
    const NEXT = { module: "function", type: "function", file: "function", start: "function", thread: "function", function: "line" };

    function drill(set, name) {
        if (!NEXT[set.by]) {
            toFlame(set, name);
            return;
        }
        go({ within: joined([...set.within, [set.by, name]]), by: NEXT[set.by], add: null, drop: null });
    }

    function toFlame(set, name) {
        const moment = set.moment !== null ? set.moment : mprof.timeData.moments().length - 1;
        const search = set.by === "function" || set.by === "start" ? name
            : (set.within.find(([by]) => by === "function") || [null, null])[1];

        mprof.url.set({ view: "flame", node: null, path: null, figure: mprof.timeData.figureOf(moment, set.unit), search });
    }

    function legendColumns(set, moment, whole) {
        const mean = values => values.reduce((a, b) => a + b, 0) / values.length;

        return [
            { key: "now", title: set.unit, unit: set.unit, value: one => one.values[moment] },
            { key: "share", title: "%", unit: "share", value: one => whole > 0 ? one.values[moment] / whole : 0 },
            { key: "mean", title: "mean", unit: set.unit, value: one => mean(one.values) },
            { key: "name", title: set.by, unit: "text", value: one => one.name },
        ];
    }

    function legend(set, shown, others) {
        const moments = mprof.timeData.moments(), last = moments.length - 1;
        const moment = set.moment === null ? last : set.moment;
        const all = others ? [...shown, others] : shown;
        const whole = all.reduce((sum, one) => sum + one.values[moment], 0);
        const part = mprof.el("div", { class: "legend" }), body = mprof.el("ul");
        const head = mprof.el("p", {}, "At " + momentName(moments[moment]) + ": " +
            mprof.format.grouped(whole) + " " + set.unit);

        all.forEach(one => {
            const row = mprof.el("li"), value = mprof.el("span", { class: "figure" }, mprof.format.grouped(one.values[moment]));
            const percent = mprof.el("span", { class: "figure share" }, mprof.format.share(one.values[moment], whole));

            row.append(mprof.timeSwatch(one.color), value, percent);
            if (one === others) {
                row.append(mprof.el("span", { class: "name" }, one.name));
            } else {
                const name = mprof.button(one.name, () => drill(set, one.name), "link name");
                const drop = mprof.button("\u00d7", () => go({
                    drop: joined([...set.drop, one.name]), add: joined(set.add.filter(x => x !== one.name)),
                }), "drop");

                name.title = one.name;
                drop.setAttribute("aria-label", "Put " + one.name + " to the others");
                row.append(name, drop);
            }
            body.append(row);
        });
        const bar = mprof.el("p", { class: "links" });
        bar.append(
            mprof.button("Flame graph at this moment", () => toFlame(set, null)),
            mprof.button("Sort by this moment", () => go({ at: moment })),
            mprof.copier(() => momentName(moments[moment]) + "\n" +
                mprof.tableText(legendColumns(set, moment, whole), all)));
        part.append(head, body, bar);
        if (follows(set))
            part.append(mprof.el("p", { class: "note" }, "What was alive of each was counted at the moments that have " +
                "a dot; between two dots only the sum is known, and shares of it are interpolated."));
        return part;
    }

    /* ------------------------------------------------------------ the view */

    function picked(set, all, n) {
        const data = mprof.timeData, rest = data.ranked(all, set.at).filter(one => !set.drop.includes(one.name));
        const first = rest.slice(0, n).map(one => one.name);

        return data.chosen(all, [...first, ...set.add.filter(name => !first.includes(name))]);
    }

    /* Returns whether the series add up to all live blocks, so that totals between moments determine their values
     * there. */
    function follows(set) {
        return Boolean(mprof.timeData.points()) && !set.within.length && !set.share && !mprof.model.part;
    }

    /* Draws the chart and the legend of the first N series. */
    function drawn(element, set, all, n) {
        const data = mprof.timeData, { picked: series, others } = picked(set, all, n);
        const figure = mprof.el("div", { class: "figure-box" }), drawing = mprof.el("div", { class: "drawing" });

        series.forEach((one, i) => one.color = i);
        if (others)
            others.color = -1;
        figure.append(drawing, legend(set, series, others));
        element.replaceChildren(figure);
        mprof.timeChart(drawing, {
            follow: follows(set), moments: data.moments(), series: others ? [...series, others] : series, points: data.points(),
            marks: set.shows("marks") ? data.marks() : [], unit: set.unit, log: set.log, share: set.share,
            from: set.from, to: set.to, live: set.shows("live"), resident: set.shows("resident"),
            instant: set.moment,
            choose(moment) {
                go({ moment });
                focusChart();
            },
            zoom(from, to) {
                go({ t0: Math.round(Math.max(set.start, from)), t1: Math.round(Math.min(set.end, to)) });
                focusChart();
            },
        });
        return series;
    }

    function focusChart() {
        const chart = document.querySelector("svg.chart");

        if (chart)
            chart.focus();
    }

    function show(element, state) {
        const data = mprof.timeData;

        if (!data.time() || !data.moments().length) {
            element.append(mprof.el("p", { class: "nothing" }, "The data have no time line."));
            return;
        }
        const set = settings(state), all = data.series(set.by, set.unit, set.within);
        const box = mprof.el("div");
        let series = [];
        const again = n => {
            series = drawn(box, set, all, n);
        };

        element.append(trail(set), controls(set, all, () => series, again), box);
        if (data.time().leftOut > 0)
            element.append(mprof.el("p", { class: "note" }, mprof.format.grouped(data.time().leftOut) +
                " moments of the program have no breakdown, for want of room."));
        again(set.n);
    }

    mprof.views.push({
        id: "time", title: "Time", resized: true, applies: model => Boolean(model.time),
        show(element, state) {
            mprof.figures.renewDrawn(element, state, ["n", "node", "search", "figure"], () => show(element, state));
        },
    });
})();
