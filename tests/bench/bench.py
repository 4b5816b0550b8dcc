#!/usr/bin/env python3
"""Measures what mprof costs: runs programs bare, under mprof and under other profilers, in turn.

    bench.py [--pairs N] [--peers NAMES] BENCHMARK [NAME...]

The benchmarks are those of BENCHMARKS below, and NAME selects workloads. Figures are medians of the ratios of N pairs.
A pair is a bare and a profiled run, one after the other, whose order changes from pair to pair. If all workloads were
measured, the results replace the benchmark's section in tests/bench/RESULTS.md.
"""

import argparse
import datetime
import functools
import glob
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import modes
import pages
import parts
import workloads
from harness import (Bench, added, bare, each, in_pairs, markdown, on_disk, peer_cells, peers, ratio, size)

# ---------------------------------------------------------------- programs


def program(bench, others, name):
    """Returns the cells of a workload, by column."""
    command, environment = workloads.ALL[name](bench.build, bench.folder)
    bench.run(command, environment)             # files into the page cache
    pairs = bench.pairs_of(bench.preloaded, command, environment)
    totals, live = bench.totals("live.data"), bench.path("live.data")
    report = functools.partial(bench.runs, count=3)
    row = {
        "workload": f"{name}: {workloads.ALL[name].__doc__}", "bare, s": f"{bare(pairs, 'wall'):.3f}",
        "resident": size(bare(pairs, "rss") * 1024), "allocations": f"{totals['allocs']:,}",
        "contexts": f"{totals['contexts']:,}", "slowdown": ratio(pairs, "wall"), "aim": workloads.AIMS.get(name, ""),
        "CPU": ratio(pairs, "cpu"), "ns each": f"{added(pairs, 'wall') * 1e9 / totals['allocs']:.0f}",
        "memory": ratio(pairs, "rss"), "memory aim": workloads.MEMORY_AIMS.get(name, ""),
        "live file": size(on_disk(live)),
        "of live, s": f"{report([bench.mprof, 'report', '--no-pager', live]).wall:.2f}",
    }
    bench.recorded(command, environment=environment)
    sealed = bench.path("sealed.data")
    sampled = bench.pairs_of(bench.sampled, command, environment)
    row.update({
        "sealed": size(os.path.getsize(sealed)),
        "report, s": f"{report([bench.mprof, 'report', '--no-pager', sealed]).wall:.2f}",
        "sampled": ratio(sampled, "wall"), "its CPU": ratio(sampled, "cpu"), "sampled memory": ratio(sampled, "rss")})
    for peer in others:
        heads = (peer.name, f"{peer.name}: memory", f"{peer.name}: data")
        row.update(zip(heads, peer_cells(bench, peer, command, environment)))
    return row


def programs(bench, names):
    others = peers(bench.arguments.peers.split(), bench.folder)
    rows, missing = each(names, workloads.ALL, functools.partial(program, bench, others))
    heads = list(rows[0]) if rows else []
    means = {head: statistics.geometric_mean(float(row[head]) for row in rows)
             for head in ("slowdown", "CPU", "memory", "sampled", "its CPU", "sampled memory",
                          *(peer.name for peer in others)) if rows}
    rows.append({"workload": "geometric mean", **means, "aim": workloads.MEAN_AIM})
    texts = [[f"{row[head]:.2f}" if head in means and head in row else row.get(head, "") for head in heads]
             for row in rows]
    return [*markdown(heads, texts), *missing,
            "Slowdown, CPU and memory (the largest resident set): profiled to bare, by wall clock unless CPU is named. "
            "ns each: wall clock added by each allocation with its free. live file: blocks on the disk. report: of the "
            "sealed file; of live: of the live file, symbols included. sampled: with `mprof run --sample`'s default, "
            f"512 KiB; aims: at most {workloads.SAMPLED_AIM} each, {workloads.SAMPLED_MEAN_AIM} in the mean.", "",
            *(f"- {peer.name} (pairs of runs: {min(bench.pairs, peer.pairs)}) {peer.what}." for peer in others)]


