#!/usr/bin/env python3
"""Shows where the time of malloc and free goes: instructions of each part of the monitor.

    parts.py --build DIR --source DIR [--pairs N] [WORKLOAD...]

`make bench-parts` runs it. callgrind counts each instruction of the library. Debug information shows
the functions, including inlined ones, and the source line of an instruction; PARTS assigns them to a
part, or to "other" if no row matches. Nanoseconds are measured by leaving parts out: they are the
processor time added to the bare program's, as medians of pairs of runs; --pairs 0 omits them. If all
workloads were run, the results are written to tests/bench/PARTS.md.
"""

import os
import re
import statistics
import sys
import tempfile
from collections import Counter, namedtuple

import workloads
from callgrind import OPTIONS, instructions, of_object, resolve
from harness import Harness, chosen, markdown, parser, where, write

# An instruction belongs to the part of the first rule that matches. A rule has regular expressions for the
# file (relative to the source directory), the function and the text of the line, all of which must match. The
# rules are tried for each frame of an instruction, first for the innermost inlined function, then for the
# function into which it was inlined. So a helper without a rule belongs to the part of its caller.
Part = namedtuple("Part", "name what rules")
Rule = namedtuple("Rule", "file function text", defaults=("", ""))
PARTS = [
    Part("peak", "the cell's stamp, the total, its batches", [
        Rule(r"record/counter", r"touch|grow|shrink|commit|sole|recount|saved"),
        Rule(r"record/counter|runtime/allocations", "", r"epoch|to_peak|pending\b|pending_bytes|stamp|saved")]),
    Part("bins", "blocks by exact size", [
        Rule(r"record/counter", r"counter_bin"),
        Rule(r"record/counter|runtime/allocations", "", r"counter_bin|bins\[|large_|BIN_LARGE")]),
    Part("give back", "shadow pages behind the heap's end", [
        Rule(r"record/block_trim"), Rule(r"runtime/allocations", "", r"frees_left")]),
    Part("object word", "shadow memory: cell and size of each block", [
        Rule(r"record/(block_table|shadow)"),
        Rule(r"runtime/allocations", r"put_object|put_in_place|unseen"),
        Rule(r"runtime/allocations", "", r"region|MP_BLOCK_|record = ")]),
    Part("gate", "get in and out of the monitor", [
        Rule(r"session/activation|session/nested|system/(thread|gate)"),
        Rule(r"record/recorder", r"pending_work|is_current"),
        Rule(r"runtime/allocations", "", r"self|_enter|_leave|pending_work")]),
    Part("cell", "find the cell of context and kind; count", [
        Rule(r"record/(counter|cell)"), Rule(r"runtime/allocations", r"mp_(count|take|last)_")]),
    Part("sampling", "the bytes left until the next sample", [Rule(r"sampl")]),
    Part("compare", "find the remembered frame; compare its words", [
        Rule(r"unwind/chain_known\.h"),
        Rule(r"unwind/chain", r"find_difference|first_difference|same_registers|deep_"),
        Rule(r"unwind/chain", r"^mp_chain_(memoised|capture)", "different|cached->sp|limit|memo")]),
    Part("walk", "step through frames by rules", [
        Rule(r"unwind/(rule_step|cfi|machine.*\.c)"), Rule(r"unwind/code(_table)?\.h"),
        Rule(r"unwind/chain", r"replay|proven_fp|interpreted|stepped_limit"),
        Rule(r"unwind/chain", r"^mp_chain_(memoised|unmemoised|capture)|capture")]),
    Part("remember", "frames and words for the next comparison", [
        Rule(r"unwind/chain_known\.c"), Rule(r"unwind/chain", r"remember|put_|memo_of|find_memo|grow|prepare")]),
    Part("node", "find or make the context", [Rule(r"record/(cct|id_map|fold)")]),
    Part("hook", "the call itself, to the allocator and to the monitor", [
        Rule(r"c-bridge/(hooks|next)"), Rule(r"runtime/(allocations|monitor|sizeclass)")]),
    Part("new code", "rules of return addresses met for the first time", [
        Rule(r"unwind/(eh_|rule\.c|code|module|startup|unwind|chain_unmem)"),
        Rule(r"runtime/(language|heap)")]),
    Part("space", "records, recorders and tables: room for them", [
        Rule(r"runtime/store"), Rule(r"record/(recorder|pool)"),
        Rule(r"system/(place|sys|mapped).*\.c")]),
    Part("start and end", "once in a process, or in a thread", [
        Rule(r"runtime/(session|system|api).*\.c"), Rule(r"^c-bridge/")]),
]
MODES = {"stopped": {"MPROF_STOPPED": "1"}, "depth 1": {"MPROF_DEPTH": "1"}, "all": {}}


def bignum(build, folder):
    """Runs bignum with 3 integers."""
    return [workloads.bignum(build, folder)[0][0], "3"], {}


def minimiser(build, folder):
    """Runs minimiser with 6 functions."""
    return [workloads.minimiser(build, folder)[0][0], "6"], {}


def pairs(build, _):
    """Runs 500,000 pairs of malloc and free in a loop, with sizes from 16 to 143."""
    return [f"{build}/tests/programs/threads", "500000", "1"], {}


ALL = {"pairs": pairs, "example": workloads.example, "bignum": bignum, "minimiser": minimiser,
       "deep": workloads.deep, "trees": workloads.trees, "python": workloads.python,
       "sqlite": workloads.sqlite}


