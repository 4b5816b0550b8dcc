/*
 * speedscope.js -- what speedscope's own importer reads in a file.
 *
 *     node speedscope.js PACKAGE FILE     PACKAGE: the unpacked npm package
 *
 * Prints of each profile "NAME UNIT TOTAL", and below it, each with two blanks before it, its chains, outermost call
 * first, with what they have themselves: "main;f 12".  The program in the package is one script for a page, which is
 * run without one: it gets as far as to define the importer, which the page calls loadFileFromBase64.  Exits with 3
 * if the script is not as expected.
 */
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");

const release = path.join(process.argv[2], "dist", "release");
const file = fs.readdirSync(release).find((name) => /^speedscope[-.].*js$/.test(name));
const code = file ? fs.readFileSync(path.join(release, file), "utf8") : "";
const call = /loadFileFromBase64:\(([\w$]+),([\w$]+)\)=>\{this\.loadProfile\(\(\)=>([\w$]+)\(\1,\2\)\)/.exec(code);
const start = code.indexOf("(()=>{") + "(()=>{".length;
if (!call || start > 100)
    process.exit(3);

/* Whatever the page would be asked for. */
const anything = () => new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => "" : key === "length" ? 0 : anything()),
    apply: anything, construct: anything, set: () => true,
});
const page = {
    console: { ...console, log() {} }, setTimeout, clearTimeout, performance, TextDecoder, TextEncoder, atob,
    document: anything(), localStorage: anything(), navigator: { userAgent: "", platform: "" },
    location: { hash: "", protocol: "file:", href: "" }, requestAnimationFrame() {},
};
page.window = { addEventListener() {}, location: page.location, matchMedia: anything, localStorage: page.localStorage };
page.self = page;
vm.createContext(page);
try {
    vm.runInContext(`${code.slice(0, start)}globalThis.importer=(name,text)=>${call[3]}(name,text);${code.slice(start)}`, page);
} catch (error) {
    /* where it begins to draw */
}

const print = (profile) => {
    const chains = new Map();
    const walk = (node, names) => {
        for (const child of node.children) {
            const chain = [...names, child.frame.name];
            if (child.getSelfWeight() > 0)
                chains.set(chain.join(";"), (chains.get(chain.join(";")) || 0) + child.getSelfWeight());
            walk(child, chain);
        }
    };
    process.stdout.write(`${profile.getName()} ${profile.valueFormatter.unit} ${profile.getTotalWeight()}\n`);
    walk(profile.getGroupedCalltreeRoot(), []);
    for (const [chain, weight] of chains)
        process.stdout.write(`  ${chain} ${weight}\n`);
};

page.importer(path.basename(process.argv[3]), fs.readFileSync(process.argv[3]).toString("base64")).then((group) => {
    if (!group)
        throw new Error("speedscope finds no profile");
    group.profiles.forEach(print);
}).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
});
/* SPDX-License-Identifier: MIT */
