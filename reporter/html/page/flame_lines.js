/* SPDX-License-Identifier: MIT */
/*
 * flame_lines.js -- source lines of the calls in a frame of the flame graph.
 *
 * A frame represents all calls of one function from one place of the graph. These calls may be on several lines.
 *
 *     mprof.flameLines.text(model, frames, frame, inner, key)   the lines of FRAME's calls that lead to INNER, which is
 *                      FRAME or below it. The line with the largest share of figure KEY comes first. Returns only the
 *                      name of the function's source file if no line is known.
 *     mprof.flameLines.links(...)     the same as links and texts
 */
"use strict";
(() => {
    const MOST = 3;             /* maximum lines in a text */

    /* Returns whether FUNCTIONS are the functions of AT, its parent and so on. */
    const isPrefix = (tree, at, functions) => {
        for (const f of functions) {
            if (at === 0 || tree.function[at] !== f)
                return false;
            at = tree.parent[at];
        }
        return true;
    };

    /* Returns an array indexed by node of the merged tree. If the chain of the node contains INNER, the element is the
     * node that FRAME represents on this chain, otherwise 0. */
    const onChains = (frames, frame, inner) => {
        const tree = frames.merged, of = new Int32Array(tree.count);
        if (!frames.reversed) {
            const at = frames.id[frame], below = frames.id[inner];
            for (let i = 1; i < tree.count; i++)
                of[i] = i === below || of[tree.parent[i]] ? at : 0;
            return of;
        }
        const path = mprof.flameTree.path(frames, inner).slice(1).map((each) => frames.function[each]);
        for (let i = 1; i < tree.count; i++) {
            if (!isPrefix(tree, i, path))
                continue;
            let at = i;
            for (let n = frames.rowOf[frame]; n > 1; n--)
                at = tree.parent[at];
            of[i] = at;
        }
        return of;
    };

    /* Returns how much of KEY was allocated by calls on each line, by "file:line", or "" for unknown lines. Decreases
     * count as positive. */
    const weigh = (model, frames, frame, inner, key) => {
        const { parent, line, file, count } = model.nodes, { to } = frames.merged;
        const of = onChains(frames, frame, inner), self = model.self(key), sums = new Map();
        for (let i = 1; i < count; i++) {
            const wanted = of[to[i]];
            if (!wanted || self[i] === 0)
                continue;
            let at = i;         /* if recursion is folded, use the innermost call of the function */
            while (to[at] !== wanted)
                at = parent[at];
            const place = line[at] > 0 ? `${file[at]}:${line[at]}` : "";
            sums.set(place, (sums.get(place) || 0) + Math.abs(self[i]));
        }
        return sums;
    };

    /* Returns [{place, name, file, line, share}], largest share first. `place` is "" for unknown lines. */
    const list = (model, frames, frame, inner, key) => {
        const sums = frame > 0 ? weigh(model, frames, frame, inner, key) : new Map();
        const whole = [...sums.values()].reduce((a, b) => a + b, 0);
        return [...sums].map(([place, weight]) => {
            const [file, line] = place.split(":");
            const name = line ? (model.files[file] || "").replace(/^.*\//, "") : "";
            return { place: line ? `${name}:${line}` : "", name, file: Number(file), line: Number(line || 0), share: weight / whole };
        }).sort((a, b) => b.share - a.share || a.line - b.line);
    };

    /* Returns "a.c:14", or for several lines "a.c:15 (75 %), 14 (25 %)". */
    const text = (...chosen) => {
        const [model, frames, frame] = chosen, lines = list(...chosen), known = lines.filter((each) => each.line > 0);
        if (known.length === 0)
            return model.fileName(frames.function[frame]).replace(/^.*\//, "");
        if (lines.length === 1)
            return lines[0].place;
        const said = known.slice(0, MOST).map((each, i) =>
            `${i > 0 && each.name === known[i - 1].name ? each.line : each.place} (${mprof.format.share(each.share, 1) || "0 %"})`);
        if (known.length > MOST)
            said.push(`${known.length - MOST} more line${known.length - MOST === 1 ? "" : "s"}`);
        return said.join(", ");
    };

    /* Returns the same as a list of links and texts. */
    const links = (...chosen) => {
        const lines = list(...chosen), known = lines.filter((each) => each.line > 0), key = chosen[4];
        if (known.length === 0)
            return [text(...chosen)].filter(Boolean);
        const items = known.slice(0, MOST).flatMap((each, i) => [i > 0 ? ", " : "",
            mprof.source.link(each.file, each.line, key, i > 0 && each.name === known[i - 1].name), lines.length > 1 ? ` (${mprof.format.share(each.share, 1) || "0 %"})` : ""]);
        return [...items, known.length > MOST ? `, ${known.length - MOST} more line${known.length - MOST === 1 ? "" : "s"}` : ""];
    };

    mprof.flameLines = { text, links };
})();
