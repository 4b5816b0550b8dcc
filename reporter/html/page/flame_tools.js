/* SPDX-License-Identifier: MIT */
/* flame_tools.js -- controls of the flame graph: figure, point in time, search with completion, breadcrumbs, and
 * legend. */
"use strict";
(() => {
    const MOST_WORDS = 12;

    const option = (value, label, chosen) => mprof.el("option", { value, selected: value === chosen }, label);

    /* ---------------------------------------------------------------- figures and moments */

    /* Returns the key of the figure for what was live at moment TO, or for its change since moment FROM. */
    const momentKey = (unit, from, to) =>
        `${unit === "bytes" ? "live" : "liveBlocks"}:${from === null ? "" : `${from}-`}${to}`;

    const figureSelect = (model, figure) => {
        const atMoment = figure.to !== undefined;
        const select = mprof.el("select", {
            id: "flame-figure",
            onchange: () => {
                const last = model.moments[model.moments.length - 1];
                const key = { "@bytes": momentKey("bytes", null, last), "@blocks": momentKey("blocks", null, last) };
                mprof.url.set({ figure: key[select.value] || select.value });
            },
        },
        model.figures.filter((each) => each.to === undefined).map((each) => option(each.key, each.label, atMoment ? "" : figure.key)),
        model.moments.length > 0 ? [option("@bytes", "Live at a moment, bytes", atMoment ? `@${figure.unit}` : ""),
            option("@blocks", `Live at a moment, ${model.things}`, atMoment ? `@${figure.unit}` : "")] : []);
        return mprof.el("label", {}, mprof.el("span", {}, "Figure"), select);
    };

    /* Returns a slider over the moments whose live blocks are known, and a field to choose the moment to compare with.
     */
    const momentControls = (model, figure) => {
        if (figure.to === undefined)
            return [];
        const moments = model.moments, label = (i) => model.momentLabel(model.time.moments[i]);
        const go = (from, to) => mprof.url.set({ figure: momentKey(figure.unit, from, to) }, true);
        const from = figure.difference ? figure.from : null;
        const said = mprof.el("output", {}, label(figure.to));
        const slider = mprof.el("input", {
            id: "flame-moment", type: "range", min: 0, max: moments.length - 1, step: 1,
            "aria-label": "Moment", "aria-valuetext": label(figure.to),
            oninput: () => go(from, moments[+slider.value]),
        });
        slider.value = String(Math.max(0, moments.indexOf(figure.to)));
        const base = mprof.el("select", {
            id: "flame-from", onchange: () => go(base.value === "" ? null : +base.value, figure.to),
        }, option("", "nothing", from === null ? "" : null), option("0", "the start", from === null ? null : String(from)),
        moments.map((i) => option(String(i), label(i), from === null ? null : String(from))));
        return [
            mprof.el("label", { class: "wide" }, mprof.el("span", {}, "Moment"), slider, said),
            mprof.el("label", {}, mprof.el("span", {}, "Less what lived at"), base),
        ];
    };

    /* ---------------------------------------------------------------- choices */

    /* Returns a button that switches KEY of the address on and off. */
    const toggle = (key, title, text, state) => mprof.el("button", {
        type: "button", id: `flame-${key}`, title, "aria-pressed": String(Boolean(state[key])),
        onclick: () => mprof.url.set({ [key]: state[key] ? null : "1", node: key === "reverse" ? null : state.node, path: null }),
    }, text);

    const choices = (state) => mprof.el("div", { class: "flame-choices", role: "group", "aria-label": "Form" },
        toggle("reverse", "Functions that allocate first, then who calls them (r)", "By allocating function", state),
        toggle("fold", "What a recursion calls is counted where it began (c)", "Fold recursion", state),
        toggle("flame", "Callers below, callees above (i)", "Upwards", state));

    /* ---------------------------------------------------------------- search */

    /* Returns, by function, whether the name of the function or its module matches TEXT, which is a substring or
     * /regular expression/. Returns null if TEXT is empty. */
    const matcher = (model, text) => {
        if (!text)
            return null;
        let test;
        const pattern = /^\/(.*?)\/?$/.exec(text);
        if (pattern && pattern[1]) {
            try {
                const regexp = new RegExp(pattern[1], "i");
                test = (name) => regexp.test(name);
            } catch {
                test = () => false;
            }
        } else {
            const lower = text.toLowerCase();
            test = (name) => name.toLowerCase().includes(lower);
        }
        const names = model.functions.name, match = new Uint8Array(names.length);
        for (let f = 2; f < names.length; f++)
            match[f] = test(names[f]) || test(model.moduleName(f)) ? 1 : 0;
        return match;
    };

    /* Returns completions of TEXT. Function names that begin with TEXT come first, then other names that contain TEXT.
     * Both groups are sorted by bytes, largest first. */
    const completions = (model, text) => {
        const lower = text.toLowerCase(), bytes = functionBytes(model), found = [];
        if (!lower || lower.startsWith("/"))
            return [];
        model.functions.name.forEach((name, f) => {
            const at = f < 2 ? -1 : name.toLowerCase().indexOf(lower);
            if (at >= 0)
                found.push([at === 0 ? 0 : 1, -bytes[f], name]);
        });
        return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, MOST_WORDS).map((entry) => entry[2]);
    };

    /* Returns, by function, the largest inclusive bytes of any of its nodes. */
    const functionBytes = (model) => mprof.graph.once("largest bytes of functions", () => {
        const largest = new Float64Array(model.functions.count), inclusive = model.inclusive("bytes");
        for (let i = 1; i < inclusive.length; i++) {
            const f = model.nodes.function[i];
            largest[f] = Math.max(largest[f], inclusive[i]);
        }
        return largest;
    });

    /* Returns a search field with a list of completions, following the "combobox" pattern of WAI-ARIA. */
    const searchField = (model) => {
        let chosen = -1;
        const list = mprof.el("ul", { id: "flame-words", role: "listbox", "aria-label": "Functions", hidden: true });
        const said = mprof.el("output", { id: "flame-matched", "aria-live": "polite" });
        const input = mprof.el("input", {
            id: "flame-search", type: "search", role: "combobox", placeholder: "Search: name or /regexp/",
            "aria-label": "Search functions", "aria-expanded": "false", "aria-controls": "flame-words",
            "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
        });
        const close = () => {
            list.hidden = true;
            chosen = -1;
            input.setAttribute("aria-expanded", "false");
            input.removeAttribute("aria-activedescendant");
        };
        const take = (text) => {
            input.value = text;
            close();
            mprof.url.set({ search: text }, true);
        };
        const mark = (by) => {
            const items = [...list.children];
            if (items.length === 0)
                return;
            chosen = (chosen + by + items.length) % items.length;
            items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
            items[chosen].scrollIntoView({ block: "nearest" });
            input.setAttribute("aria-activedescendant", items[chosen].id);
        };
        const offer = () => {
            const words = completions(model, input.value);
            list.replaceChildren(...words.map((word, i) => mprof.el("li", {
                id: `flame-word-${i}`, role: "option", "aria-selected": "false", title: word,
                onpointerdown: (event) => {
                    event.preventDefault();
                    take(word);
                },
            }, word)));
            close();
            list.hidden = words.length === 0;
            input.setAttribute("aria-expanded", String(words.length > 0));
        };
        input.addEventListener("input", () => {
            offer();
            mprof.url.set({ search: input.value }, true);
        });
        input.addEventListener("blur", close);
        input.addEventListener("keydown", (event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
                event.preventDefault();
                mark(event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1);
            } else if (event.key === "Enter" && chosen >= 0) {
                take(list.children[chosen].textContent);
            } else if (event.key === "Enter") {
                close();
                document.getElementById("flame-canvas").focus();
            } else if (event.key === "Escape" && !list.hidden) {
                event.preventDefault();
                close();
            } else if (event.key === "Escape") {
                take("");
                input.blur();
            }
        });
        return { element: mprof.el("div", { class: "flame-search", role: "search" }, input, said, list), input, said };
    };

    /* ---------------------------------------------------------------- breadcrumbs, legend */

    const MOST_CRUMBS = 6;

    /* Returns buttons for the zoomed frame and its callers. If there are many callers, leaves out some of the outer
     * ones. */
    const breadcrumbs = (model, frames, frame, choose) => {
        const path = mprof.flameTree.path(frames, frame);
        const shown = path.length > MOST_CRUMBS ? [path[0], -1, ...path.slice(1 - MOST_CRUMBS)] : path;
        return shown.map((each) => each < 0
            ? mprof.el("li", { class: "quiet" }, `\u2026 ${path.length - MOST_CRUMBS} \u2026`)
            : mprof.el("li", {}, mprof.el("button", {
                type: "button", "aria-current": each === frame ? "true" : null, onclick: () => choose(each),
            }, mprof.flameDetails.nameOf(model, frames, each))));
    };

    /* Returns a small canvas with a frame of function F, for the legend. */
    const swatch = (looks, f, inlined, change) => {
        const canvas = mprof.el("canvas", { width: 56, height: 32, class: "swatch", "aria-hidden": "true" });
        const context = canvas.getContext("2d");
        context.scale(2, 2);
        mprof.flamePaint.frame(context, looks, f, inlined, { x: 0.5, y: 0.5, w: 27, h: 15 },
            change || { fill: mprof.flamePaint.plain(looks, f) });
        return canvas;
    };

    const legend = (model, looks, difference) => {
        const { functions, nodes } = model, items = [], n = functions.count;
        const add = (f, inlined, text, change) => items.push(mprof.el("li", {}, swatch(looks, f, inlined, change), text));
        const first = (wanted) => {
            for (let f = 2; f < n; f++)
                if (wanted(f))
                    return f;
            return -1;
        };
        if (difference) {
            const f = first((each) => looks.style.mark[each] === 0);
            add(f, false, "more than before", looks.theme.grew);
            add(f, false, "less than before", looks.theme.shrank);
            add(f, false, "as much as before, in all", looks.theme.same);
            items.push(mprof.el("li", {}, "Widths are sizes of changes, up or down."));
        } else {
            looks.order.slice(0, mprof.flamePaint.PLACES).forEach((module) => {
                const f = first((each) => functions.module[each] === module && functions.sort[each] === 0);
                if (f >= 0)
                    add(f, false, model.modules[module]);
            });
            const other = first((f) => looks.style.rank[f] === mprof.flamePaint.PLACES && functions.sort[f] === 0);
            if (other >= 0)
                add(other, false, looks.order.length > mprof.flamePaint.PLACES ? "other modules" : "no module");
        }
        const lisp = first((f) => functions.sort[f] === 1), mark = first((f) => functions.sort[f] === 2);
        if (lisp >= 0)
            add(lisp, false, "Lisp");
        const inlined = nodes.inlined.indexOf(1);
        if (inlined >= 0)
            add(nodes.function[inlined], 1, "inlined");
        if (mark >= 0)
            add(mark, false, "mark");
        return items;
    };

    mprof.flameTools = { figureSelect, momentControls, choices, matcher, searchField, breadcrumbs, legend };
})();
