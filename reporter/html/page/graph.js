/*
 * graph.js -- the function graph: who allocated, and on whose behalf, by the rules of the call graph table.
 *
 * A byte is credited once to a function and once to an arc, however often they recur on its chain.  So of
 * each node only this matters: whether it is the first on its chain of its function, of its arc.  These
 * are found once, and then every figure is summed by them.
 *
 *     mprof.graph.self(values), total(values): by function, of figures by node (its own alone)
 *     mprof.graph.arcs(values), called, calling, root: the same by arc, and of a function by what it is to arcs
 *     mprof.graph.group(keys, n): the same of any other grouping of nodes, e.g. by module
 *
 * Where the page has not all nodes, sums.js has the sums.
 */
"use strict";
(() => {
    const NONE = -1;

    /* ------------------------------------------------------------ walks */

    /* Nodes as a walk meets them, each with all below it in one piece, and how deep they are. */
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

    /* By node: is it the first of its key on its chain?  Of those without a key it is not. */
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

    function sumWhere(flags, keys, values, n) {
        const sums = new Float64Array(n);

        for (let i = 0; i < keys.length; i++)
            if (keys[i] !== NONE && (!flags || flags[i]))
                sums[keys[i]] += values[i];
        return sums;
    }

    /* Figures of nodes and of all below them: callers come before their callees. */
    function inclusive(up, values) {
        const sums = Float64Array.from(values);

        for (let i = sums.length - 1; i > 0; i--)
            sums[up[i]] += sums[i];
        return sums;
    }

    /* ------------------------------------------------------------ arcs */

    /* Arcs are numbered as they are met, behind those that are KNOWN, as pairs; in is by callee, out by caller. */
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

    /* Functions that call each other, directly or not: Tarjan's algorithm with a stack of its own.
     * By function the number of its cycle, from 1; 0: it is in none. */
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

    /* A chain enters a cycle once: over an arc from outside, or it begins there. */
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

    /* UP: parents of nodes, of which 0 is the root; FUNCTIONOF: their functions, of N; KNOWN: see findArcs(). */
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
            /* How often a function is on chains beyond the first time, once per allocation. */
            recur(sums) {
                return sumWhere(firstFunction.map(flag => flag ^ 1), keys, sums, n);
            },
            group(of, count) {
                const flags = firsts(walk, of, count);

                return {
                    self: values => sumWhere(null, of, values, count),
                    total: sums => sumWhere(flags, of, sums, count),
                };
            },
            /* Numbered by the bytes that were allocated on their behalf, most first: ARCS by arc, ROOT by function. */
            cycles(bytesOfArcs, bytesOfRoots) {
                return cycles = cycles || numberCycles(findCycles(arcs, n), this, bytesOfArcs, bytesOfRoots);
            },
        };
    }

    /* ------------------------------------------------------------ sums that are kept */

    let graph = null;
    const kept = new Map();

    /* What MAKE answers, once for each KEY. */
    function once(key, make) {
        if (!kept.has(key))
            kept.set(key, make());
        return kept.get(key);
    }

    /* Figures are others now: those of another thread. */
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

    /* How many keys WHAT has. */
    const count = what => what === "arcs" ? structure().n_arcs : structure().n;

    /* WHAT (self, total, arcs, called, calling, root, recur) of FIGURE, a key of the model's. */
    function sums(what, figure) {
        return once(what + " " + figure, () => mprof.sums.of(what, figure, undefined, count(what)) ||
            structure()[what](what === "self" ? mprof.model.self(figure) : mprof.model.inclusive(figure)));
    }

    /* The same of cells of kinds that KEEP(kind) is true of; KEY names them. */
    function sumsOf(what, figure, key, keep) {
        const selfOf = () => {
            const { cells, nodes } = mprof.model, values = cells[figure], self = new Float64Array(nodes.count);

            for (let i = 0; i < values.length; i++)
                if (keep(cells.kind[i]))
                    self[cells.node[i]] += values[i];
            return self;
        };

        return once("kind " + what + " " + key + " " + figure, () =>
            mprof.sums.of(what, figure, keep, count(what)) || structure()[what](what === "self" ? selfOf()
                : once("kind " + key + " " + figure, () => inclusive(mprof.model.nodes.parent, selfOf()))));
    }

    const cycles = () => structure().cycles(sums("arcs", "bytes"), sums("root", "bytes"));

    mprof.graph = { make: makeGraph, structure, sums, sumsOf, cycles, once, forget, inclusive };
})();
