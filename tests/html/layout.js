/*
 * layout.js -- returns a list of sentences about faults in the layout of the page's visible text.
 *
 * Text is cut if it is wider than the box that clips it. A name may end in an ellipsis if an element around it has the
 * whole name as its title. Texts overlap if their boxes do, unless they are on different layers. A layer is an element
 * with a background that is sticky, fixed or absolute.
 */
(function () {
    "use strict";
    const wrong = [];

    /* Returns the text of ELEMENT with its tag and class, for messages. */
    function said(element) {
        return "'" + element.textContent.trim().slice(0, 40) + "' (" + element.tagName.toLowerCase() +
            (element.className && element.className.baseVal === undefined ? "." + element.className : "") + ")";
    }

    function isHidden(element) {
        for (let e = element; e; e = e.parentElement) {
            const style = getComputedStyle(e);

            if (style.visibility === "hidden" || style.display === "none" || style.opacity === "0" ||
                style.clipPath !== "none" || e.getAttribute("aria-hidden") === "true" && e.tagName === "CANVAS")
                return true;
        }
        return false;
    }

    /* Returns the part of RECT that no ancestor of ELEMENT clips, or null if there is none. */
    function shown(rect, element) {
        let { left, top, right, bottom } = rect;

        for (let e = element; e && e !== document.body; e = e.parentElement) {
            const style = getComputedStyle(e);

            if (style.overflowX === "visible" && style.overflowY === "visible")
                continue;
            const box = e.getBoundingClientRect();
            left = Math.max(left, box.left);
            right = Math.min(right, box.right);
            top = Math.max(top, box.top);
            bottom = Math.min(bottom, box.bottom);
        }
        return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : null;
    }

    /* Returns the layer that ELEMENT is on, or null. */
    function layerOf(element) {
        for (let e = element; e; e = e.parentElement) {
            const style = getComputedStyle(e);

            if (["sticky", "fixed", "absolute"].includes(style.position) &&
                style.backgroundColor !== "rgba(0, 0, 0, 0)")
                return e;
        }
        return null;
    }

    /* Returns whether the text that BOX clips ends in an ellipsis and can be read as a title. */
    function isShortened(box, element) {
        return getComputedStyle(box).textOverflow === "ellipsis" && element.closest("[title]");
    }

    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, element = node.parentElement;

        if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "TITLE"].includes(element.tagName) ||
            isHidden(element))
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) {
            const part = shown(rect, element);

            if (part && part.right > 0 && part.left < innerWidth && part.bottom > 0 && part.top < innerHeight)
                texts.push({ element, rect, part, layer: layerOf(element) });
        }
    }

    for (const element of new Set(texts.map(t => t.element)))
        for (let e = element; e && e !== document.body; e = e.parentElement) {
            const style = getComputedStyle(e);

            if (["auto", "scroll"].includes(style.overflowX))
                break;
            if (!["hidden", "clip"].includes(style.overflowX))
                continue;
            if (e.scrollWidth > e.clientWidth + 1 && !isShortened(e, element))
                wrong.push("cut: " + said(element) + ", " + e.scrollWidth + " in " + e.clientWidth);
            break;
        }
    for (const button of document.querySelectorAll("button, select, summary, label"))
        if (button.getClientRects().length && !isHidden(button) && button.scrollWidth > button.clientWidth + 1 &&
            getComputedStyle(button).display !== "inline" && !isShortened(button, button))
            wrong.push("cut: " + said(button));
    for (const t of texts)
        if (t.part.right > innerWidth + 1 || t.part.left < -1)
            wrong.push("beyond the window: " + said(t.element));
    if (document.documentElement.scrollWidth > innerWidth + 1)
        wrong.push("the page is " + document.documentElement.scrollWidth + " wide");

    /* Sorts texts by their upper edges, so that only neighbours are compared. */
    texts.sort((a, b) => a.part.top - b.part.top);
    for (let i = 0; i < texts.length; i++)
        for (let j = i + 1; j < texts.length && texts[j].part.top < texts[i].part.bottom - 2; j++) {
            const a = texts[i], b = texts[j];
            const wide = Math.min(a.part.right, b.part.right) - Math.max(a.part.left, b.part.left);
            const high = Math.min(a.part.bottom, b.part.bottom) - Math.max(a.part.top, b.part.top);

            if (wide > 2 && high > 3 && a.layer === b.layer && a.element !== b.element)
                wrong.push("overlap: " + said(a.element) + " and " + said(b.element));
        }
    return wrong.slice(0, 20);
}())
/* SPDX-License-Identifier: MIT */
