/* SPDX-License-Identifier: MIT */
/* format.js -- formats figures and names for display. */
"use strict";
(() => {
    const grouped = (value) => (value < 0 ? "\u2212" : "") +
        Math.abs(Math.round(value)).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    const UNITS = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

    /* Formats bytes in powers of 1000, as the report does: 1023876 -> "1.02 MB". */
    const bytes = (value) => {
        let size = Math.abs(value), unit = 0;
        while (size >= 999.5 && unit < UNITS.length - 1) {
            size /= 1000;
            unit++;
        }
        const digits = unit === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
        return `${value < 0 ? "\u2212" : ""}${size.toFixed(digits)} ${UNITS[unit]}`;
    };

    /* Formats a count: 12345 -> "12,345", 12345678 -> "12.3 M". */
    const count = (value) => {
        const size = Math.abs(value), sign = value < 0 ? "\u2212" : "";
        if (size < 1e6)
            return sign + grouped(size);
        const [unit, letter] = size < 1e9 ? [1e6, "M"] : size < 1e12 ? [1e9, "G"] : [1e12, "T"];
        const short = size / unit;
        return `${sign}${short.toFixed(short >= 100 ? 0 : short >= 10 ? 1 : 2)} ${letter}`;
    };

    /* Formats PERCENT, rounded to one decimal. Only an exact 100 is shown as 100. */
    const tenths = (percent) => {
        const size = Math.abs(percent), text = size.toFixed(1);
        return `${percent < 0 ? "\u2212" : ""}${text === "100.0" && size < 100 - 1e-9 ? "99.9" : text}`;
    };

    mprof.format = {
        NO_BLOCKS: "memory that belongs to objects, which are counted where they were made",
        grouped,
        bytes,
        count,
        /* Formats VALUE in UNIT, "bytes" or "blocks", in short form. */
        value: (value, unit) => (unit === "bytes" ? bytes(value) : count(value)),
        /* Formats all digits: "1,023,876 bytes". */
        exact: (value, unit) => {
            const size = Math.abs(value), units = unit === "blocks" ? mprof.model.things : unit;
            return `${value < 0 ? "\u2212" : ""}${grouped(size)} ${size === 1 ? units.replace(/s$/, "") : units}`;
        },
        /* Formats PART of WHOLE: "12.3 %". */
        share: (part, whole) => {
            if (!whole)
                return "";
            const percent = 100 * part / whole;
            return Math.abs(percent) > 0 && Math.abs(percent) < 0.1
                ? "< 0.1 %" : `${tenths(percent)} %`;
        },
        /* Formats a time in nanoseconds: "12 ms", "1.25 s", "2 min 5 s". */
        time: (ns) => {
            if (ns < 1e6)
                return `${Math.round(ns / 1e3)} \u00b5s`;
            if (ns < 1e9)
                return `${(ns / 1e6).toFixed(ns < 1e7 ? 1 : 0)} ms`;
            if (ns < 6e10)
                return `${(ns / 1e9).toFixed(ns < 1e10 ? 2 : 1)} s`;
            if (ns < 36e11)
                return `${Math.floor(ns / 6e10)} min ${Math.floor(ns / 1e9 % 60)} s`;
            return `${Math.floor(ns / 36e11)} h ${Math.floor(ns / 6e10 % 60)} min`;
        },
        /* Replaces characters in TEXT that change the direction of writing or have no width by their codes, so that
         * names cannot look like other names. */
        name: (text) => text.replace(/[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u061c]/g,
            (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
    };
})();
