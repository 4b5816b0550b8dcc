"""The instructions for a pair of malloc and free in each mode. Their number does not depend on the machine's load."""

import re
import subprocess

from harness import markdown

# The columns: (frames on the chain, sizes of blocks).
SHAPES = {"10 frames, 1 size": (10, 1), "8 sizes": (10, 8), "100 sizes": (10, 100), "60 frames, 1 size": (60, 1)}
MODES = {"all": {}, "--lifetimes": {"MPROF_LIFETIMES": "1"}, "--depth=16": {"MPROF_DEPTH": "16"},
         "--no-call-graph": {"MPROF_CALL_GRAPH": "0"}, "--sample": {"MPROF_SAMPLE": "524288"},
         "--stopped": {"MPROF_STOPPED": "1"}}
FEW, MANY = 2000, 12000         # pairs in two runs; the difference leaves out the higher cost of first allocations


def pair(bench, shape, environment):
    """Returns the instructions of a pair."""
    def count(pairs):
        out = bench.path("callgrind.out")
        bench.run(["valgrind", "-q", "--tool=callgrind", "--toggle-collect=make_pairs", f"--callgrind-out-file={out}",
                   f"{bench.build}/tests/programs/pairs", *map(str, (*shape, pairs, 0))], environment)
        with open(out, encoding="utf-8", errors="replace") as stream:
            return next(int(line.split()[1]) for line in stream if line.startswith("summary:"))
    return (count(MANY) - count(FEW)) / (MANY - FEW)


def section(bench, _):
    bare = {shape: pair(bench, shape, {}) for shape in SHAPES.values()}

    def row(title, environment):
        return [title, *(f"{pair(bench, shape, environment) - bare[shape]:.0f}" for shape in SHAPES.values())]

    floor = {"LD_PRELOAD": f"{bench.build}/tests/bench/floor.so"}
    # Valgrind's launcher passes the library on only if it follows exec.
    mprof = {"LD_PRELOAD": bench.library, "MPROF_FOLLOW": "1", "MPROF_FILE": bench.path("pairs.data")}
    rows = [["bare program, in all", *(f"{bare[shape]:.0f}" for shape in SHAPES.values())],
            row("added by a library that only passes calls on", {**floor, "FLOOR": "jump"}),
            row("... and counts blocks and bytes", {**floor, "FLOOR": "count"}),
            *(row(f"added by mprof: {title}", {**mprof, **mode}) for title, mode in MODES.items())]
    return ["Instructions of a pair of malloc and free, counted by callgrind, in a program that does nothing else "
            "(tests/programs/pairs). Blocks have the given number of sizes in turn.", "", *markdown(["", *SHAPES], rows)]


# Functions of tests/ecl/costs.lisp, how often each is called, its conses in a call, and what it does.
CONSES = [("conses", 5000, 1, "in a loop"), ("deep-conses", 5000, 1, "in a loop below 30 frames of recursion"),
          ("mapping", 100, 200, "in a function with which a list is mapped, and in its result"),
          ("recursion", 100, 100, "in recursion 100 deep, on its way back"),
          ("interpreted-recursion", 200, 300, "the same, interpreted"),
          ("trees", 200, 127, "in a tree of calls 7 deep, each with a chain of its own")]


def conses(bench, _):
    """Measures the instructions of a cons, bare, recorded, and in a sampled recording."""
    program = bench.path("costs.fas")
    bench.run([bench.arguments.ecl, "--norc", "--eval", f'(progn (compile-file "{bench.source}/tests/ecl/costs.lisp" '
               f':output-file "{program}") (ext:quit 0))'])
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    timed = re.search(r"\b(L\d+timed)$", symbols, re.M).group(1)
    forms = " ".join(f"(costs::{name} {calls})" for name, calls, _, _ in CONSES)

    def count(environment):
        out = bench.path("callgrind.out")
        bench.run(["valgrind", "-q", "--tool=callgrind", f"--toggle-collect={timed}", f"--dump-after={timed}",
                   f"--callgrind-out-file={out}", bench.arguments.ecl, "--norc", "--load", program, "--eval",
                   f"(costs:all '({forms}))", "--eval", "(ext:quit 0)"], environment)
        counts = []
        for i, (_, calls, n, _) in enumerate(CONSES):       # TIMED is called twice for each; the second call counts
            with open(f"{out}.{2 * i + 2}", encoding="utf-8", errors="replace") as stream:
                counts.append(next(int(line.split()[1]) for line in stream
                                   if line.startswith(("summary:", "totals:"))) / (calls * n))
        return counts

    bare = count({})
    recorded = count({"LD_PRELOAD": bench.library, "MPROF_FOLLOW": "1", "MPROF_FILE": bench.path("conses.data")})
    sampled = count({"LD_PRELOAD": bench.library, "MPROF_FOLLOW": "1", "MPROF_FILE": bench.path("conses.data"),
                     "MPROF_SAMPLE": "67108864", "MPROF_SAMPLE_SEED": "1988"})
    rows = [[text, f"{alone:.0f}", f"{both - alone:.0f}", f"{both / alone:.2f}", f"{one - alone:.0f}",
             f"{one / alone:.2f}"]
            for (_, _, _, text), alone, both, one in zip(CONSES, bare, recorded, sampled)]
    return ["Instructions of a cons of ECL, counted by callgrind (tests/ecl/costs.lisp). In a sampled recording, nearly every "
            "cons is no sample.", "",
            *markdown(["", "bare", "added", "ratio", "added, no sample", "ratio"], rows)]
# SPDX-License-Identifier: MIT
