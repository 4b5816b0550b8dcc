"""Classes and functions of all benchmarks: measured runs of a built tree, pairs of runs, and tables."""

import ctypes.util
import os
import shutil
import statistics
import subprocess
import sys
from collections import namedtuple

import workloads

SAMPLE = 524288                 # bytes: the default of mprof run --sample

# The environment is the same each time, because its size determines where a program's stack begins.
ENVIRONMENT = {name: os.environ.get(name, "/") for name in ("HOME", "PATH")}

# One measured run: seconds of wall clock and of processors, peak memory in KiB.
Run = namedtuple("Run", "wall cpu rss")


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.pairs = arguments, folder, arguments.pairs
        self.build, self.source = os.path.abspath(arguments.build), os.path.abspath(arguments.source)
        self.measure = f"{self.build}/tests/bench/measure"
        self.mprof = f"{self.build}/mprof"
        self.library = f"{self.build}/.libs/libmprof.so"
        for path in (self.measure, self.mprof, self.library):
            if not os.path.exists(path):
                sys.exit(f"bench: {path} was not built")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, environment=None, output="/dev/null"):
        variables = [f"{name}={value}" for name, value in (environment or {}).items()]
        result = subprocess.run([self.measure, *variables, "-o", output, *command], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, check=True, cwd=self.folder, env=ENVIRONMENT)
        *figures, status = map(float, result.stdout.split())
        if status != 0:
            sys.exit(f"bench: {command[0]} ended with status {status:.0f}: {result.stderr}")
        return Run(*figures)

    def runs(self, command, count):
        """Returns the medians of COUNT runs."""
        runs = [self.run(command) for _ in range(count)]
        return Run(*map(statistics.median, zip(*runs)))

    def preloaded(self, command, environment):
        """Runs COMMAND with the library only, which leaves live.data: measures the cost in the program."""
        return self.run(command, {**environment, "LD_PRELOAD": self.library, "MPROF_FILE": self.path("live.data")})

    def sampled(self, command, environment):
        return self.preloaded(command, {**environment, "MPROF_SAMPLE": SAMPLE})

    def recorded(self, command, *options, environment=None, file="sealed.data"):
        """Runs COMMAND under mprof run and returns the run. The data file is FILE."""
        return self.run([self.mprof, "run", "-q", *options, "-o", self.path(file), "--", *command], environment)

    def pairs_of(self, tool, command, environment, count=None):
        """Returns pairs of a bare run and one with the tool."""
        return in_pairs(lambda: self.run(command, environment), lambda: tool(command, environment), count or self.pairs)

    def totals(self, name):
        result = subprocess.run([self.mprof, "totals", self.path(name)], capture_output=True, text=True, check=True)
        return {key: int(value) for key, value in (line.split() for line in result.stdout.splitlines())}


def in_pairs(bare, other, count):
    """Returns COUNT pairs of results of both functions. The order of the calls changes from pair to pair."""
    pairs = []
    for i in range(count):
        second = other() if i % 2 else None
        first = bare()
        pairs.append((first, second if i % 2 else other()))
    return pairs


def ratio(pairs, figure):
    """Returns the median of the ratios of a figure of Run."""
    return statistics.median(getattr(b, figure) / getattr(a, figure) for a, b in pairs if getattr(a, figure) > 0)


def added(pairs, figure):
    """Returns the median of the differences of a figure of Run."""
    return statistics.median(getattr(b, figure) - getattr(a, figure) for a, b in pairs)


def bare(pairs, figure):
    return statistics.median(getattr(a, figure) for a, _ in pairs)


def size(count):
    return f"{count / 1024:.1f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MB"


def on_disk(path):
    return os.stat(path).st_blocks * 512


def markdown(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return ["| " + " | ".join(str(cell) for cell in cells) + " |" for cells in lines] + [""]


def chosen(names, known):
    for name in names:
        if name not in known:
            sys.exit(f"bench: there is no {name}; there are {' '.join(known)}")
    return names or list(known)


def each(names, known, measure):
    """Returns the results of MEASURE(name) for NAMES, by default for all of KNOWN, and lines about those that are
    unavailable here."""
    results, missing = [], []
    for name in chosen(names, known):
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            results.append(measure(name))
        except workloads.Missing as why:
            missing.append(f"- {name}: left out, {why}")
    return results, missing


# ---------------------------------------------------------------- other profilers

# Another profiler. COMMAND precedes the program's command. BASE is the environment of the run without profiling, and
# PROFILING what is added to it. PAIRS is the maximum number of pairs. All data files begin with "peer.".
Peer = namedtuple("Peer", "name what command base profiling pairs")


def peers(names, folder):
    """Returns the profilers of NAMES that are installed. jemalloc is compared with runs that have its allocator."""
    heaptrack, jemalloc = shutil.which("heaptrack"), ctypes.util.find_library("jemalloc")
    known = {
        "heaptrack": heaptrack and Peer(
            "heaptrack", "records every allocation, with chains of at most 64 frames; as a user runs it, so that its "
            "start-up and its second process count", [heaptrack, "-o", f"{folder}/peer.heaptrack"], {}, {}, 3),
        "jemalloc": jemalloc and Peer(
            "jemalloc", "samples every 512 KiB and writes a profile at the end", [], {"LD_PRELOAD": jemalloc},
            {"MALLOC_CONF": f"prof:true,prof_final:true,lg_prof_sample:{SAMPLE.bit_length() - 1},"
                            f"prof_prefix:{folder}/peer.jemalloc"}, 5),
        "none": None,
    }
    return [known[name] for name in chosen(names, known) if known[name]]


def peer_cells(bench, peer, command, environment):
    """Returns slowdown, memory, and size of the data."""
    def files():
        return [bench.path(name) for name in os.listdir(bench.folder) if name.startswith("peer.")]

    def tool(command, environment):
        for path in files():
            os.unlink(path)
        return bench.run([*peer.command, *command], {**environment, **peer.profiling})

    pairs = bench.pairs_of(tool, command, {**environment, **peer.base}, min(bench.pairs, peer.pairs))
    data = sum(map(os.path.getsize, files()))
    return [ratio(pairs, "wall"), f"{ratio(pairs, 'rss'):.2f}", size(data)]
# SPDX-License-Identifier: MIT
