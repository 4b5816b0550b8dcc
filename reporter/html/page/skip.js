/* SPDX-License-Identifier: MIT */
/*
 * skip.js -- skips functions that the reader chose: what they allocated counts for their callers, as with the option
 * --skip. A chain loses its innermost functions up to the first that is not skipped. The address contains the functions.
 *
 *     mprof.skip.of(state)             returns the functions that the address skips
 *     mprof.skip.nodes(model, skipped) returns, by node, the node that has its figures when SKIPPED is skipped
 *     mprof.skip.can(f), add(f)        whether function F can be skipped; skips it
 *     mprof.skip.button(f)             returns a button that skips it
 *     mprof.skip.shown(state)          shows in the head of the page what is skipped, with buttons to restore it
 */
"use strict";
(() => {
    const of = state => (state.skip || "").split(".").filter(text => /^\d+$/.test(text)).map(Number)
        .filter(f => f >= 2 && f < mprof.model.functions.count);
    const can = f => f >= 2 && mprof.model.functions.sort[f] !== 2;
    const put = list => mprof.url.set({ skip: list.join(".") || null, node: null, path: null });

    function nodes({ nodes: { parent, function: functions, count } }, skipped) {
        const to = new Int32Array(count), skips = new Set(skipped);

        for (let i = 1; i < count; i++)
            to[i] = parent[i] !== 0 && skips.has(functions[i]) ? to[parent[i]] : i;
        return to;
    }

    function add(f) {
        const now = of(mprof.url.state);

        if (can(f) && !now.includes(f))
            put([...now, f]);
    }

    function button(f) {
        const name = mprof.model.functions.name[f], made = mprof.button("Skip", () => add(f), "skip");

        made.title = "Count what " + name + " allocates for its callers";
        made.setAttribute("aria-label", "Skip " + name);
        return made;
    }

    function shown(state) {
        const box = document.getElementById("skipped"), now = of(state);

        box.hidden = !now.length;
        box.replaceChildren("Skipped: ", ...now.flatMap(f => {
            const drop = mprof.button(mprof.model.functions.name[f] + " \u00d7", () => put(now.filter(other => other !== f)));

            drop.setAttribute("aria-label", "Restore " + mprof.model.functions.name[f]);
            return [drop, " "];
        }), ...now.length > 1 ? [mprof.button("Restore all", () => put([]))] : []);
    }

    mprof.skip = { of, nodes, can, add, button, shown };
})();
