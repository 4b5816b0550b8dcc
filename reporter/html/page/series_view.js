/* SPDX-License-Identifier: MIT */
/*
 * series_view.js -- a view of series over time, with a chart, controls and a legend. The views "Time" and "Heap" are
 * such views.
 *
 *     mprof.views.push(mprof.seriesView({id, title, prefix, data, ...}))
 *
 * Members of `data`:
 *
 *     ways(), units               groupings of series and units of values, as {key, title}
 *     moments()                   the moments at which values are known, sorted by time
 *     moment                      the word for one of them
 *     momentName(moment)          its text
 *     initial()                   optional; the index of the moment that is selected at first
 *     end()                       the end of the time axis, in ns
 *     series(by, unit, within)    the series of a grouping: [{name, values}]; WITHIN is [[by, name], ...]
 *     curves(unit, within)        curves over the stack, as {times, list: [{key, title, on, values}]}; `on` is whether
 *                                 the curve is drawn by default; time_chart.js has more members
 *     marks()                     marks on the time axis
 *     totals(set)                 the sum of all series by times of the curves, or null; see series.js
 *
 * Other members:
 *
 *     next(set)                   returns a function from the name of a series to the grouping of its parts, which is
 *                                 undefined if the series has no parts
 *     end(set, name)              optional; called when a series without parts is clicked
 *     links(set, moment)          returns the buttons below the legend
 *     notes(set)                  returns the sentences below the chart
 *     into                        whether a click on a band of the chart opens the series
 *     below(element, state, moment, narrow)       optional; appends more below the notes
 *     quiet                       optional; keys of the address whose changes do not rebuild the view
 *
 * The remaining members are those of the view (shell.js). SET, the argument of some functions, is the result of
 * settings().
 *
 * All choices are in the address, in keys that begin with PREFIX: by (the grouping), unit, n (number of series), at
 * (the moment to sort by), moment (the selected moment), t0 and t1 (the visible time, in ns), within (the series that
 * were clicked), add and drop (names of series), log, share, turned (curves that are switched from their default), and even
 * (whether the moments have equal distances, with the time between them; for series that are joined).
 */
