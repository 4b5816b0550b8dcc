/* The one global of the page, and what all of its modules share. */
"use strict";
const mprof = { views: [] };

(() => {
    /* An element: mprof.el("a", {href: "#", class: "x", onclick: f}, "text", child ...).  Texts become
     * text nodes, whatever they are. */
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

    /* Call F at the next frame, however often it is asked for before. */
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

    /* Say TEXT to who hears the page. */
    mprof.say = (text) => {
        document.getElementById("spoken").textContent = text;
    };

    /* Copy TEXT, and say so. */
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
