"""Measures what takes the time of malloc and free: the instructions of each source file of the monitor, and modes."""

import os
import subprocess
import sys
from collections import Counter

import workloads
from harness import added, each, markdown

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))

from callgrind import OPTIONS, instructions, of_object  # noqa: E402 pylint: disable=wrong-import-position,import-error

MODES = {"stopped": {"MPROF_STOPPED": "1"}, "depth 1": {"MPROF_DEPTH": "1"}, "all": {},
         "sampled": {"MPROF_SAMPLE": "524288"}}
FEW = 25                        # source files with fewer instructions for each allocation share a row


def count(bench, command, environment):
    """Returns the instructions of a run by object and address."""
    out = bench.path("callgrind.out")
    bench.run(["valgrind", "-q", *OPTIONS, f"--callgrind-out-file={out}", *command], environment)
    with open(out, encoding="utf-8", errors="replace") as stream:
        return instructions(stream)


def source_files(path, addresses, root):
    """Returns {address: source file, relative to ROOT}, from debug information, of the innermost inlined function."""
    text = subprocess.run(["addr2line", "-a", "-e", path], input="\n".join(map(hex, addresses)), capture_output=True,
                          text=True, check=True).stdout.splitlines()
    files = [place.rpartition(":")[0] for place in text[1::2]]
    return {int(address, 16): os.path.relpath(file, root) if file.strip("?") else "not known"
            for address, file in zip(text[::2], files)}


def parts_of(bench, make):
    """Returns a workload's figures for each allocation: the bare program's instructions, the monitor's by file, and for
    each mode the nanoseconds of processor time that it adds."""
    command, environment = make(bench.build, bench.folder)
    alone = sum(count(bench, command, environment).values())
    inside = of_object(count(bench, command, {      # valgrind's launcher must pass the library on
        **environment, "LD_PRELOAD": bench.library, "MPROF_FOLLOW": "1", "MPROF_FILE": bench.path("valgrind.data")}),
        bench.library)
    bench.preloaded(command, environment)
    allocations, files = bench.totals("live.data")["allocs"], Counter()
    for address, file in source_files(bench.library, inside, bench.source).items():
        files[file] += inside[address] / allocations
    times = [added(bench.pairs_of(lambda command, more, mode=mode: bench.preloaded(command, {**more, **mode}),
                                  command, environment), "cpu") * 1e9 / allocations for mode in MODES.values()]
    return alone / allocations, files, times


def section(bench, names):
    known = workloads.SHORT
    found, missing = each(names, known, lambda name: (name, parts_of(bench, known[name])))
    all_files = sum((files for _, (_, files, _) in found), Counter())
    shown = [file for file, n in all_files.most_common() if n / len(found) >= FEW]

    def row(title, figure):
        return [title, *(f"{figure(parts):.1f}" for _, parts in found)]

    rows = [row(file, lambda parts, file=file: parts[1][file]) for file in shown]
    rows += [row("other files", lambda parts: sum(n for file, n in parts[1].items() if file not in shown)),
             row("all of the library", lambda parts: sum(parts[1].values())),
             row("the bare program", lambda parts: parts[0])]
    times = [row(mode, lambda parts, i=i: parts[2][i]) for i, mode in enumerate(MODES)]
    heads = [name for name, _ in found]
    return ["Instructions for each allocation with its free, counted by callgrind, by source file; functions that are "
            "inlined count in their own file:", "", *markdown(["file", *heads], rows),
            "Nanoseconds of processor time that are added for each allocation with its free. stopped: the hooks alone "
            "(MPROF_STOPPED=1); depth 1: chains of one frame, unwound without the memo; all: everything recorded.", "",
            *markdown(["mode", *heads], times), *missing]
# SPDX-License-Identifier: MIT