def start(bench, names):
    """Measures what mprof run adds to a program that does nothing, with and without its cache."""
    def row(name):
        command, result = workloads.STARTS[name], []
        for cache in ("warm", "cold"):
            def tool(command, environment, cache=cache):
                if cache == "cold":
                    shutil.rmtree(bench.path(cache), ignore_errors=True)
                return bench.recorded(command, environment={**environment, "XDG_CACHE_HOME": bench.path(cache)})
            tool(command, {})
            result.append(f"{added(bench.pairs_of(tool, command, {}, 2 * bench.pairs + 1), 'wall') * 1e3:.0f}")
        return [f"`mprof run {name}`", result[0], workloads.START_AIM, result[1]]

    return markdown(["ms that are added", "warm", "aim", "with an empty XDG_CACHE_HOME each time"],
                    each(names, workloads.STARTS, row)[0])


def processes(bench, names):
    """Measures programs that start many short processes, each of which is recorded."""
    def row(name):
        shell, does, count, aim = workloads.PROCESSES[name]
        if not shutil.which(shell):
            raise workloads.Missing(f"there is no {shell}")
        folder = bench.path("processes")

        def tool(command, environment):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            return bench.recorded(command, "-f", environment=environment, file="processes/data")

        pairs = bench.pairs_of(tool, [shell, "-c", f"i=0; while [ $i -lt {count} ]; do {does}; i=$((i + 1)); done"], {})
        return [name, f"{ratio(pairs, 'wall'):.2f}", aim, f"{ratio(pairs, 'cpu'):.2f}",
                f"{bare(pairs, 'cpu') / count * 1e6:.0f}", f"{added(pairs, 'cpu') / count * 1e6:.0f}"]

    rows, missing = each(names, workloads.PROCESSES, row)
    return [*markdown(["under `mprof run -f`", "slowdown", "aim", "CPU", "bare, us", "added, us"], rows), *missing,
            "CPU: processor time, profiled to bare, with all that `mprof run` does; then that of each process."]


def scale(bench, names):
    """Measures the same work with twice as much data, or with more threads."""
    def row(i):
        name, arguments, what = workloads.SCALE[int(i)]
        pairs = bench.pairs_of(bench.preloaded, [f"{bench.build}/tests/programs/{name}", *arguments], {})
        allocations, live = bench.totals("live.data")["allocs"], bench.path("live.data")
        report = bench.run([bench.mprof, "report", "--no-pager", live])
        return [f"{name}: {int(arguments[0]):,} {what}", f"{bare(pairs, 'cpu') * 1e9 / allocations:.0f}",
                f"{added(pairs, 'cpu') * 1e9 / allocations:.0f}", f"{ratio(pairs, 'wall'):.2f}",
                f"{ratio(pairs, 'rss'):.2f}", size(on_disk(live)), f"{report.cpu:.2f}", size(report.rss * 1024)]

    rows, _ = each(names, [str(i) for i in range(len(workloads.SCALE))], row)
    return [*markdown(["what", "bare, ns", "added, ns", "slowdown", "memory", "live file", "report, CPU s",
                       "its memory"], rows),
            "Processor time in ns for each allocation with its free; of the report of the live file, time and memory."]


# ---------------------------------------------------------------- Lisp


def lisp_text(bench, name):
    """Returns the description of a function in work.lisp."""
    with open(f"{bench.source}/tests/bench/work.lisp", encoding="ascii") as file:
        return re.search(rf"\(defun {name} \(\)\s+\"([^\"]*)\"", file.read()).group(1)


