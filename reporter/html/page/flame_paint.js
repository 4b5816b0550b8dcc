/* SPDX-License-Identifier: MIT */
/*
 * flame_paint.js -- colours and shapes of a flame graph.
 *
 * Each property of a frame is shown by colour and by shape, so that the graph can be read without colours. C
 * functions are rectangles, Lisp functions are round, inlined calls are hatched, and marks (cut chains and parts that
 * were left out) have dashed outlines. In a graph of changes, decreases are hatched in the other direction. Each
 * module has a colour and a kind of line along the lower edge: none, solid, dashed, dotted etc.
 */
"use strict";
(() => {
    /* Colours by rank of the module; modules that allocate most come first. The hues can be distinguished by
     * colour-blind people and have different lightness. */
    const LIGHT = ["#f2b872", "#8fc3ea", "#9fd9b4", "#f0e07e", "#e9a3c4", "#b8c2cc", "#d7b99a", "#c9d98a"];
    const DARK = ["#8a5416", "#22608f", "#1f6e4b", "#776812", "#88365f", "#4e5a66", "#6b4c2d", "#55661a"];
    const LISP = { light: "#c5b3f3", dark: "#5a44a3" };
    const OTHER = { light: "#d9d9de", dark: "#44474d" };
    const EDGES = [[], [1e4], [6, 3], [2, 2], [10, 3, 2, 3], [3, 6], [14, 4], [1, 4]];
    const SHADES = 5;           /* variants of one colour, which distinguish neighbours of one module */

    const dark = matchMedia("(prefers-color-scheme: dark)");

    /* Returns COLOUR, "#rrggbb", mixed with white if BY is positive, else with black. The absolute value of BY is the
     * share of white or black. */
    const shade = (colour, by) => "#" + [1, 3, 5].map((i) => {
        const part = parseInt(colour.slice(i, i + 2), 16);
        const target = by > 0 ? 255 : 0;
        return Math.round(part + (target - part) * Math.abs(by)).toString(16).padStart(2, "0");
    }).join("");

    /* Returns variants of COLOUR, which are slightly lighter or darker, and warmer or colder. */
    const shades = (colour) => Array.from({ length: SHADES }, (_, i) => {
        const by = i - (SHADES - 1) / 2, near = shade(colour, (i % 2 ? 1 : -1) * 0.035 * Math.abs(by));
        const [red, green, blue] = [1, 3, 5].map((at) => parseInt(near.slice(at, at + 2), 16));
        const clamp = (part) => Math.max(0, Math.min(255, Math.round(part))).toString(16).padStart(2, "0");
        return `#${clamp(red + 2 * by)}${clamp(green - 5 * by)}${clamp(blue - 3 * by)}`;
    });

    const hash = (text) => {
        let h = 2166136261;
        for (let i = 0; i < text.length; i++)
            h = Math.imul(h ^ text.charCodeAt(i), 16777619);
        return (h ^ h >>> 13) >>> 0;
    };

    /* Returns `order`, the modules by descending bytes that they allocated themselves, and `rank`, the rank by module.
     * Modules that are not among the first share the last rank. */
    const rankModules = (model) => {
        const bytes = new Float64Array(model.modules.length), self = model.self("bytes");
        for (let i = 1; i < self.length; i++) {
            const module = model.functions.module[model.nodes.function[i]];
            if (module >= 0)
                bytes[module] += self[i];
        }
        const seen = new Set(model.functions.module);
        const order = [...bytes.keys()].filter((m) => seen.has(m)).sort((a, b) => bytes[b] - bytes[a]);
        const rank = new Int32Array(model.modules.length).fill(LIGHT.length);
        order.slice(0, LIGHT.length).forEach((module, i) => {
            rank[module] = i;
        });
        return { rank, order };
    };

    const make = (model) => {
        const { rank, order } = rankModules(model), { module, sort, name } = model.functions;
        const n = model.functions.count;
        const style = { rank: new Uint8Array(n), lisp: new Uint8Array(n), mark: new Uint8Array(n), shade: new Uint8Array(n) };
        for (let f = 0; f < n; f++) {
            style.rank[f] = module[f] >= 0 ? rank[module[f]] : LIGHT.length;
            style.lisp[f] = sort[f] === 1 ? 1 : 0;
            style.mark[f] = sort[f] === 2 ? 1 : 0;
            style.shade[f] = hash(name[f]) % SHADES;
        }
        return { style, order, theme: theme() };
    };

    /* Returns the colours of the page's current theme. */
    const theme = () => {
        const night = dark.matches;
        const own = getComputedStyle(document.documentElement);
        return {
            modules: (night ? DARK : LIGHT).map(shades),
            lisp: shades(night ? LISP.dark : LISP.light),
            other: shades(night ? OTHER.dark : OTHER.light),
            text: night ? "#f4f4f5" : "#18181b",
            back: own.getPropertyValue("--back").trim() || (night ? "#111214" : "#ffffff"),
            quiet: own.getPropertyValue("--quiet").trim() || "#777",
            accent: own.getPropertyValue("--accent").trim() || "#2563eb",
            hatch: night ? "rgba(255,255,255,.16)" : "rgba(0,0,0,.13)",
            edge: night ? "rgba(255,255,255,.55)" : "rgba(0,0,0,.5)",
            small: night ? "#3b3e44" : "#dcdde2",
            falls: night ? "rgba(255,255,255,.2)" : "rgba(0,0,0,.16)",
            /* Colours of changes: red and blue, which colour-blind people can distinguish. */
            grew: { fill: night ? "#a33a32" : "#f0a090" },
            shrank: { fill: night ? "#2a6aa8" : "#93bdeb", falls: true },
            same: { fill: night ? "#3b3e44" : "#dcdde2" },
        };
    };

    const ruled = new Map();

    /* Returns a pattern of diagonal lines, which rise to the right unless FALLS is set. */
    const hatch = (context, colour, falls) => {
        if (!ruled.has(colour)) {
            const tile = document.createElement("canvas");
            tile.width = tile.height = 8;
            const to = tile.getContext("2d");
            to.strokeStyle = colour;
            to.lineWidth = 2;
            to.beginPath();
            for (const at of [-8, 0, 8]) {
                to.moveTo(at, falls ? 0 : 8);
                to.lineTo(at + 8, falls ? 8 : 0);
            }
            to.stroke();
            ruled.set(colour, context.createPattern(tile, "repeat"));
        }
        return ruled.get(colour);
    };

    const outline = (context, x, y, w, h, round) => {
        context.beginPath();
        if (round && w > 6)
            context.roundRect(x, y, w, h, Math.min(h / 2, w / 2));
        else
            context.roundRect(x, y, w, h, Math.min(2, w / 3));
    };

    /* Returns the variants of the colour of function F, which is the colour of its module or of Lisp. */
    const family = ({ style, theme: colours }, f) =>
        (style.lisp[f] ? colours.lisp : colours.modules[style.rank[f]] || colours.other);

    /* Draws a frame of function F. CHANGE is null, or {fill, falls} from the theme in a graph of changes. */
    const frame = (context, looks, f, inlined, box, change) => {
        const { style, theme: colours } = looks, { x, y, w, h } = box;
        outline(context, x, y, w, h, style.lisp[f]);
        if (style.mark[f]) {
            context.fillStyle = colours.back;
            context.fill();
            context.strokeStyle = colours.quiet;
            context.lineWidth = 1;
            context.setLineDash([4, 3]);
            context.stroke();
            context.setLineDash([]);
            return;
        }
        context.fillStyle = change ? change.fill : family(looks, f)[style.shade[f]];
        context.fill();
        if (w < 6)
            return;
        if (inlined === 1) {
            context.fillStyle = hatch(context, colours.hatch);
            context.fill();
        }
        if (change && change.falls) {
            context.fillStyle = hatch(context, colours.falls, true);
            context.fill();
        }
        const dashes = EDGES[style.rank[f]];
        if (dashes && dashes.length > 0 && !style.lisp[f]) {
            context.strokeStyle = colours.edge;
            context.lineWidth = 1.5;
            context.setLineDash(dashes);
            context.beginPath();
            context.moveTo(x + 1, y + h - 1.25);
            context.lineTo(x + w - 1, y + h - 1.25);
            context.stroke();
            context.setLineDash([]);
        }
    };

    const widths = new Map();
    const width = (context, text) => {
        let known = widths.get(text);
        if (known === undefined) {
            if (widths.size > 50000)
                widths.clear();
            known = context.measureText(text).width;
            widths.set(text, known);
        }
        return known;
    };

    /* Returns TEXT, cut with an ellipsis if it is wider than ROOM pixels. */
    const fit = (context, text, room) => {
        if (width(context, text) <= room)
            return text;
        const part = room / width(context, text);
        let n = Math.min(text.length, Math.floor(text.length * part) + 2);
        while (n > 1 && context.measureText(text.slice(0, n) + "\u2026").width > room)
            n--;
        return n > 1 ? text.slice(0, n) + "\u2026" : "";
    };

    const plain = (looks, f) => family(looks, f)[(SHADES - 1) / 2];

    mprof.flamePaint = {
        make, plain, theme, frame, fit, dark, outline, PLACES: LIGHT.length,
    };
})();
