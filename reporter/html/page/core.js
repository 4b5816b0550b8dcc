/* SPDX-License-Identifier: MIT */
/* core.js -- the only global of the page, with functions that all scripts use. */
"use strict";
const mprof = { views: [] };

(() => {
    const fill = (element, attributes, children) => {
        for (const [key, value] of Object.entries(attributes)) {
            if (key.startsWith("on"))
                element.addEventListener(key.slice(2), value);
            else if (value === true)
                element.setAttribute(key, "");
            else if (value !== false && value !== null && value !== undefined)
                element.setAttribute(key, value);
        }
        element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
        return element;
    };

    /* Creates an element: mprof.el("a", {href: "#", class: "x", onclick: f}, "text", child ...). Texts always become
     * text nodes. svg() creates an element of SVG. */
    mprof.el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
    mprof.svg = (tag, attributes = {}, ...children) =>
        fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

    mprof.button = (text, action, style) => mprof.el("button", { type: "button", class: style, onclick: action }, text);

    /* Returns the view that the address selects. */
    mprof.view = () => mprof.views.find((view) => view.id === mprof.url.state.view) || mprof.views[0];

    /* Returns a function that requests a call of F at the next animation frame. Several requests before that frame
     * cause one call. */
    mprof.soon = (f) => {
        let asked = false;
        return () => {
            if (asked)
                return;
            asked = true;
            requestAnimationFrame(() => {
                asked = false;
                f();
            });
        };
    };

    let timer = 0;              /* of the message that copy() shows */

    /* Copies TEXT to the clipboard. Shows a message, which screen readers announce. */
    mprof.copy = async (text) => {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            const area = mprof.el("textarea", { class: "off-screen" }, text);
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
        }
        const spoken = document.getElementById("spoken");
        spoken.textContent = "Copied";
        spoken.classList.add("shown");
        clearTimeout(timer);
        timer = setTimeout(() => spoken.classList.remove("shown"), 1600);
    };

    /* Returns a button that copies the result of TEXT(). */
    mprof.copier = (text) => mprof.button("Copy as text", () => mprof.copy(text()), "copy");
})();