def lisp_run(bench, form, environment=None, options=()):
    """Evaluates FORM after work.lisp and returns the run and the numbers on the last line of its output."""
    path = bench.path("work.fas")
    if not os.path.exists(path):
        source = f"{bench.source}/tests/bench/work.lisp"
        bench.run([bench.arguments.ecl, "--norc", "--eval",
                   f'(progn (compile-file "{source}" :output-file "{path}") (ext:quit 0))'])
    run = bench.run([bench.arguments.ecl, "--norc", *options, "--load", path, "--eval", form], {
        "MODULE": f"{bench.build}/lisp/mprof.fas",
        "CACHE": os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")) + "/mprof/libraries/",
        **(environment or {})}, output=bench.path("output"))
    with open(bench.path("output"), encoding="utf-8") as file:
        return run, [float(word) for word in file.read().strip().splitlines()[-1].split()]


def lisp(bench, names):
    """Measures the processor time of the work alone."""
    def timed(name, mode, environment=None):
        needs = "t" if name in workloads.LIBRARIES else "nil"
        run, (seconds,) = lisp_run(bench, f"(work::measure 'work::{name} :{mode} {needs})", environment)
        return run._replace(cpu=seconds)

    preload = {"LD_PRELOAD": bench.library, "MPROF_FILE": bench.path("preloaded.data")}

    def row(name):
        timed(name, "bare")                     # compiles the library
        pairs = {mode: in_pairs(lambda: timed(name, "bare"), tool, bench.pairs) for mode, tool in (
            ("preloaded", lambda: timed(name, "bare", preload)), ("detached", lambda: timed(name, "detached")),
            ("attached", lambda: timed(name, "attached")))}
        time_of = {mode: f"{ratio(pairs[mode], 'cpu'):.2f}" for mode in pairs}
        return [f"{name}: {lisp_text(bench, name)}", f"{bare(pairs['attached'], 'cpu'):.3f}", time_of["attached"],
                time_of["preloaded"], workloads.LISP[name], time_of["detached"],
                f"{ratio(pairs['attached'], 'rss'):.2f}", f"{on_disk(bench.path('attached.data')) / 1e6:.1f} MB"]

    rows, _ = each(names, workloads.LISP, row)
    return [*markdown(["workload", "bare, s", "attached", "preloaded", "aim", "detached", "memory", "live file"], rows),
            "Processor time of the work alone, to bare. attached: (mprof:start-profiling) in an ECL that was started "
            "without mprof; detached: after (mprof:stop-profiling). memory: largest resident sets, attached to bare."]


def snapshots(bench, names):
    """Measures how long ECL stops for a snapshot of its heap, with and without a copy of the process."""
    def facts(path):
        out = subprocess.run([bench.mprof, "heap", "--json", path], check=True, capture_output=True, text=True).stdout
        return json.loads(out)["heaps"][0]

    def row(name):
        _, collections = lisp_run(bench, f"(work::snapshots 'work::{name} {bench.pairs})",
                                  options=["--heap-size", str(8 << 30)])
        paths = {how: [bench.path(f"{how}.{i}.heap") for i in range(bench.pairs)] for how in ("place", "copy")}
        of = {how: [facts(path) for path in paths[how]] for how in paths}
        live, objects = of["copy"][0]["bytes"], of["copy"][0]["objects"]
        share = {how: 100 * os.path.getsize(paths[how][0]) / live for how in paths}
        stop = {how: statistics.median(fact["stopped_ns"] for fact in of[how]) for how in of}
        writing = statistics.median(fact["writing_ns"] for fact in of["copy"])
        return [f"{name}: {lisp_text(bench, name)}", f"{live / 1e6:,.0f}", f"{objects / 1e6:.1f}",
                f"{statistics.median(collections):.3f}", f"{stop['copy'] / 1e9:.3f}", f"{writing / 1e9:.2f}",
                f"{stop['place'] / 1e9:.2f}", f"{stop['place'] / live:.1f}", f"{stop['place'] / objects:.0f}",
                f"{share['copy']:.0f}", f"{share['place']:.0f}"]

    rows, _ = each(names, workloads.HEAPS, row)
    return [*markdown(["heap", "MB", "million objects", "full collection, s", "stop with a copy, s",
                       "the copy writes, s", "stop without a copy, s", "for a GB, s", "for an object, ns",
                       "file of a copy, %", "without, %"], rows),
            "Files are shares of the live heap, as the program writes them; `mprof run` makes them smaller when it "
            "gives them names."]


