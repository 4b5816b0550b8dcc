/* SPDX-License-Identifier: MIT */
/*
 * kinds.js -- figures by kind: size classes of malloc's blocks, and types of Lisp objects.
 *
 * Kinds are summed up in the columns of the report's call graph table: s m l x by size, c f s o by type.
 */
"use strict";
(() => {
    const TITLES = {
        Cs: "small", Cm: "medium", Cl: "large", Cx: "extra large",
        Lc: "conses", Lf: "floats", Ls: "structures", Lo: "others",
    };

    /* Returns the key of KIND's column, a key of TITLES. */
    function columnOf(kind) {
        return (kind.lisp ? "L" : "C") + kind.category;
    }

    /* Returns the columns that occur in the profile: {key, letter, title}. */
    function columns() {
        return mprof.graph.once("kinds", () => {
            const model = mprof.model, seen = new Set();

            for (const kind of model.cells.kind)
                seen.add(columnOf(model.kinds[kind]));
            return Object.keys(TITLES).filter(key => seen.has(key))
                .map(key => ({ key, letter: key[1], title: TITLES[key] }));
        });
    }

    /* Returns whether FIGURE is known by kind. */
    function has(figure) {
        return mprof.model.cells[figure] !== undefined;
    }

    /* Returns whether FIGURE is known by kind for functions and calls, including everything below them. */
    function hasSums(figure) {
        return has(figure) && (!mprof.model.sums || mprof.model.sums.parts);
    }

    /* Returns the sums WHAT of the graph (total, arcs etc.), only for the kinds in COLUMN. */
    function sums(what, figure, column) {
        return mprof.graph.sumsOf(what, figure, column, kind => columnOf(mprof.model.kinds[kind]) === column);
    }

    /* Returns columns of a grid with the share of each kind in a row's bytes. */
    function shares(what, figure, ids) {
        if (!hasSums(figure) || mprof.model.figure(figure).difference || columns().length < 2)
            return [];
        const whole = mprof.graph.sums(what, figure);

        return columns().map(column => {
            const values = sums(what, figure, column.key);

            return {
                key: "kind" + column.key, title: column.title, unit: "share", explain: "Share of the row's that is " +
                    "of this kind.",
                value: row => whole[ids[row]] > 0 ? values[ids[row]] / whole[ids[row]] : 0,
            };
        });
    }

    mprof.kinds = { columns, has, hasSums, sums, shares, title: kind => TITLES[columnOf(mprof.model.kinds[kind])] };
})();
