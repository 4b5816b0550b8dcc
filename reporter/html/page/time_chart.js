/* SPDX-License-Identifier: MIT */
/*
 * time_chart.js -- draws the time line: series stacked over time, or each as a line on a logarithmic scale.
 *
 *     mprof.timeChart(element, {id, moments, series, times, curves, totals, marks, unit, log, share, joined,
 *                               from, to, instant, choose(moment, name), zoom(from, to)})
 *
 * The values of `curves`, [{key, title, values, times, scale}], and of `totals`, the sum of all series or null, are
 * known at `times`, unless a curve has its own. The value `scale` of a curve with another unit is at the upper end of the
 * chart. The time axis has `ticks`, [{time, text}], or else seconds. The last three are optional.
 * All times are in nanoseconds. The ids of elements begin with `id`. `instant` is the selected moment or null. If
 * `joined`, series are straight lines between two moments. Otherwise they are drawn only near moments, as series.js
 * explains. choose() is called when a moment is clicked, with the
 * name of the series at the pointer or null, and zoom() when a range of time is selected.
 */
"use strict";
(() => {
    const HIGH = 340, LEFT = 72, RIGHT = 14, TOP = 22, BOTTOM = 42;
    const CLICK = 5;            /* pixels that the pointer may move during a click */

    /* Colours that colour-blind people can distinguish, and patterns for further series. */
    const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
    const PATTERNS = [null, "M0 8L8 0", "M0 0L8 8", "M4 0V8", "M0 4H8", "M0 8L8 0M0 0L8 8", "M4 0V8M0 4H8", "M3 3h2v2h-2z"];
    const OTHERS = "#8c8c8c";

    function draw(parent, tag, attributes, text) {
        const element = mprof.svg(tag, attributes, text);

        parent.append(element);
        return element;
    }

    /* Returns the fill of series I. Adds its pattern to DEFS if it needs one. */
    function fill(defs, i, prefix) {
        const color = COLORS[i % COLORS.length];
        const path = PATTERNS[Math.floor(i / COLORS.length) % PATTERNS.length], id = prefix + i;

        if (i < 0)
            return OTHERS;
        if (!path)
            return color;
        const pattern = draw(defs, "pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" });

        draw(pattern, "rect", { width: 8, height: 8, fill: color });
        draw(pattern, "path", { d: path, stroke: "#000", "stroke-width": 1.2, fill: "none" });
        return "url(#" + id + ")";
    }

    /* Returns a sample of series I for the legend of the chart ID. */
    function swatch(i, id) {
        const svg = mprof.svg("svg", { class: "swatch", width: 16, height: 16, "aria-hidden": "true" });
        const defs = draw(svg, "defs", {});

        draw(svg, "rect", { width: 16, height: 16, fill: fill(defs, i, id + "-legend") });
        return svg;
    }

    /* Returns at most COUNT + 1 numbers from LEAST to MOST. They are multiples of a step, which is 1, 2 or 5 times a
     * power of ten. */
    function steps(least, most, count) {
        const rough = (most - least) / count, power = Math.pow(10, Math.floor(Math.log10(rough)));
        const step = power * ([1, 2, 5, 10].find(factor => factor * power >= rough) || 10), found = [];

        for (let value = Math.ceil(least / step) * step; value <= most; value += step)
            found.push(value);
        return found;
    }

    class Chart {
        constructor(element, options) {
            Object.assign(this, options);
            this.width = Math.max(300, element.clientWidth);
            this.svg = mprof.svg("svg", {
                class: "chart", viewBox: "0 0 " + this.width + " " + HIGH, width: this.width, role: "img", tabindex: 0,
                "aria-label": this.description(),
            });
            this.defs = draw(this.svg, "defs", {});
            const clip = draw(this.defs, "clipPath", { id: this.id + "-plot" });
            draw(clip, "rect", { x: LEFT, y: TOP, width: this.width - LEFT - RIGHT, height: HIGH - TOP - BOTTOM });
            this.stack();
            this.most = this.highest();
            this.axes();
            this.plot = draw(this.svg, "g", { "clip-path": "url(#" + this.id + "-plot)" });
            this.areas();
            this.drawCurves();
            this.drawMarks();
            this.drawInstant();
            this.listen();
            element.append(this.svg);
        }

        description() {
            return "Time line of " + this.series.length + " series at " + this.moments.length +
                " moments; arrow keys choose a moment, plus and minus zoom.";
        }

        /* ---------------------------------------------------- scales */

        x(time) {
            return LEFT + (time - this.from) / (this.to - this.from) * (this.width - LEFT - RIGHT);
        }

        time(x) {
            return this.from + (x - LEFT) / (this.width - LEFT - RIGHT) * (this.to - this.from);
        }

        y(value) {
            const part = this.log ? Math.log10(Math.max(1, value)) / Math.log10(Math.max(10, this.most))
                : value / this.most;

            return HIGH - BOTTOM - part * (HIGH - TOP - BOTTOM);
        }

        /* Computes the lower and upper edge of each series by time, as they are drawn. */
        stack() {
            const { times, values, counted, rest } = mprof.series.following(this.series, this.moments, this.times,
                this.totals, this.joined ? Infinity : this.to - this.from);
            const below = new Float64Array(times.length), all = new Float64Array(times.length);

            for (const column of [...values, rest])
                column.forEach((value, i) => all[i] += value);
            Object.assign(this, { all, stackTimes: times, values, counted });
            this.edges = [...values, rest].map(column => {
                const low = Float64Array.from(below);

                column.forEach((value, i) => below[i] += value);
                return [low, Float64Array.from(below)].map(edge =>
                    this.share ? edge.map((value, i) => all[i] > 0 ? value / all[i] : 0) : edge);
            });
        }

        highest() {
            let most = 1;

            if (this.share)
                return 1;
            this.stackTimes.forEach((time, i) => {
                if (time >= this.from && time <= this.to)
                    most = Math.max(most, this.all[i]);
            });
            for (const curve of this.curves.filter(each => !each.scale))
                curve.values.forEach((value, i) => {
                    if (value !== null && this.times[i] >= this.from && this.times[i] <= this.to)
                        most = Math.max(most, value);
                });
            return this.log ? Math.pow(10, Math.ceil(Math.log10(most))) : most * 1.04;
        }

        /* ---------------------------------------------------- drawing */

        axes() {
            const bottom = HIGH - BOTTOM, right = this.width - RIGHT;
            const values = this.log ? Array.from({ length: Math.round(Math.log10(this.most)) + 1 },
                (_, i) => Math.pow(10, i)) : steps(0, this.most, 5);
            const text = value => this.share ? Math.round(value * 100) + "%"
                : mprof.format.value(value, this.unit);

            for (const value of values) {
                draw(this.svg, "line", { x1: LEFT, x2: right, y1: this.y(value), y2: this.y(value), class: "rule" });
                draw(this.svg, "text", { x: LEFT - 6, y: this.y(value) + 4, "text-anchor": "end" }, text(value));
            }
            const seconds = steps(this.from / 1e9, this.to / 1e9, Math.max(2, this.width / 160));
            const places = seconds.length > 1 ? Math.max(0, -Math.floor(Math.log10(seconds[1] - seconds[0]) + 1e-9)) : 3;
            for (const { time, text: said } of this.ticks || seconds.map(tick => ({ time: tick * 1e9, text: tick.toFixed(places) + " s" }))) {
                const x = this.x(time);

                draw(this.svg, "line", { x1: x, x2: x, y1: bottom, y2: bottom + 5, class: "tick" });
                draw(this.svg, "text", { x: Math.min(x, right - 4 * said.length), y: bottom + 18, "text-anchor": "middle" }, said);
            }
            draw(this.svg, "line", { x1: LEFT, x2: right, y1: bottom, y2: bottom, class: "axis" });
        }

        /* Returns the positions of the values of EDGE at TIMES. */
        places(times, edge) {
            return Array.from(times, (time, t) => this.x(time).toFixed(1) + " " + this.y(edge[t]).toFixed(1));
        }

        area([low, high], attributes) {
            return draw(this.plot, "path", {
                d: "M" + this.places(this.stackTimes, high).join("L") + "L" +
                    this.places(this.stackTimes, low).reverse().join("L") + "Z", ...attributes,
            });
        }

        areas() {
            this.series.forEach((one, i) => {
                const shape = this.log
                    ? draw(this.plot, "path", {
                        d: this.places(this.stackTimes, this.values[i])
                            .map((place, t) => (this.counted[t] ? t > 0 && this.counted[t - 1] ? "L" : "M" : "") +
                                (this.counted[t] ? place : "")).join(""),
                        fill: "none", "stroke-width": 2.5,
                        stroke: one.color < 0 ? OTHERS : COLORS[one.color % COLORS.length],
                        "stroke-dasharray": one.color < COLORS.length ? "none" : 2 + one.color % 9 + " 3",
                    })
                    : this.area(this.edges[i], { fill: fill(this.defs, one.color, this.id + "-series"), class: "area" });

                shape.dataset.series = one.name;
                draw(shape, "title", {}, one.name);
            });
            if (!this.log && this.counted.includes(false))
                draw(this.area(this.edges[this.series.length], { class: "rest" }), "title", {}, "not counted");
        }

        drawCurves() {
            for (const curve of this.curves) {
                const times = curve.times || this.times, known = times.map((time, i) => i).filter(i => curve.values[i] !== null);
                const high = i => curve.scale ? HIGH - BOTTOM - curve.values[i] / curve.scale * (HIGH - TOP - BOTTOM) : this.y(curve.values[i]);
                const places = known.map(i => this.x(times[i]).toFixed(1) + " " + high(i).toFixed(1));

                if (places.length)
                    draw(draw(this.plot, "path", {
                        d: "M" + places[0] + places.map(place => "L" + place).join(""),
                        class: "curve " + curve.key,
                    }), "title", {}, curve.title);
            }
        }

        drawMarks() {
            let free = 0;

            for (const mark of this.marks) {
                const x = this.x(mark.time);

                if (mark.time < this.from || mark.time > this.to)
                    continue;
                const group = draw(this.svg, "g", { class: "mark " + mark.kind });
                const name = mprof.timeData.nameOf(mark);

                draw(group, "title", {}, name + ", " + mprof.format.time(mark.time));
                draw(group, "line", { x1: x, x2: x, y1: TOP, y2: HIGH - BOTTOM });
                draw(group, "path", { d: mark.kind === "collection" ? "M" + x + " " + TOP + "l-4 -7h8z"
                    : "M" + (x - 4) + " " + (TOP - 7) + "h8v7h-8z" });
                if (mark.kind !== "checkpoint" || x < free)
                    continue;
                const text = draw(group, "text", { x: x + 7, y: TOP - 8 }, mark.name);
                free = x + 7 + 7.5 * mark.name.length;
                if (free > this.width - RIGHT)
                    text.remove();
            }
        }

        drawInstant() {
            const moment = this.moments[this.instant], bottom = HIGH - BOTTOM;

            for (const each of this.moments)
                if (each.time >= this.from && each.time <= this.to)
                    draw(this.svg, "circle", { cx: this.x(each.time), cy: bottom, r: 2.5, class: "moment" });
            if (!moment || moment.time < this.from || moment.time > this.to)
                return;
            const x = this.x(moment.time);

            draw(this.svg, "line", { x1: x, x2: x, y1: TOP, y2: bottom, class: "instant" });
            draw(this.svg, "circle", { cx: x, cy: bottom, r: 5, class: "instant" });
        }

        /* ---------------------------------------------------- mouse and keys */

        nearest(time) {
            let best = 0;

            this.moments.forEach((moment, m) => {
                if (Math.abs(moment.time - time) < Math.abs(this.moments[best].time - time))
                    best = m;
            });
            return best;
        }

        place(event) {
            const box = this.svg.getBoundingClientRect(), x = (event.clientX - box.left) * this.width / box.width;

            return Math.max(LEFT, Math.min(this.width - RIGHT, x));
        }

        listen() {
            let start = null, area = null;

            this.svg.addEventListener("pointerdown", event => {
                if (event.button !== 0)
                    return;
                start = this.place(event);
                this.svg.setPointerCapture(event.pointerId);
            });
            this.svg.addEventListener("pointermove", event => {
                if (start === null)
                    return;
                const x = this.place(event);

                area = area || draw(this.svg, "rect", { y: TOP, height: HIGH - TOP - BOTTOM, class: "chosen" });
                area.setAttribute("x", Math.min(x, start));
                area.setAttribute("width", Math.abs(x - start));
            });
            this.svg.addEventListener("pointerup", event => {
                const x = this.place(event), from = start;

                if (area)
                    area.remove();
                start = area = null;
                if (from === null)
                    return;
                if (Math.abs(x - from) > CLICK)
                    this.zoom(this.time(Math.min(x, from)), this.time(Math.max(x, from)));
                else
                    this.choose(this.nearest(this.time(x)), this.under(event));
            });
            this.svg.addEventListener("pointercancel", () => {
                if (area)
                    area.remove();
                start = area = null;
            });
            this.svg.addEventListener("keydown", event => this.key(event));
        }

        /* Returns the name of the series that is drawn at EVENT, or null. */
        under(event) {
            for (const element of document.elementsFromPoint(event.clientX, event.clientY))
                if (element.dataset && element.dataset.series !== undefined)
                    return element.dataset.series;
            return null;
        }

        key(event) {
            const middle = this.moments[this.instant] ? this.moments[this.instant].time : (this.from + this.to) / 2;
            const half = (this.to - this.from) / 2, last = this.moments.length - 1;

            if (event.ctrlKey || event.altKey || event.metaKey)
                return;
            if (event.key === "ArrowRight")
                this.choose(Math.min(last, (this.instant === null ? -1 : this.instant) + 1), null);
            else if (event.key === "ArrowLeft")
                this.choose(Math.max(0, (this.instant === null ? last + 1 : this.instant) - 1), null);
            else if (event.key === "+")
                this.zoom(middle - half / 2, middle + half / 2);
            else if (event.key === "-")
                this.zoom(middle - half * 2, middle + half * 2);
            else
                return;
            event.preventDefault();
        }
    }

    mprof.timeChart = (element, options) => new Chart(element, options);
    mprof.timeSwatch = swatch;
})();