# ---------------------------------------------------------------- mprof itself


def heap(bench, names):
    """Measures time and memory of mprof heap on snapshots that are made here."""
    sys.path.insert(0, f"{bench.source}/tests/e2e")
    import heap_file                            # pylint: disable=import-outside-toplevel,import-error
    n, step, begin = bench.arguments.objects, 32, 0x100000

    def write(path, shape):
        number, writer = random.Random(1), heap_file.Writer(block=1 << 16)
        types = [writer.type(heap_file.CONS, "CONS"), writer.type(heap_file.INSTANCE, "NODE")]
        sites = [writer.site("f" if i % 2 else "g", line=i) for i in range(50)]
        for i in range(100):
            writer.root(i % 4, "", "", begin + step * (i * n // 100 if shape in ("random", "near", "wide") else 0))
        for i in range(n):
            to = workloads.SHAPES[shape][1](i, n, lambda limit: int(limit * number.random()))
            writer.object(begin + step * i, 24, types[i % 4 // 3], sites[i % 50],
                          [(slot, begin + step * k, 0) for slot, k in enumerate(to) if 0 <= k < n])
        with open(path, "wb") as file:
            file.write(writer.finish())

    def row(shape):
        path = bench.path("made.heap")
        write(path, shape)
        run = bench.runs([bench.mprof, "heap", "--no-pager", path], bench.pairs)
        return [f"{shape}: {workloads.SHAPES[shape][0]}", f"{os.path.getsize(path) / n:.1f}", f"{run.wall:.1f}",
                f"{run.cpu:.1f}", f"{run.rss * 1024 / 1e6:,.0f}", f"{run.rss * 1024 / n:.1f}"]

    rows, _ = each(names, workloads.SHAPES, row)
    return [*markdown(["heap: what an object refers to", "bytes an object in the file", "seconds", "of a processor",
                       "memory, MB", "bytes an object"], rows),
            f"`mprof heap FILE`, all its tables, of {n:,} objects of 24 bytes with 2 types, 50 sites and 100 roots. "
            "memory: the largest resident set. Aims: at most 40 bytes an object, under 30 s for 10,000,000 objects."]


def observer(bench, names):
    """Measures the observer's share of a processor while a program runs, and whether runs take longer."""
    def row(name):
        program, *arguments = workloads.OBSERVED[name]
        command = [f"{bench.build}/{program}" if "/" in program else program, *arguments]
        pairs = in_pairs(lambda: bench.recorded(command, "--timeline=off"), lambda: bench.recorded(command),
                         3 * bench.pairs)
        return [" ".join(workloads.OBSERVED[name]), f"{100 * added(pairs, 'cpu') / bare(pairs, 'wall'):.2f}",
                f"{1e3 * added(pairs, 'cpu'):.1f}", f"{100 * ratio(pairs, 'wall') - 100:.1f}"]

    rows, _ = each(names, workloads.OBSERVED, row)
    return [*markdown(["program", "% of a processor", "the same in ms", "% longer"], rows),
            "`mprof run`, compared with `mprof run --timeline=off`."]


def many(bench, names):
    """Measures mprof merge of 1,000 modified copies of a recording of the compiler proper, and a database of 50 runs
    that have the same 100,000 chains."""
    files, runs, database = 1000, 50, bench.path("runs.db")

    def cells(what, run, path=None):
        return [what, f"{run.wall:.2f}", f"{run.cpu:.2f}", f"{run.rss / 1024:.0f}",
                f"{os.path.getsize(path) / 1e6:.1f} MB" if path else ""]

    def merge():
        os.mkdir(bench.path("many"))
        bench.recorded(["gcc", "-O2", "-c", "-o", "/dev/null", f"{bench.source}/tests/bench/lists.c"], "-f",
                       "--only=cc1", file="cc1.data")
        (file,) = glob.glob(bench.path("cc1.data*"))
        bench.run([sys.executable, f"{bench.source}/tests/e2e/merge_copies.py", file, str(files), bench.path("many")])
        run = bench.run([bench.mprof, "merge", "-o", bench.path("merged.data"), bench.path("many")])
        what = f"merge of {files:,} files of {os.path.getsize(file) / 1e3:.0f} kB"
        return [cells(what, run, bench.path("merged.data"))]

    def export():
        result = []
        for i in range(1, runs + 1):
            bench.recorded([f"{bench.build}/tests/programs/contexts", "100000"])
            run = bench.run([bench.mprof, "export", "-F", "sqlite", "-o", database, f"--label=build={i}",
                             f"--label=service={i % 3}", bench.path("sealed.data")])
            if i in (1, runs):
                result.append(cells(f"run {i} into the database", run, database))
        with open(f"{bench.source}/man/mprof-sql.7", encoding="utf-8") as file:
            queries = re.findall(r"^SELECT.*?;$", file.read(), re.MULTILINE | re.DOTALL)
        questions = ("growth of a function", "types by service", "leaks of all hosts")
        for what, query in zip(questions, queries, strict=True):
            run = bench.run(["sqlite3", database, query.replace("'churn'", "'at_end'")])
            result.append(cells(f"query: {what}", run))
        return result

    known = {"merge": merge, "export": export}
    found, _ = each(names, known, lambda name: known[name]())
    return markdown(["what", "wall, s", "CPU, s", "memory, MiB", "result"], [row for rows in found for row in rows])


# ---------------------------------------------------------------- all of them

BENCHMARKS = {
    "programs": ("Programs", programs), "modes": ("Modes", modes.section), "start": ("The start of a program", start),
    "processes": ("Many short processes", processes), "scale": ("At scale", scale),
    "lisp": ("ECL", lisp), "conses": ("Conses", modes.conses), "snapshots": ("Snapshots of the heap of ECL", snapshots),
    "heap": ("mprof heap", heap), "observer": ("The observer", observer), "many": ("Many files", many),
    "html": ("Pages", pages.section), "parts": ("Where the time goes", parts.section),
}


def where(bench):
    """Returns when and where this was measured."""
    commit = subprocess.run(["git", "-C", bench.source, "describe", "--always", "--dirty"], capture_output=True,
                            text=True, check=False).stdout.strip() or "none"
    return (f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC, commit {commit}, "
            f"{os.cpu_count()} processors, Linux {platform.release()}, {' '.join(platform.libc_ver())}")


def replace_section(path, title, text):
    """Replaces the section TITLE of the file PATH, which begins with a line of its own."""
    with open(path, encoding="utf-8") as file:
        head, *sections = file.read().split("\n## ")
    known = dict((section.split("\n", 1) for section in sections))
    known[title] = "\n" + text
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n## ".join([head, *(f"{name}\n{known[name].rstrip()}\n" for name in known)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=".")
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "../.."))
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--peers", default="heaptrack jemalloc", help="other profilers, or none")
    parser.add_argument("--ecl", default="ecl")
    parser.add_argument("--objects", type=int, default=10_000_000, help="of the heaps of mprof heap")
    parser.add_argument("benchmark", choices=BENCHMARKS)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.pairs < 1:
        sys.exit("bench: at least one pair")
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder:
        bench = Bench(arguments, folder)
        title, measure = BENCHMARKS[arguments.benchmark]
        how = "." if measure in (modes.section, modes.conses) else f"; medians of {bench.pairs} pairs."
        text = "\n".join([where(bench) + how, "", *measure(bench, arguments.names)])
    print(text)
    if not arguments.names:
        replace_section(f"{bench.source}/tests/bench/RESULTS.md", title, text)


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: MIT
