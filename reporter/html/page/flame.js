/* SPDX-License-Identifier: MIT */
/* flame.js -- the view "Flame graph". Computes the frames for the state in the address. Changes the state on clicks and
 * keys. */
"use strict";
(() => {
    const { flameTree, flamePaint, flameDetails, flameTools } = mprof;
    /* If there are more than MANY frames, the panel is updated AFTER milliseconds, so that movement is smooth. */
    const MANY = 20000, AFTER = 220;
    let parts = null;           /* elements of the view; null before it is first shown */
    let shown = null;           /* {frames, figure, zoomed, state, match}, as drawn now; `zoomed` is a frame */
    const known = new Map();    /* cache of frames by figure, thread and options */

    /* ---------------------------------------------------------------- frames */

    const build = (model, figure, reversed, fold) => {
        let self = model.self(figure.key);
        if (!figure.difference)
            self = self.map((value) => Math.max(0, value));
        const merged = flameTree.merge(model, self, fold);
        const frames = flameTree.layout(reversed ? flameTree.reverse(merged) : merged);
        return Object.assign(frames, { merged, reversed });
    };

    const framesOf = (model, figure, state) => {
        const key = [figure.key, model.thread, model.skipped, Boolean(state.reverse), Boolean(state.fold)].join(" ");
        if (!known.has(key)) {
            if (known.size >= 6)
                known.delete(known.keys().next().value);
            known.set(key, build(model, figure, Boolean(state.reverse), Boolean(state.fold)));
        }
        return known.get(key);
    };

    /* Returns the frame that the address selects: by node of the profile, or in a reversed graph by a path of
     * functions. */
    const zoomedBy = (frames, state) => {
        if (!frames.reversed) {
            const to = frames.merged.to[Number(state.node)];
            return to === undefined ? 0 : Math.max(0, frames.of[to]);
        }
        let frame = 0;
        for (const f of (state.path || "").split(".").filter(Boolean).map(Number)) {
            let next = frames.first[frame];
            while (next < frames.first[frame + 1] && frames.function[next] !== f)
                next++;
            if (next === frames.first[frame + 1])
                return frame;
            frame = next;
        }
        return frame;
    };

    /* Returns the changes of the address that select FRAME. */
    const addressOf = (frames, frame) => (frames.reversed
        ? { path: flameTree.path(frames, frame).slice(1).map((each) => frames.function[each]).join("."), node: null }
        : { node: frame > 0 ? frames.tree.node[frames.id[frame]] : null, path: null });

    /* ---------------------------------------------------------------- choosing */

    const zoomTo = (frame) => {
        parts.canvas.selected = frame;
        const to = addressOf(shown.frames, frame);
        if (frame === shown.zoomed)
            select(frame);
        else
            mprof.url.set(to);
    };

    const select = (frame) => {
        const { canvas, panel } = parts, { frames, figure } = shown;
        canvas.selected = frame;
        canvas.bringIntoView(frame);
        canvas.redraw();
        clearTimeout(parts.later);
        parts.later = setTimeout(() => panel.replaceChildren(...flameDetails.panel(mprof.model, frames, frame, figure, zoomTo)),
            frames.count > MANY ? AFTER : 0);
        parts.said.textContent = flameDetails.sentence(mprof.model, frames, frame, figure);
    };

    const isSeen = (frame) => {
        const { frames, zoomed } = shown, middle = frames.x[frame] + frames.w[frame] / 2;
        return middle > frames.x[zoomed] && middle < frames.x[zoomed] + frames.w[zoomed];
    };

    /* Returns the frame that the arrow KEY leads to. */
    const neighbour = (key) => {
        const { frames, state } = shown, at = Math.max(0, parts.canvas.selected), row = frames.rowOf[at];
        const inward = state.flame ? "ArrowUp" : "ArrowDown", outward = state.flame ? "ArrowDown" : "ArrowUp";
        if (key === outward)
            return frames.parent[at];
        if (key === inward) {
            for (let i = frames.first[at]; i < frames.first[at + 1]; i++)
                if (isSeen(i) || frames.w[i] > frames.w[shown.zoomed])
                    return i;
            return at;
        }
        const next = at + (key === "ArrowLeft" ? -1 : 1);
        return next >= frames.rows[row] && next < frames.rows[row + 1] && isSeen(next) ? next : at;
    };

    const pressed = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        const { frames, zoomed } = shown;
        if (event.key.startsWith("Arrow"))
            select(neighbour(event.key));
        else if (event.key === "Home")
            select(zoomed);
        else if (event.key === "Enter" || event.key === " ")
            zoomTo(Math.max(0, parts.canvas.selected));
        else if (event.key === "Escape" || event.key === "Backspace")
            zoomTo(frames.parent[zoomed]);
        else
            return;
        event.preventDefault();
    };

    /* Selects the next frame that matches the search, or the previous one if BY is -1. */
    const nextMatch = (by) => {
        const { frames, match } = shown;
        if (!match)
            return;
        for (let n = 1, i = Math.max(0, parts.canvas.selected); n <= frames.count; n++) {
            i = (i + by + frames.count) % frames.count;
            if (i > 0 && match[frames.function[i]]) {
                if (!isSeen(i))
                    mprof.url.set(addressOf(frames, frames.parent[i]));
                select(i);
                return;
            }
        }
    };

    /* ---------------------------------------------------------------- pointer */

    const moved = (event) => {
        const { canvas, tip } = parts, frame = canvas.frameAt(event);
        if (frame !== canvas.hover) {
            canvas.hover = frame;
            canvas.redraw();
            canvas.canvas.style.cursor = frame >= 0 ? "pointer" : "default";
            if (frame >= 0)
                tip.replaceChildren(...flameDetails
                    .tooltip(mprof.model, shown.frames, frame, shown.figure, shown.zoomed).filter(Boolean));
        }
        tip.hidden = frame < 0 || event.pointerType === "touch";
        if (tip.hidden)
            return;
        const { innerWidth: width, innerHeight: height } = window, box = tip.getBoundingClientRect();
        const x = event.clientX + 14 + box.width > width ? event.clientX - box.width - 10 : event.clientX + 14;
        const y = event.clientY + 18 + box.height > height ? event.clientY - box.height - 10 : event.clientY + 18;
        tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
    };

    const left = () => {
        parts.tip.hidden = true;
        parts.canvas.hover = -1;
        parts.canvas.redraw();
    };

    /* Zooms to the clicked frame. If the graph is already zoomed to it, zooms to its parent. */
    const clicked = (event) => {
        const frame = parts.canvas.frameAt(event);
        if (frame >= 0)
            zoomTo(frame === shown.zoomed ? shown.frames.parent[frame] : frame);
    };

    /* ---------------------------------------------------------------- the view */

    const make = (element, model) => {
        const search = flameTools.searchField(model);
        parts = {
            tools: mprof.el("div", { class: "flame-tools" }),
            moments: mprof.el("div", { class: "flame-tools moments" }),
            crumbs: mprof.el("ol", { class: "flame-crumbs" }),
            panel: mprof.el("aside", { class: "flame-panel", "aria-label": "The chosen frame" }),
            legend: mprof.el("ul", { class: "flame-legend", "aria-label": "Legend" }),
            note: mprof.el("p", { class: "note" }),
            said: mprof.el("p", { id: "flame-said", class: "off-screen", "aria-live": "polite" }),
            tip: mprof.el("div", { id: "flame-tip", role: "tooltip", hidden: true }),
            stage: mprof.el("div", { class: "flame-stage" }),
            search,
        };
        element.append(mprof.el("h2", { class: "off-screen" }, "Flame graph"),
            mprof.el("div", { class: "flame-bar" }, parts.tools, search.element), parts.moments,
            mprof.el("nav", { "aria-label": "Zoomed to" }, parts.crumbs),
            mprof.el("div", { class: "flame-body" },
                mprof.el("div", { class: "flame-main" }, parts.stage, parts.note, parts.legend), parts.panel),
            parts.said, parts.tip);
        parts.canvas = mprof.flameCanvas(parts.stage);
        const canvas = parts.canvas.canvas;
        canvas.addEventListener("pointermove", moved);
        canvas.addEventListener("pointerleave", left);
        canvas.addEventListener("click", clicked);
        canvas.addEventListener("keydown", pressed);
        canvas.addEventListener("focus", () => select(Math.max(0, parts.canvas.selected)));
        parts.looks = flamePaint.make(model);
        flamePaint.dark.addEventListener("change", repaint);
    };

    const repaint = () => {
        parts.looks.theme = flamePaint.theme();
        show(parts.stage.closest(".view"), mprof.url.state);
    };

    /* Returns a function that gives a frame's colour in a graph of changes: grown, shrunk, or nearly unchanged. */
    const changeColour = (frames, theme) => (i) => {
        const part = frames.value[i] / (frames.w[i] * frames.weight || 1);
        return part > 0.02 ? theme.grew : part < -0.02 ? theme.shrank : theme.same;
    };

    /* Returns the text in frame I. A sign shows the direction of a change. */
    const labelOf = (model, frames, figure, i) => {
        const name = flameDetails.nameOf(model, frames, i);
        if (i === 0)
            return `all: ${mprof.changes.signed(figure, frames.total)}`;
        if (!figure.difference)
            return name;
        const became = flameDetails.became(model, frames, i, figure);
        const sign = frames.value[i] > 0 ? "+" : frames.value[i] < 0 ? "\u2212" : "=";
        return `${sign} ${name}${became === "new" || became === "gone" ? ` (${became})` : ""}`;
    };

    const note = (model, frames, figure) => {
        const said = [];
        if (frames.weight === 0)
            said.push(`Nothing to show: ${figure.label} is 0 everywhere.`);
        if (frames.left > 0)
            said.push("The outermost callers of very long chains are not drawn; fold recursion to see them.");
        if (model.estimated)
            said.push("All figures are estimates from samples.");
        said.push(...model.leftOut());
        if (figure.key === "peak" && model.peakNote())
            said.push(model.peakNote());
        if (figure.to !== undefined && !model.time.moments[figure.to].exact)
            said.push("An observer saw this moment: counters were read one after the other.");
        return said.join(" ");
    };

    const showTools = (model, figure, state) => {
        const focused = document.activeElement && document.activeElement.id;
        parts.tools.replaceChildren(flameTools.figureSelect(model, figure), flameTools.choices(state));
        const slides = focused === "flame-moment";
        if (!slides)
            parts.moments.replaceChildren(...flameTools.momentControls(model, figure));
        else
            parts.moments.querySelector("output").textContent = model.momentLabel(model.time.moments[figure.to]);
        parts.moments.hidden = parts.moments.childElementCount === 0;
        if (focused && !slides && focused.startsWith("flame-") && document.getElementById(focused))
            document.getElementById(focused).focus();
        if (document.activeElement !== parts.search.input)
            parts.search.input.value = state.search || "";
    };

    const showMatched = (frames, zoomed, match, state) => {
        const share = match ? flameTree.matched(frames, match, zoomed) : 0;
        parts.search.said.textContent = match ? `${(100 * share).toFixed(share > 0 && share < 0.1 ? 2 : 1)} % matched` : "";
        parts.search.said.hidden = !state.search;
    };

    const show = (element, state) => {
        const { model } = mprof;
        if (!parts)
            make(element, model);
        const before = shown, figure = model.figure(state.figure), frames = framesOf(model, figure, state);
        const zoomed = zoomedBy(frames, state);
        const match = before && before.state.search === state.search ? before.match : flameTools.matcher(model, state.search);
        shown = { frames, figure, zoomed, state, match };
        showTools(model, figure, state);
        showMatched(frames, zoomed, match, state);
        parts.crumbs.replaceChildren(...flameTools.breadcrumbs(model, frames, zoomed, zoomTo));
        parts.legend.replaceChildren(...flameTools.legend(model, parts.looks, figure.difference));
        parts.note.textContent = note(model, frames, figure);
        parts.canvas.show(frames, parts.looks, {
            label: (i) => labelOf(model, frames, figure, i),
            colour: figure.difference ? changeColour(frames, parts.looks.theme) : null,
            match, flame: Boolean(state.flame),
        });
        parts.canvas.canvas.setAttribute("aria-label", `Flame graph: ${figure.label}`);
        parts.canvas.resize();
        const same = before && before.frames === frames;
        if (!same || before.zoomed !== zoomed) {
            parts.canvas.zoom(zoomed, same);
            parts.canvas.selected = zoomed;
        }
        if (!same || before.zoomed !== zoomed || before.figure !== figure)
            select(parts.canvas.selected < 0 ? zoomed : parts.canvas.selected);
    };

    const flip = (key) => () => document.getElementById(`flame-${key}`).click();

    mprof.views.push({
        id: "flame", title: "Flame graph", show,
        keys: [
            { key: "ArrowUp", text: "in the graph: to caller or callee, as drawn (also \u2193)" },
            { key: "ArrowLeft", text: "in the graph: to the frame beside (also \u2192)" },
            { key: "Enter", text: "in the graph: the chosen frame at full width" },
            { key: "Escape", text: "in the graph: one out" },
            { key: "/", text: "search", run: () => parts.search.input.focus() },
            { key: "n", text: "to the next match", run: () => nextMatch(1) },
            { key: "N", text: "to the match before", run: () => nextMatch(-1) },
            { key: "r", text: "by allocating function, or by caller", run: flip("reverse") },
            { key: "c", text: "fold recursion", run: flip("fold") },
            { key: "i", text: "upwards, or downwards", run: flip("flame") },
            { key: "s", text: "skip the chosen function", run: () => mprof.skip.add(shown.frames.function[parts.canvas.selected]) },
        ],
    });
})();
