/* SPDX-License-Identifier: MIT */
/*
 * flame_tree.js -- converts the profile's nodes to the frames of a flame graph.
 *
 *     merge(model, self, collapse)    returns a tree in which calls of one function from one place are merged; with
 *                                     COLLAPSE, recursive calls are counted at the outermost call
 *     reverse(tree)                   returns a tree of the same chains, beginning at the allocating functions
 *     layout(tree)                    returns position and width of each frame, row by row
 *
 * A tree has columns by id: parent, function, inlined, node (the first node of the profile), values and weights (sums
 * including everything below). Parents precede their children, and 0 is the root. Weights determine widths. They are
 * sums of absolute values, because figures may be negative. A merged tree also has `self`, the values without children,
 * and `to`, the id by node of the profile.
 */
"use strict";
(() => {
    const MOST_STEPS = 24e6;    /* limit for reverse(); beyond it, outer callers are left out, and the page says so */

    /* The nodes of a tree. A hash table finds the node with a given parent and function. */
    class Nodes {
        constructor(most) {
            this.count = 1;
            this.parent = new Int32Array(most + 1);
            this.function = new Int32Array(most + 1);
            this.node = new Int32Array(most + 1);
            this.inlined = new Uint8Array(most + 1);
            this.mask = 1;
            while (this.mask < 2 * most)
                this.mask = 2 * this.mask + 1;
            this.slots = new Int32Array(this.mask + 1);
        }

        /* Returns the child of PARENT with function F, and adds it if needed. Returns 0 if the capacity is
         * exhausted. */
        find(parent, f, node, inlined) {
            let hash = Math.imul(parent, 0x9e3779b1) + Math.imul(f, 0x85ebca6b) | 0;
            hash = Math.imul(hash ^ hash >>> 15, 0x2c1b3c6d);
            let slot = (hash ^ hash >>> 13) & this.mask;
            for (; this.slots[slot] !== 0; slot = (slot + 1) & this.mask) {
                const id = this.slots[slot];
                if (this.parent[id] === parent && this.function[id] === f) {
                    this.inlined[id] &= inlined;
                    return id;
                }
            }
            if (this.count === this.parent.length)
                return 0;
            const id = this.count++;
            this.slots[slot] = id;
            this.parent[id] = parent;
            this.function[id] = f;
            this.node[id] = node;
            this.inlined[id] = inlined;
            return id;
        }

        /* Returns the innermost node with function F among ID and its ancestors, or 0 if none has it. */
        above(id, f) {
            while (id > 0 && this.function[id] !== f)
                id = this.parent[id];
            return id;
        }
    }

    const merge = (model, self, collapse) => {
        const { parent, function: functions, inlined, count } = model.nodes;
        const nodes = new Nodes(count);
        const to = new Int32Array(count);
        for (let i = 1; i < count; i++) {
            const caller = to[parent[i]], f = functions[i];
            to[i] = (collapse && nodes.above(caller, f)) || nodes.find(caller, f, i, inlined[i]);
        }
        nodes.to = to;
        nodes.self = new Float64Array(nodes.count);
        for (let i = 0; i < count; i++)
            nodes.self[to[i]] += self[i];
        return nodes;
    };

    /* Proceeds level by level. In each step, every chain moves to its next caller, and is assigned to a node of the new
     * tree. By chain, `at` is the node of the old tree, `from` the node that the chain began at, and `into` the node of
     * the new tree. */
    const reverse = (tree) => {
        const nodes = new Nodes(Math.max(600000, 2 * tree.count));
        let chains = [];
        nodes.self = null;
        nodes.weights = new Float64Array(nodes.parent.length);
        nodes.values = new Float64Array(nodes.parent.length);
        nodes.left = 0;
        for (let i = 1; i < tree.count; i++)
            if (tree.self[i] !== 0)
                chains.push(i);
        nodes.weights[0] = chains.reduce((sum, i) => sum + Math.abs(tree.self[i]), 0);
        nodes.values[0] = chains.reduce((sum, i) => sum + tree.self[i], 0);
        let at = Int32Array.from(chains), from = at, into = new Int32Array(at.length), steps = 0;
        while (at.length > 0) {
            let n = 0;
            const nextAt = new Int32Array(at.length), nextFrom = new Int32Array(at.length);
            const nextInto = new Int32Array(at.length);
            for (let i = 0; i < at.length; i++) {
                const id = nodes.find(into[i], tree.function[at[i]], tree.node[at[i]], tree.inlined[at[i]]);
                if (!id) {
                    nodes.left++;
                    continue;
                }
                nodes.weights[id] += Math.abs(tree.self[from[i]]);
                nodes.values[id] += tree.self[from[i]];
                if (tree.parent[at[i]] === 0)
                    continue;
                nextAt[n] = tree.parent[at[i]];
                nextFrom[n] = from[i];
                nextInto[n++] = id;
            }
            steps += at.length;
            if (steps > MOST_STEPS) {
                nodes.left += n;
                break;
            }
            at = nextAt.subarray(0, n);
            from = nextFrom.subarray(0, n);
            into = nextInto.subarray(0, n);
        }
        return nodes;
    };

    /* Computes `values` and `weights`, unless reverse() has done that. */
    const sum = (tree) => {
        if (tree.weights)
            return tree;
        tree.values = tree.self.slice();
        tree.weights = tree.self.map(Math.abs);
        for (let i = tree.count - 1; i > 0; i--) {
            tree.values[tree.parent[i]] += tree.values[i];
            tree.weights[tree.parent[i]] += tree.weights[i];
        }
        return tree;
    };

    /* Returns the children of each node, except those without weight. The children of node P are list[start[P]] to
     * list[start[P + 1] - 1], widest first. */
    const children = (tree) => {
        const start = new Int32Array(tree.count + 1);
        for (let i = 1; i < tree.count; i++)
            if (tree.weights[i] > 0)
                start[tree.parent[i] + 1]++;
        for (let i = 0; i < tree.count; i++)
            start[i + 1] += start[i];
        const list = new Int32Array(start[tree.count]), next = start.slice();
        for (let i = 1; i < tree.count; i++)
            if (tree.weights[i] > 0)
                list[next[tree.parent[i]]++] = i;
        const wider = (a, b) => tree.weights[b] - tree.weights[a] || a - b;
        for (let i = 0; i < tree.count; i++)
            if (start[i + 1] - start[i] > 1)
                list.subarray(start[i], start[i + 1]).sort(wider);
        return { start, list };
    };

    /*
     * Returns the frames in drawing order, that is, row by row, from left to right. Frame 0 is the root. Row d has the
     * frames rows[d] to rows[d + 1] - 1. Frame i has the children first[i] to first[i + 1] - 1. Positions `x` and
     * widths `w` are fractions of the root's width. `id` is the id in TREE, by frame, and `of` is the frame, or -1, by
     * id.
     */
    const layout = (tree) => {
        sum(tree);
        const { start, list } = children(tree), n = list.length + 1, whole = tree.weights[0] || 1;
        const frames = {
            count: n, tree, total: tree.values[0], weight: tree.weights[0], left: tree.left || 0,
            id: new Int32Array(n), parent: new Int32Array(n), first: new Int32Array(n + 1),
            function: new Int32Array(n), inlined: new Uint8Array(n),
            x: new Float64Array(n), w: new Float64Array(n), value: new Float64Array(n), rows: [0],
            of: new Int32Array(tree.count).fill(-1),
        };
        let row = 0, next = 1;
        for (let i = 0; i < n; i++) {
            const id = frames.id[i];
            if (i === row) {
                row = next;
                frames.rows.push(next);
            }
            frames.of[id] = i;
            frames.function[i] = tree.function[id];
            frames.inlined[i] = tree.inlined[id];
            frames.value[i] = tree.values[id];
            frames.w[i] = tree.weights[id] / whole;
            frames.first[i] = next;
            let x = frames.x[i];
            for (let c = start[id]; c < start[id + 1]; c++) {
                frames.id[next] = list[c];
                frames.parent[next] = i;
                frames.x[next++] = x;
                x += tree.weights[list[c]] / whole;
            }
        }
        frames.first[n] = n;
        frames.depth = frames.rows.length - 1;
        fixRows(frames);
        return frames;
    };

    /* Stores the row of each frame. */
    const fixRows = (frames) => {
        frames.rowOf = new Int32Array(frames.count);
        for (let d = 0; d < frames.depth; d++)
            frames.rowOf.fill(d, frames.rows[d], frames.rows[d + 1]);
    };

    /* Returns the first frame of row D that ends to the right of X. */
    const firstBehind = (frames, d, x) => {
        let low = frames.rows[d], high = frames.rows[d + 1];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (frames.x[middle] + frames.w[middle] > x)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    };

    mprof.flameTree = {
        merge, reverse, layout, firstBehind,
        /* Returns the frame of row D at X, or -1. */
        at: (frames, d, x) => {
            if (d < 0 || d >= frames.depth)
                return -1;
            const i = firstBehind(frames, d, x);
            return i < frames.rows[d + 1] && frames.x[i] <= x ? i : -1;
        },
        /* Returns the frames from the root to FRAME. */
        path: (frames, frame) => {
            const path = [frame];
            for (; frame > 0; path.push(frame))
                frame = frames.parent[frame];
            return path.reverse();
        },
        /* Returns the fraction of FRAME's width that is covered by frames whose functions have MATCH. Overlaps count
         * once. */
        matched: (frames, match, frame) => {
            const covered = new Uint8Array(frames.count), left = frames.x[frame], right = left + frames.w[frame];
            let sum = 0;
            for (let i = 0; i < frames.count; i++) {
                const hit = i > 0 && match[frames.function[i]];
                const above = i > 0 && covered[frames.parent[i]];
                covered[i] = hit || above ? 1 : 0;
                if (hit && !above)
                    sum += Math.max(0, Math.min(right, frames.x[i] + frames.w[i]) - Math.max(left, frames.x[i]));
            }
            return frames.w[frame] > 0 ? sum / frames.w[frame] : 0;
        },
    };
})();
