/* SPDX-License-Identifier: MIT */
/*
 * flame_canvas.js -- draws the flame graph. The canvas has the size of the visible part and stays in place while an
 * element with the height of the whole graph scrolls.
 *
 *     const canvas = mprof.flameCanvas(element);
 *     canvas.show(frames, looks, {label, colour, match, flame});
 *     canvas.zoom(frame, moving)      shows FRAME at full width; the movement is animated if MOVING is set
 *     canvas.frameAt(event)           returns the frame at the pointer, or -1
 *
 * label(i) is the text of a frame. colour(i), which may be null, is its colour in a graph of changes. `match` has a
 * flag for each function that the search matches, or is null without a search. `flame` is whether callees are above
 * callers.
 *
 * Only frames in visible rows are visited. Neighbouring frames narrower than 1.5 pixels are drawn together.
 */
"use strict";
(() => {
    /* Pixels, except MOVEMENT, which is milliseconds. Frames up to LEAST_TEXT wide have no text. */
    const ROW = 22, GAP = 1, LEAST_TEXT = 26, MOVEMENT = 180;
    const FONT = "12px ui-sans-serif, system-ui, -apple-system, 'Segoe UI', sans-serif";
    const still = matchMedia("(prefers-reduced-motion: reduce)");

    class FlameCanvas {
        constructor(element) {
            this.space = mprof.el("div", { class: "flame-space" });
            this.canvas = mprof.el("canvas", {
                id: "flame-canvas", tabindex: "0", role: "application", "aria-roledescription": "flame graph",
                "aria-describedby": "flame-said",
            });
            this.scroller = mprof.el("div", { class: "flame-scroller" }, this.canvas, this.space);
            element.append(this.scroller);
            this.redraw = mprof.soon(() => this.draw());
            this.scroller.addEventListener("scroll", this.redraw);
            new ResizeObserver(() => this.resize()).observe(this.scroller);
            this.left = 0;
            this.right = 1;
            this.hover = this.selected = -1;
        }

        show(frames, looks, options) {
            const same = this.frames === frames && this.options && this.options.flame === options.flame;
            this.frames = frames;
            this.looks = looks;
            this.options = options;
            if (!same) {
                this.hover = -1;
                this.fitHeight();
            }
            this.redraw();
        }

        fitHeight() {
            const height = this.frames.depth * ROW + 2;
            this.space.style.height = `${height}px`;
            this.scroller.style.setProperty("--rows", `${height}px`);
        }

        resize() {
            const { clientWidth: width, clientHeight: height } = this.scroller;
            const ratio = devicePixelRatio || 1;
            if (width === 0 || (this.width === width && this.height === height && this.ratio === ratio))
                return;
            Object.assign(this, { width, height, ratio });
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.canvas.style.width = `${width}px`;
            this.canvas.style.height = `${height}px`;
            this.space.style.marginTop = `${-height}px`;
            if (this.frames)
                this.draw();
        }

        /* Returns the position of the top edge of row D in the scrolled element, in pixels. */
        top(d) {
            return this.options.flame ? (this.frames.depth - 1 - d) * ROW : d * ROW;
        }

        rowAt(y) {
            const row = Math.floor((y + this.scroller.scrollTop) / ROW);
            return this.options.flame ? this.frames.depth - 1 - row : row;
        }

        frameAt(event) {
            const box = this.canvas.getBoundingClientRect();
            const x = this.left + (event.clientX - box.left) / this.width * (this.right - this.left);
            return this.frames ? mprof.flameTree.at(this.frames, this.rowAt(event.clientY - box.top), x) : -1;
        }

        /* Returns the visible rectangle of FRAME on the canvas. */
        box(frame) {
            const scale = this.width / (this.right - this.left);
            const from = Math.max(0, (this.frames.x[frame] - this.left) * scale);
            const to = Math.min(this.width, (this.frames.x[frame] + this.frames.w[frame] - this.left) * scale);
            return { x: from, w: to - from, y: this.top(this.frames.rowOf[frame]) - this.scroller.scrollTop, h: ROW - GAP };
        }

        zoom(frame, moving) {
            const to = [this.frames.x[frame], this.frames.x[frame] + this.frames.w[frame]];
            const from = [this.left, this.right], start = performance.now(), run = {};
            this.movement = run;
            this.bringIntoView(frame);
            if (!moving || still.matches) {
                [this.left, this.right] = to;
                this.redraw();
                return;
            }
            const step = (now) => {
                if (this.movement !== run)
                    return;
                const part = Math.min(1, Math.max(0, (now - start) / MOVEMENT)), eased = 1 - (1 - part) ** 3;
                this.left = from[0] + (to[0] - from[0]) * eased;
                this.right = from[1] + (to[1] - from[1]) * eased;
                this.draw();
                if (part < 1)
                    requestAnimationFrame(step);
            };
            requestAnimationFrame(step);
        }

        /* Scrolls so that the row of FRAME and some of its callers are visible. */
        bringIntoView(frame) {
            const top = this.top(this.frames.rowOf[frame]), margin = Math.min(3 * ROW, this.height / 3 || 0);
            const scroller = this.scroller;
            if (top < scroller.scrollTop + (this.options.flame ? 0 : margin))
                scroller.scrollTop = top - margin;
            else if (top + ROW > scroller.scrollTop + scroller.clientHeight - (this.options.flame ? margin : 0))
                scroller.scrollTop = top + ROW - scroller.clientHeight + margin;
        }

        draw() {
            if (!this.width || !this.frames)
                return;
            const context = this.canvas.getContext("2d");
            context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
            context.clearRect(0, 0, this.width, this.height);
            context.font = FONT;
            context.textBaseline = "middle";
            const rows = [this.rowAt(0), this.rowAt(this.height - 1)].sort((a, b) => a - b);
            for (let d = Math.max(0, rows[0]); d <= Math.min(this.frames.depth - 1, rows[1]); d++)
                this.drawRow(context, d);
            this.drawOutlines(context);
        }

        drawRow(context, d) {
            const { frames, left, right } = this, { x, w } = frames, end = frames.rows[d + 1];
            const scale = this.width / (right - left), y = this.top(d) - this.scroller.scrollTop;
            let from = -1, to = 0;
            const flush = () => {
                if (from < 0)
                    return;
                context.fillStyle = this.looks.theme.small;
                context.fillRect(from, y, Math.max(0.5, to - from), ROW - GAP);
                from = -1;
            };
            for (let i = mprof.flameTree.firstBehind(frames, d, left); i < end && x[i] < right; i++) {
                const a = (x[i] - left) * scale, b = (x[i] + w[i] - left) * scale;
                if (b - a >= 1.5) {
                    flush();
                    this.drawFrame(context, i, Math.max(0, a), Math.min(this.width, b), y);
                } else if (from >= 0 && a - to < 1) {
                    to = b;
                } else {
                    flush();
                    [from, to] = [a, b];
                }
            }
            flush();
        }

        drawFrame(context, i, from, to, y) {
            const { frames, looks, options } = this, f = frames.function[i], w = Math.max(1, to - from - GAP);
            const faded = options.match && !(i > 0 && options.match[f]);
            const box = { x: from, y, w, h: ROW - GAP };
            context.globalAlpha = faded ? 0.28 : 1;
            if (i === 0)
                this.drawRoot(context, box);
            else
                mprof.flamePaint.frame(context, looks, f, frames.inlined[i], box, options.colour && options.colour(i));
            if (w > LEAST_TEXT) {
                const round = looks.style.lisp[f] ? 5 : 0;
                context.globalAlpha = faded ? 0.6 : 1;
                context.fillStyle = looks.theme.text;
                context.fillText(mprof.flamePaint.fit(context, options.label(i), w - 10 - 2 * round), from + 5 + round, y + ROW / 2);
            }
            context.globalAlpha = 1;
        }

        drawRoot(context, box) {
            mprof.flamePaint.outline(context, box.x, box.y, box.w, box.h, false);
            context.fillStyle = this.looks.theme.small;
            context.fill();
        }

        drawOutlines(context) {
            for (const [frame, width] of [[this.hover, 1.5], [this.selected, 2.5]]) {
                if (frame < 0 || frame >= this.frames.count)
                    continue;
                const box = this.box(frame);
                if (box.w <= 0)
                    continue;
                const inset = width / 2;
                mprof.flamePaint.outline(context, box.x + inset, box.y + inset, Math.max(1, box.w - GAP - width),
                    box.h - width, this.looks.style.lisp[this.frames.function[frame]]);
                context.strokeStyle = frame === this.selected ? this.looks.theme.accent : this.looks.theme.text;
                context.lineWidth = width;
                context.stroke();
            }
        }
    }

    mprof.flameCanvas = (element) => new FlameCanvas(element);
})();
