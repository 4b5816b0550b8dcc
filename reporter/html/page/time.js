/* SPDX-License-Identifier: MIT */
/* time.js -- the view "Time": what was live over time, and where it was allocated. */
"use strict";
(() => {
    /* The grouping of the parts of a series, by the grouping of the series. */
    const NEXT = { module: "function", type: "function", file: "function", start: "function", thread: "function", function: "line" };

    /* Opens the flame graph of the selected moment. Searches for the function NAME, or, if the
     * series are not functions, for the function that was clicked before. */
    function toFlame(set, name) {
        const search = set.by === "function" || set.by === "start" ? name
            : (set.within.find(([by]) => by === "function") || [null, null])[1];

        mprof.url.set({ view: "flame", node: null, path: null, figure: mprof.timeData.figureOf(set.moment, set.unit), search });
    }

    function notes(set) {
        const { leftOut } = mprof.timeData.time();

        return [
            "What was alive of each was counted at the moments that have a dot. Where the chart is grey, it was not counted, " +
                "and only the sum is known" + (mprof.timeData.totals(set) ? "." : ", but not of a part."),
            ...mprof.model.kinds.some(kind => kind.lisp) ? ["An object counts as alive until a collection finds that it is not. " +
                "Kept objects, in other views, have survived a collection."] : [],
            ...leftOut > 0 ? [mprof.format.grouped(leftOut) +
                " moments of the program have no breakdown, for want of room."] : [],
        ];
    }

    mprof.views.push(mprof.seriesView({
        id: "time", title: "Time", prefix: "", data: mprof.timeData, applies: model => Boolean(model.time), notes,
        next: set => () => NEXT[set.by], end: toFlame,
        links: set => [mprof.button("Flame graph at this moment", () => toFlame(set, null)),
            mprof.button("Functions at this moment", () => mprof.url.set({
                view: "functions", table: "up", function: null, cycle: null, sort: null, up: null, q: null,
                figure: mprof.timeData.figureOf(set.moment, set.unit),
            }))],
    }));
})();
