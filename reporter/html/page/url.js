/* SPDX-License-Identifier: MIT */
/*
 * url.js -- mprof.url, the state of the page. It is stored behind # in the address, so that a link shows the same.
 *
 *     mprof.url.state                     {view, figure, node, search, ...}; all values are texts
 *     mprof.url.set({node: "12"})         changes some values; "" or null removes one
 *     mprof.url.set(changes, true)        the same without a step in the browser's history
 *     mprof.url.listen(f)                 calls f() after each change
 */
"use strict";
(() => {
    const listeners = [];
    const url = { state: {} };

    const parse = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    const write = (state) => `#${new URLSearchParams(state)}`;

    const isCurrent = (state) => write(state) === write(url.state);

    const become = (state) => {
        url.state = state;
        for (const listener of listeners)
            listener();
    };

    const changedBy = (changes) => {
        const state = { ...url.state };
        for (const [key, value] of Object.entries(changes)) {
            if (value === "" || value === null || value === undefined)
                delete state[key];
            else
                state[key] = String(value);
        }
        return state;
    };

    url.set = (changes, replace = false) => {
        const state = changedBy(changes);
        if (isCurrent(state))
            return;
        history[replace ? "replaceState" : "pushState"](null, "", write(state));
        become(state);
    };

    /* Returns the address for the state after CHANGES, for href. */
    url.link = (changes) => write(changedBy(changes));
    url.listen = (listener) => listeners.push(listener);
    url.start = () => {
        const follow = () => isCurrent(parse()) || become(parse());
        addEventListener("popstate", follow);
        addEventListener("hashchange", follow);
        url.state = parse();
    };
    mprof.url = url;
})();