"use strict";
(() => {
    const SERIES = 20;          /* number of series shown by default */
    const MOST = 60;            /* maximum of the slider */
    const COMPLETIONS = 20;     /* maximum names that the field "Add" offers */
    const MOST_ZOOM = 1e12;     /* beyond it, numbers are too imprecise for ticks of the time axis */
    const KEYS = ["by", "unit", "n", "at", "moment", "t0", "t1", "within", "add", "drop", "log", "share", "turned", "even"];

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

    const joined = value => value.length ? JSON.stringify(value) : null;

    function toggle(title, on, change) {
        return mprof.el("label", { class: "toggle" },
            mprof.el("input", { type: "checkbox", name: title, checked: on, onchange: change }), " " + title);
    }

    class SeriesView {
        constructor(options) {
            Object.assign(this, options);
        }

        /* Returns CHANGES with the view's prefix before each key. */
        prefixed(changes) {
            return Object.fromEntries(Object.entries(changes).map(([key, value]) => [this.prefix + key, value]));
        }

        go(changes) {
            mprof.url.set({ view: this.id, ...this.prefixed(changes) });
        }

        /* Returns the state of the view, with each part validated. */
        settings(state) {
            const { data } = this, own = Object.fromEntries(KEYS.map(key => [key, state[this.prefix + key]]));
            const moments = data.moments(), start = 0, end = data.end(), turned = list(own.turned);
            const known = (items, key) => (items.find(item => item.key === key) || items[0]).key;
            const index = text => {
                const value = number(text, null);

                return value !== null && moments[value] ? value : null;
            };
            let from = Math.max(start, number(own.t0, start)), to = Math.min(end, number(own.t1, end));

            if (!(to - from >= end / MOST_ZOOM))
                [from, to] = [start, end];
            return {
                by: known(data.ways(), own.by), unit: known(data.units(), own.unit),
                n: Math.max(1, Math.min(MOST, number(own.n, SERIES))),
                at: index(own.at), moment: index(own.moment) === null && data.initial && moments.length ? data.initial() : index(own.moment), from, to, start, end,
                within: list(own.within).filter(pair => Array.isArray(pair) && pair.length === 2 &&
                    data.ways().some(way => way.key === pair[0])),
                add: list(own.add), drop: list(own.drop), log: own.log === "1", share: own.share === "1", even: own.even === "1" && data.joined,
                shows: curve => curve.on !== turned.includes(curve.key),
                toggled: ({ key }) => joined(turned.includes(key) ? turned.filter(x => x !== key) : [...turned, key]),
            };
        }

        /* Returns the index of the moment whose values the legend shows. */
        shownMoment(set) {
            return set.moment === null ? this.data.moments().length - 1 : set.moment;
        }

        /* ---------------------------------------------------- controls */

        /* Returns a field that completes the names of those of ALL series that are not in CHOSEN(). Calls ADD(name)
         * when the reader has chosen a name. */
        adder(all, chosen, add) {
            const names = mprof.el("datalist", { id: this.id + "-names" });
            const input = mprof.el("input", { type: "search", placeholder: "name of a series", list: names.id });

            function complete() {
                const test = mprof.tester(input.value) || (() => false);
                const found = all.filter(one => !chosen().some(other => other.name === one.name) && test(one.name))
                    .slice(0, COMPLETIONS);

                names.replaceChildren(...found.map(one => mprof.el("option", { value: one.name })));
                return found;
            }
            input.addEventListener("input", event => {
                const found = complete();

                /* If a completion was chosen, the event has no inputType. */
                if (!event.inputType && found.some(one => one.name === input.value))
                    add(input.value);
            });
            input.addEventListener("keydown", event => {
                const found = event.key === "Enter" ? complete() : [];

                if (found.length)
                    add((found.find(one => one.name === input.value) || found[0]).name);
            });
            input.addEventListener("focus", complete);
            return mprof.el("label", { class: "adder" }, "Add ", input, names);
        }

        slider(set, most, again) {
            const said = mprof.el("output", {}, String(Math.min(set.n, most)));
            const input = mprof.el("input", {
                type: "range", name: "Series", min: 1, max: Math.max(1, Math.min(MOST, most)), value: set.n,
                oninput: () => {
                    said.textContent = input.value;
                    again(Number(input.value));
                },
                onchange: () => mprof.url.set(this.prefixed({ n: Number(input.value) }), true),
            });

            return mprof.el("label", { class: "slider", title: "At most " + MOST + "; others can be added by name." },
                "Series ", input, " ", said, " of " + mprof.format.grouped(most));
        }

        /* Returns the controls. PICKED() returns the series that are shown now. AGAIN(n) shows N series. */
        controls(set, all, picked, again) {
            const { data } = this, bar = mprof.el("div", { class: "controls" });
            const ways = data.ways().filter(way => way.key === set.by || !set.within.some(([by]) => by === way.key));
            const marks = { key: "marks", title: "marks", on: true };

            bar.append(
                mprof.figures.chooser("By", ways, set.by, by => this.go({ by, add: null, drop: null })),
                mprof.figures.chooser("Unit", data.units(), set.unit,
                    unit => this.go({ unit: unit === data.units()[0].key ? null : unit })),
                mprof.figures.chooser("Sort by", [{ key: "", title: "mean over time" }, ...data.moments().map((moment, m) =>
                    ({ key: String(m), title: data.momentName(moment) }))], set.at === null ? "" : String(set.at),
                at => this.go({ at: at || null })),
                this.slider(set, all.length, again),
                this.adder(all, picked, name => this.go({
                    add: joined([...set.add, name]), drop: joined(set.drop.filter(x => x !== name)),
                })),
                toggle("logarithmic", set.log, () => this.go({ log: set.log ? null : "1", share: null })),
                toggle("shares", set.share, () => this.go({ share: set.share ? null : "1", log: null })),
                ...data.joined ? [toggle("equal intervals", set.even, () => this.go({ even: set.even ? null : "1", t0: null, t1: null }))] : [],
                ...[...data.curves(set.unit, set.within).list, marks].map(curve =>
                    toggle(curve.title, set.shows(curve), () => this.go({ turned: set.toggled(curve) }))));
            if (set.from > set.start || set.to < set.end)
                bar.append(mprof.button("Whole time", () => this.go({ t0: null, t1: null })));
            return bar;
        }

        /* Returns links that lead back from the series that were clicked. */
        trail(set) {
            const bar = mprof.el("p", { class: "links trail" });

            if (!set.within.length)
                return bar;
            bar.append(mprof.button("All", () => this.go({ within: null, by: set.within[0][0], add: null, drop: null })));
            set.within.forEach(([, name], i) => {
                const last = i + 1 === set.within.length;

                bar.append(" \u203a ", last ? mprof.el("strong", {}, name) : mprof.button(name, () => this.go({
                    within: joined(set.within.slice(0, i + 1)), by: set.within[i + 1][0], add: null, drop: null,
                })));
            });
            return bar;
        }

        /* ---------------------------------------------------- legend */

        /* Shows the parts of series NAME, grouped by BY. */
        drill(set, name, by, more = {}) {
            this.go({ ...more, within: joined([...set.within, [set.by, name]]), by, add: null, drop: null });
        }

        /* Returns what a click on series NAME does, or null. */
        opener(set, name) {
            const by = this.next(set)(name);

            return by ? more => this.drill(set, name, by, more) : this.end ? () => this.end(set, name) : null;
        }

        legendColumns(set, moment, whole) {
            const mean = values => values.reduce((a, b) => a + b, 0) / values.length;

            return [
                { key: "now", title: set.unit, unit: set.unit, value: one => one.values[moment] },
                { key: "share", title: "%", unit: "share", value: one => whole > 0 ? one.values[moment] / whole : 0 },
                { key: "mean", title: "mean", unit: set.unit, value: one => mean(one.values) },
                { key: "name", title: set.by, unit: "text", value: one => one.name },
            ];
        }

        legendRow(set, one, others, moment, whole) {
            const row = mprof.el("li"), value = mprof.el("span", { class: "figure" }, mprof.format.grouped(one.values[moment]));
            const percent = mprof.el("span", { class: "figure share" }, mprof.format.share(one.values[moment], whole));
            const open = one === others ? null : this.opener(set, one.name);
            const name = open ? mprof.button(one.name, () => open({}), "link name")
                : mprof.el("span", { class: "name" }, one.name);

            name.title = one.name;
            row.append(mprof.timeSwatch(one.color, this.id), value, percent, name);
            if (one !== others) {
                const drop = mprof.button("\u00d7", () => this.go({
                    drop: joined([...set.drop, one.name]), add: joined(set.add.filter(x => x !== one.name)),
                }), "drop");

                drop.setAttribute("aria-label", "Put " + one.name + " to the others");
                row.append(drop);
            }
            return row;
        }

        legend(set, shown, others) {
            const { data } = this, moment = this.shownMoment(set), all = others ? [...shown, others] : shown;
            const whole = all.reduce((sum, one) => sum + one.values[moment], 0);
            const said = data.momentName(data.moments()[moment]);

            return mprof.el("div", { class: "legend" },
                mprof.el("p", {}, "At " + said + ": " + mprof.format.grouped(whole) + " " + set.unit),
                mprof.el("ul", {}, all.map(one => this.legendRow(set, one, others, moment, whole))),
                mprof.el("p", { class: "links" }, this.links(set, moment),
                    mprof.button("Sort by this " + data.moment, () => this.go({ at: moment })),
                    mprof.copier(() => said + "\n" + mprof.tableText(this.legendColumns(set, moment, whole), all))));
        }

        /* ---------------------------------------------------- the view */

        /* Returns the first N series that the user has not removed, those that the user has added, and the sum of the
         * others, as mprof.series.chosen() does. */
        picked(set, all, n) {
            const rest = mprof.series.ranked(all, this.data.moments(), set.at).filter(one => !set.drop.includes(one.name));
            const first = rest.slice(0, n).map(one => one.name);

            return mprof.series.chosen(all, [...first, ...set.add.filter(name => !first.includes(name))]);
        }

        /* Draws the chart and the legend of the first N series. */
        drawn(element, set, all, n) {
            const { data } = this, { picked: series, others } = this.picked(set, all, n);
            const drawing = mprof.el("div", { class: "drawing" }), curves = data.curves(set.unit, set.within);

            series.forEach((one, i) => one.color = i);
            if (others)
                others.color = -1;
            element.replaceChildren(mprof.el("div", { class: "figure-box" }, drawing, this.legend(set, series, others)));
            mprof.timeChart(drawing, {
                id: this.id, moments: data.moments(), series: others ? [...series, others] : series, times: curves.times,
                curves: set.share ? [] : curves.list.filter(curve => set.shows(curve)),
                totals: data.totals(set), joined: data.joined, marks: set.shows({ key: "marks", on: true }) ? data.marks() : [],
                unit: set.unit, log: set.log, share: set.share, from: set.from, to: set.to, instant: set.moment,
                choose: (moment, name) => {
                    const open = this.into && series.some(one => one.name === name) && this.opener(set, name);

                    if (open)
                        open({ moment });
                    else
                        this.go({ moment });
                    this.focusChart();
                },
                zoom: (from, to) => {
                    this.go({ t0: Math.round(Math.max(set.start, from)), t1: Math.round(Math.min(set.end, to)) });
                    this.focusChart();
                },
                ...set.even ? this.evenly() : {},
            });
            return series;
        }

        /* Returns the members of the chart that differ if its time is the number of the moment. */
        evenly() {
            const moments = this.data.moments(), last = moments.length - 1;

            return {
                moments: moments.map((moment, m) => ({ ...moment, time: m })), times: moments.map((_, m) => m), marks: [],
                from: 0, to: last, zoom: () => {},
                ticks: moments.flatMap((moment, m) => m === 0 ? [] : [
                    { time: m - 0.5, text: "+" + mprof.format.time(moment.time - moments[m - 1].time) }]),
            };
        }

        focusChart() {
            const chart = document.querySelector("#view-" + this.id + " svg.chart");

            if (chart)
                chart.focus();
        }

        build(element, state, narrow) {
            if (!this.data.moments().length) {
                element.append(mprof.el("p", { class: "nothing" }, "The data have no time line."));
                return;
            }
            const set = this.settings(state), all = this.data.series(set.by, set.unit, set.within);
            const box = mprof.el("div");
            let series = [];
            const again = n => {
                series = this.drawn(box, set, all, n);
            };

            element.append(this.trail(set), this.controls(set, all, () => series, again), box,
                ...this.notes(set).map(text => mprof.el("p", { class: "note" }, text)));
            again(set.n);
            if (this.below)
                this.below(element, state, this.shownMoment(set), narrow);
        }

        show(element, state) {
            mprof.figures.renewDrawn(element, state, [this.prefix + "n", "node", "search", "figure", ...this.quiet || []],
                narrow => this.build(element, state, narrow));
        }
    }

    mprof.seriesView = options => new SeriesView({ resized: true, ...options });
})();
