/* The only global of the page, with functions that all modules use. */
"use strict";
const mprof = { views: [] };

(() => {
    /* Creates an element: mprof.el("a", {href: "#", class: "x", onclick: f}, "text", child ...). Texts always become
     * text nodes. */
    mprof.el = (tag, attributes = {}, ...children) => {
        const element = document.createElement(tag);
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

    /* Returns a function that requests a call of F at the next animation frame. Several requests before it give one
     * call. */
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

    /* Announces TEXT to screen readers. */
    mprof.say = (text) => {
        document.getElementById("spoken").textContent = text;
    };

    /* Copies TEXT to the clipboard and shows a message. */
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
        mprof.toast("Copied");
    };

    mprof.toast = (text) => {
        const toast = document.getElementById("spoken");
        toast.textContent = text;
        toast.classList.add("shown");
        clearTimeout(mprof.toast.timer);
        mprof.toast.timer = setTimeout(() => toast.classList.remove("shown"), 1600);
    };
})();