class Parts(Harness):
    def __init__(self, arguments, folder):
        super().__init__(arguments, folder)
        self.texts = {}
        self.modes = dict(MODES)
        if self.knows_sampling():
            self.modes["sampled"] = {"MPROF_SAMPLE": "524288"}

    def callgrind(self, command, environment, preload):
        """Returns the instructions of a run by object and address."""
        out = self.path("callgrind.out")
        command = ["valgrind", "-q", *OPTIONS, f"--callgrind-out-file={out}", *command]
        if preload:             # valgrind's launcher must hand the library on
            environment = {**environment, "LD_PRELOAD": self.library, "MPROF_FOLLOW": "1",
                           "MPROF_FILE": self.path("valgrind.data")}
        self.run(command, environment)
        with open(out, encoding="utf-8", errors="replace") as stream:
            return instructions(stream)

    def text(self, path, line):
        """Returns a line of a source file of mprof."""
        if path not in self.texts:
            try:
                with open(os.path.join(self.source, path), encoding="utf-8") as stream:
                    self.texts[path] = stream.read().splitlines()
            except OSError:
                self.texts[path] = []
        lines = self.texts[path]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def part_of(self, frames):
        for frame in frames:
            path = os.path.relpath(os.path.join(self.build, frame.file), self.source)
            text = self.text(path, frame.line)
            for part in PARTS:
                for rule in part.rules:
                    if re.search(rule.file, path) and re.search(rule.function, frame.function) \
                            and re.search(rule.text, text):
                        return part.name
        return "other"

    def split(self, counts):
        """Returns the instructions of the library by part, and those of other objects under None."""
        inside = of_object(counts, self.library)
        result = Counter({None: sum(counts.values()) - sum(inside.values())})
        for address, frames in resolve(self.library, inside).items():
            result[self.part_of(frames)] += inside[address]
        return result

    def count(self, name):
        """Returns (allocations, bare, by part) of a workload, the last two as instructions for each allocation."""
        command, environment = ALL[name](self.build, self.folder)
        bare = sum(self.callgrind(command, environment, False).values())
        parts = self.split(self.callgrind(command, environment, True))
        self.preloaded(command, environment)
        allocations = self.totals(self.path("live.data"))["allocs"]
        return allocations, bare / allocations, {k: n / allocations for k, n in parts.items()}

    def nanoseconds(self, name, allocations):
        """Returns the processor time that each mode adds to the bare program's, in ns for each allocation."""
        command, environment = ALL[name](self.build, self.folder)
        result = []
        for mode in self.modes.values():
            runs = self.pairs_of(self.preloaded_with(mode), command, environment)
            result.append(statistics.median(b.cpu - a.cpu for a, b in runs) * 1e9 / allocations)
        bare = statistics.median(a.cpu for a, b in runs) * 1e9 / allocations
        return [bare, *result]

    def preloaded_with(self, mode):
        return lambda command, environment: self.preloaded(command, {**environment, **mode})


def part_table(names, counts):
    rows = []
    for part, what in [*((p.name, p.what) for p in PARTS), ("other", "what no row claims")]:
        figures = [counts[name][2].get(part, 0) for name in names]
        if part == "other" or any(figures):
            rows.append([f"{part}: {what}", *(f"{n:.1f}" for n in figures)])
    library = [sum(n for part, n in counts[name][2].items() if part) for name in names]
    outside = [counts[name][2][None] - counts[name][1] for name in names]
    rows.append(["**all of the library**", *(f"**{n:.1f}**" for n in library)])
    rows.append(["more elsewhere: loader, libc, the allocator", *(f"{n:.1f}" for n in outside)])
    rows.append(["the bare program", *(f"{counts[name][1]:.1f}" for name in names)])
    rows.append(["allocations", *(f"{counts[name][0]:,}" for name in names)])
    return markdown(["part", *names], rows)


def time_section(bench, times):
    rows = [[name, *(f"{n:.1f}" for n in figures)] for name, figures in times.items()]
    return ["Nanoseconds of processor time that are added for each allocation with its free, medians "
            f"of {bench.pairs} pairs.", "stopped: the hooks alone (MPROF_STOPPED=1); depth 1: chains "
            "of one frame, unwound without the memo; all: everything recorded.", "",
            markdown(["workload", "bare", *bench.modes], rows), ""]


def document(bench, names, counts, times):
    return "\n".join([
        "# Where the time goes", "", "Written by `make bench-parts`, never by hand.", "",
        *where(bench.source), "",
        "Instructions of each part for each allocation with its free, counted by callgrind:", "",
        part_table(names, counts), "", *(time_section(bench, times) if times else []),
        *(f"- {name}: {ALL[name].__doc__}" for name in names)]) + "\n"


def main():
    arguments = parser(__doc__).parse_args()
    counts, times, names = {}, {}, []
    with tempfile.TemporaryDirectory(prefix="mprof-parts.") as folder:
        bench = Parts(arguments, folder)
        for name in chosen(arguments.workloads, ALL):
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                counts[name] = bench.count(name)
                if bench.pairs > 0:
                    times[name] = bench.nanoseconds(name, counts[name][0])
                names.append(name)
            except workloads.Missing as why:
                print(f"{name}: left out, {why}", file=sys.stderr)
        text = document(bench, names, counts, times)
    print(text, end="")
    if not arguments.workloads:
        write(bench.source, "PARTS.md", text)


if __name__ == "__main__":
    main()
