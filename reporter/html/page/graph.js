/* SPDX-License-Identifier: MIT */
/*
 * graph.js -- the function graph: which functions allocated, and on whose behalf, as in the call graph table.
 *
 * An arc is a call from one function to another. A byte is credited once to a function and once to an arc, however
 * often they occur on its chain. Therefore each node is marked if it is the first node of its function, or of its arc,
 * on its chain. These marks are computed once and used for the sums of all figures.
 *
 *     mprof.graph.structure()        the graph of the page's nodes
 *     mprof.graph.sums(what, figure) sums by function (self, total, called, calling, root, recur) or by arc (arcs)
 *     graph.group(of, count)         the same for another grouping of nodes, for example by module
 *
 * sums.js provides the sums of figures that have tables.
 */
"use strict";
(() => {
    const NONE = -1;

    /* ------------------------------------------------------------ walks */

    /* Returns the nodes in preorder, and their depths. */
    function walkOrder(up) {
        const n = up.length, child = new Int32Array(n), sibling = new Int32Array(n);
        const order = new Int32Array(n), depth = new Int32Array(n);

        for (let i = n - 1; i > 0; i--) {
            sibling[i] = child[up[i]];
            child[up[i]] = i;
        }
        for (let at = 0, node = 0; at < n; at++) {
            order[at] = node;
            depth[node] = node === 0 ? 0 : depth[up[node]] + 1;
            if (child[node]) {
                node = child[node];
                continue;
            }
            while (node !== 0 && !sibling[node])
                node = up[node];
            node = sibling[node];
        }
        return { order, depth, deepest: depth.reduce((a, b) => Math.max(a, b), 0) };
    }

    /* Returns, by node, whether it is the first with its key on its chain. Nodes without a key are not. */
    function firsts(walk, keys, n) {
        const on = new Int32Array(n), path = new Int32Array(walk.deepest + 1);
        const first = new Uint8Array(keys.length);
        let length = 0;

        for (const node of walk.order) {
            for (; length > walk.depth[node]; length--)
                if (path[length - 1] !== NONE)
                    on[path[length - 1]]--;
            const key = keys[node];
            path[length++] = key;
            if (key !== NONE)
                first[node] = on[key]++ === 0 ? 1 : 0;
        }
        return first;
    }

    /* Returns, by key less than N, the sum of VALUES, which are by node. With FLAGS, sums up only nodes with a flag. */
    function sumWhere(flags, keys, values, n) {
        const sums = new Float64Array(n);

        for (let i = 0; i < keys.length; i++)
            if (keys[i] !== NONE && (!flags || flags[i]))
                sums[keys[i]] += values[i];
        return sums;
    }

    /* Returns, by node, the sum of its value and of all values below it. Callers come before their callees. */
    function inclusive(up, values) {
        const sums = Float64Array.from(values);

        for (let i = sums.length - 1; i > 0; i--)
            sums[up[i]] += sums[i];
        return sums;
    }

    /* ------------------------------------------------------------ arcs */

    /* Numbers the arcs: first the arcs in KNOWN, a list of pairs of caller and callee, then others in the order of
     * nodes. Returns, by arc, `caller` and `callee`; `into`, lists of arcs by callee; `out`, lists of arcs by caller;
     * and `of`, arcs by node. */
    function findArcs(up, functionOf, nFunctions, known) {
        const ids = new Map(), of = new Int32Array(up.length).fill(NONE), caller = [], callee = [];
        const into = [], out = [];

        function find(from, to) {
            const key = from * nFunctions + to;
            let id = ids.get(key);

            if (id === undefined) {
                id = caller.length;
                ids.set(key, id);
                caller.push(from);
                callee.push(to);
                (into[to] = into[to] || []).push(id);
                (out[from] = out[from] || []).push(id);
            }
            return id;
        }

        for (const [from, to] of known)
            find(from, to);
        for (let i = 1; i < up.length; i++)
            if (up[i] !== 0)
                of[i] = find(functionOf[up[i]], functionOf[i]);
        return { of, caller, callee, into, out, n: caller.length };
    }

    /* ------------------------------------------------------------ cycles */

    /* Finds cycles of functions that call each other, directly or indirectly, by Tarjan's algorithm for strongly
     * connected components, with an explicit stack. Returns `of`, the number of the cycle by function, which is 0
     * outside of cycles, and `members`, lists of functions by cycle. */
    function findCycles(arcs, n) {
        const index = new Int32Array(n), low = new Int32Array(n), next = new Int32Array(n);
        const onStack = new Uint8Array(n), of = new Int32Array(n), members = [[]];
        const stack = [], calls = [];
        let count = 0;

        function enter(f) {
            index[f] = low[f] = ++count;
            stack.push(f);
            onStack[f] = 1;
            calls.push(f);
        }

        function leave(f) {
            calls.pop();
            if (calls.length) {
                const above = calls[calls.length - 1];

                low[above] = Math.min(low[above], low[f]);
            }
            if (low[f] !== index[f])
                return;
            const found = stack.splice(stack.lastIndexOf(f));

            for (const g of found) {
                onStack[g] = 0;
                if (found.length > 1)
                    of[g] = members.length;
            }
            if (found.length > 1)
                members.push(found);
        }

        for (let root = 0; root < n; root++) {
            if (index[root])
                continue;
            enter(root);
            while (calls.length) {
                const f = calls[calls.length - 1], out = arcs.out[f] || [];

                if (next[f] === out.length) {
                    leave(f);
                    continue;
                }
                const g = arcs.callee[out[next[f]++]];

                if (!index[g])
                    enter(g);
                else if (onStack[g])
                    low[f] = Math.min(low[f], index[g]);
            }
        }
        return { of, members };
    }

    /* Renumbers the cycles FOUND by findCycles() by descending bytes. A cycle's bytes are those of the arcs that enter
     * it, plus those of chains that begin in it, because a chain enters a cycle at most once. ARCS and ROOT are sums of
     * bytes by arc and by function. */
    function numberCycles(found, graph, arcs, root) {
        const totals = found.members.map(() => 0);

        graph.callee.forEach((to, arc) => {
            if (found.of[to] !== found.of[graph.caller[arc]])
                totals[found.of[to]] += arcs[arc];
        });
        found.of.forEach((cycle, f) => totals[cycle] += root[f]);
        const order = totals.map((_, i) => i).slice(1).sort((a, b) => totals[b] - totals[a] || a - b);
        const number = [0];

        order.forEach((old, i) => number[old] = i + 1);
        return { of: found.of.map(old => number[old]), members: [[], ...order.map(old => found.members[old])] };
    }

    /* ------------------------------------------------------------ the graph */

    /* Makes the graph of nodes. UP is the parent by node; node 0 is the root. FUNCTIONOF is the function by node, less
     * than N. KNOWN is as for findArcs(). */
    function makeGraph(up, functionOf, n, known) {
        const walk = walkOrder(up), arcs = findArcs(up, functionOf, n, known);
        const keys = Int32Array.from(functionOf), asCaller = new Int32Array(up.length).fill(NONE);
        const asCallee = new Int32Array(up.length).fill(NONE), asRoot = new Int32Array(up.length).fill(NONE);
        let cycles = null;

        keys[0] = NONE;
        for (let i = 1; i < up.length; i++)
            if (up[i] === 0) {
                asRoot[i] = keys[i];
            } else if (keys[up[i]] !== keys[i]) {
                asCaller[i] = keys[up[i]];
                asCallee[i] = keys[i];
            }
        const firstFunction = firsts(walk, keys, n), firstArc = firsts(walk, arcs.of, arcs.n);
        const firstCaller = firsts(walk, asCaller, n), firstCallee = firsts(walk, asCallee, n);

        return {
            n, n_arcs: arcs.n, caller: arcs.caller, callee: arcs.callee,
            into: f => arcs.into[f] || [], out: f => arcs.out[f] || [],
            inclusive: values => inclusive(up, values),
            self: values => sumWhere(null, keys, values, n),
            total: sums => sumWhere(firstFunction, keys, sums, n),
            arcs: sums => sumWhere(firstArc, arcs.of, sums, arcs.n),
            calling: sums => sumWhere(firstCaller, asCaller, sums, n),
            called: sums => sumWhere(firstCallee, asCallee, sums, n),
            root: sums => sumWhere(null, asRoot, sums, n),
            /* Sums up the nodes that are not the first of their functions. */
            recur: sums => sumWhere(firstFunction.map(flag => flag ^ 1), keys, sums, n),
            group(of, count) {
                const flags = firsts(walk, of, count);

                return {
                    self: values => sumWhere(null, of, values, count),
                    total: sums => sumWhere(flags, of, sums, count),
                };
            },
            /* Returns the cycles, numbered by the bytes allocated on their behalf, the largest first. */
            cycles(bytesOfArcs, bytesOfRoots) {
                return cycles = cycles || numberCycles(findCycles(arcs, n), this, bytesOfArcs, bytesOfRoots);
            },
        };
    }

    /* ------------------------------------------------------------ sums that are kept */

    let graph = null;
    const kept = new Map();

    /* Returns the result of MAKE(), which is called once for each KEY. */
    function once(key, make) {
        if (!kept.has(key))
            kept.set(key, make());
        return kept.get(key);
    }

    /* Drops all sums, because another thread was chosen. */
    function forget() {
        kept.clear();
        graph = null;
    }

    function structure() {
        const model = mprof.model;

        graph = graph || makeGraph(model.nodes.parent, model.nodes.function, model.functions.count,
            model.sums ? model.sums.arcs : []);
        return graph;
    }

    /* Returns the number of keys of WHAT. */
    const count = what => what === "arcs" ? structure().n_arcs : structure().n;

    /* Returns an array of sums of FIGURE, a key in the model, by function or arc. WHAT selects the sums: self, total,
     * arcs, called, calling, root or recur. structure() has a function of this name, which computes them. */
    function sums(what, figure) {
        return once(what + " " + figure, () => mprof.sums.of(what, figure, undefined, count(what)) ||
            structure()[what](what === "self" ? mprof.model.self(figure) : mprof.model.inclusive(figure)));
    }

    /* Like sums(), but only for cells whose kind satisfies KEEP(kind). KEY identifies the set of kinds in the
     * cache. */
    function sumsOf(what, figure, key, keep) {
        const { cells, sumCells } = mprof.model, selfOf = () => sumCells(figure, i => keep(cells.kind[i]));

        return once("kind " + what + " " + key + " " + figure, () =>
            mprof.sums.of(what, figure, keep, count(what)) || structure()[what](what === "self" ? selfOf()
                : once("kind " + key + " " + figure, () => inclusive(mprof.model.nodes.parent, selfOf()))));
    }

    const cycles = () => structure().cycles(sums("arcs", "bytes"), sums("root", "bytes"));

    mprof.graph = { structure, sums, sumsOf, cycles, once, forget, inclusive };
})();
