#!/usr/bin/env python3
"""Benchmark of mprof: real programs bare, under mprof and under heaptrack, in turn.

    bench.py --build DIR --source DIR [--pairs N] [--heaptrack no] [WORKLOAD...]

`make bench` runs it: BENCH="example deep" chooses workloads, PAIRS=5 the number of pairs,
HEAPTRACK=no leaves heaptrack out.  Each figure is the median of the ratios of N pairs, a bare and
a profiled run one after the other, the order changing from pair to pair.  The timed run is what
the library costs in the program (LD_PRELOAD); sealing and reporting are timed on their own.
With all workloads the results are written to tests/bench/RESULTS.md.
"""

import argparse
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

import workloads

AIMS = {"example": 1.4, "deep": 15, "threads": 2.5, "sqlite": 1.2, "python": 1.5, "jq": 1.15,
        "cc1": 1.2}


class Run:
    """One measured run: seconds of wall clock, peak memory in KiB."""

    def __init__(self, line):
        wall, user, system, self.rss, status = (int(word) for word in line.split())
        self.wall = wall / 1e9
        self.cpu = (user + system) / 1e9
        self.status = status


class Bench:
    def __init__(self, arguments, folder):
        self.build = os.path.abspath(arguments.build)
        self.source = os.path.abspath(arguments.source)
        self.pairs = arguments.pairs
        self.folder = folder
        self.measure = f"{self.build}/tests/bench/measure"
        self.mprof = f"{self.build}/mprof"
        self.library = f"{self.build}/.libs/libmprof.so"
        self.heaptrack = shutil.which("heaptrack") if arguments.heaptrack != "no" else None
        for path in (self.measure, self.mprof, self.library):
            if not os.path.exists(path):
                sys.exit(f"bench: {path} was not built")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, environment, expected=0):
        variables = [f"{name}={value}" for name, value in environment.items()]
        result = subprocess.run([self.measure, *variables, *command], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, check=True, cwd=self.folder)
        run = Run(result.stdout)
        if expected is not None and run.status != expected:
            sys.exit(f"bench: {command[0]} ended with status {run.status}: {result.stderr}")
        return run

    def bare(self, command, environment):
        return self.run(command, environment)

    def under_mprof(self, command, environment):
        return self.run(command, {**environment, "LD_PRELOAD": self.library,
                                  "MPROF_FILE": self.path("live.data")})

    def under_heaptrack(self, command, environment):
        for name in os.listdir(self.folder):
            if name.startswith("heaptrack."):
                os.unlink(self.path(name))
        return self.run([self.heaptrack, *command], environment)

    def compare(self, tool, command, environment, pairs):
        """Pairs of (bare, profiled) runs."""
        result = []
        for i in range(pairs):
            if i % 2 == 0:
                a = self.bare(command, environment)
                b = tool(command, environment)
            else:
                b = tool(command, environment)
                a = self.bare(command, environment)
            result.append((a, b))
        return result

    def totals(self, path):
        text = subprocess.run([self.mprof, "totals", path], capture_output=True, text=True,
                              check=True).stdout
        return {name: int(value) for name, value in (line.split() for line in text.splitlines())}

    def report_time(self, path):
        runs = [self.run([self.mprof, "report", "--no-pager", path], {}) for _ in range(3)]
        return statistics.median(run.wall for run in runs)

    def workload(self, name):
        command, environment = workloads.ALL[name](self.build, self.folder)
        self.bare(command, environment)                 # files into the page cache
        pairs = self.compare(self.under_mprof, command, environment, self.pairs)
        totals = self.totals(self.path("live.data"))
        live = os.stat(self.path("live.data"))
        row = {
            "name": name,
            "bare": statistics.median(a.wall for a, b in pairs),
            "slowdown": statistics.median(b.wall / a.wall for a, b in pairs),
            "cpu": statistics.median(b.cpu / a.cpu for a, b in pairs if a.cpu > 0),
            "memory": statistics.median(b.rss / a.rss for a, b in pairs),
            "allocs": totals["allocs"],
            "ns": statistics.median(b.wall - a.wall for a, b in pairs) * 1e9 / totals["allocs"],
            "live": live.st_blocks * 512,
            "report_live": self.report_time(self.path("live.data")),
        }
        os.unlink(self.path("live.data"))
        self.run([self.mprof, "run", "-q", "-o", self.path("sealed.data"), "--", *command],
                 environment)
        row["sealed"] = os.stat(self.path("sealed.data")).st_size
        row["report"] = self.report_time(self.path("sealed.data"))
        if self.heaptrack:
            row.update(self.heaptrack_row(command, environment))
        return row

    def heaptrack_row(self, command, environment):
        pairs = self.compare(self.under_heaptrack, command, environment, min(self.pairs, 3))
        data = [name for name in os.listdir(self.folder) if name.startswith("heaptrack.")]
        return {
            "h_slowdown": statistics.median(b.wall / a.wall for a, b in pairs),
            "h_memory": statistics.median(b.rss / a.rss for a, b in pairs),
            "h_data": sum(os.stat(self.path(name)).st_size for name in data),
        }


def size(count):
    if count < 1024 * 1024:
        return f"{count / 1024:.1f} KB"
    return f"{count / 1024 / 1024:.1f} MB"


def table(rows, heaptrack):
    head = ["workload", "bare, s", "allocations", "slowdown", "aim", "CPU", "ns each", "memory",
            "live file", "sealed", "report, s", "of live, s"]
    if heaptrack:
        head += ["heaptrack", "its memory", "its data"]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for row in rows:
        cells = [row["name"], f"{row['bare']:.3f}", f"{row['allocs']:,}",
                 f"**{row['slowdown']:.2f}**", f"{AIMS.get(row['name'], '')}", f"{row['cpu']:.2f}",
                 f"{row['ns']:.0f}", f"{row['memory']:.2f}", size(row["live"]),
                 size(row["sealed"]), f"{row['report']:.2f}", f"{row['report_live']:.2f}"]
        if heaptrack:
            cells += [f"{row['h_slowdown']:.2f}", f"{row['h_memory']:.2f}", size(row["h_data"])]
        lines.append(cells)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def first_match(path, prefix):
    try:
        with open(path, encoding="utf-8") as stream:
            for line in stream:
                if line.startswith(prefix):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "not known"


def commit(source):
    result = subprocess.run(["git", "-C", source, "describe", "--always", "--dirty"],
                            capture_output=True, text=True, check=False)
    return result.stdout.strip() or "no commit"


def document(bench, rows, skipped):
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    lines = [
        "# Results of the benchmark",
        "",
        "Written by `make bench`, never by hand.",
        "",
        f"- {today}, commit {commit(bench.source)}",
        f"- {first_match('/proc/cpuinfo', 'model name')}, {os.cpu_count()} processors, "
        f"{first_match('/proc/meminfo', 'MemTotal')}",
        f"- Linux {platform.release()}, {' '.join(platform.libc_ver())}",
        f"- medians of {bench.pairs} pairs of runs (heaptrack: {min(bench.pairs, 3)}), wall clock; "
        "memory is the ratio of the largest resident sets",
        "",
        table(rows, bench.heaptrack),
        "slowdown, CPU, memory: profiled to bare.  ns each: wall clock added by each allocation "
        "with its free.",
        "live file: blocks on the disk.  report: of the sealed file; of live: symbols included.",
        "heaptrack: `heaptrack PROGRAM`, as a user runs it; its start-up and its second process "
        "count." if bench.heaptrack else "heaptrack: not measured.",
        "",
    ]
    for name in (row["name"] for row in rows):
        lines.append(f"- {name}: {workloads.ALL[name].__doc__}")
    lines += [f"- {name}: left out, {why}" for name, why in skipped]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=".")
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "../.."))
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--heaptrack", default="yes", choices=["yes", "no"])
    parser.add_argument("workloads", nargs="*")
    arguments = parser.parse_args()
    names = arguments.workloads or list(workloads.ALL)
    for name in names:
        if name not in workloads.ALL:
            sys.exit(f"bench: no workload {name}; there are {' '.join(workloads.ALL)}")
    if arguments.pairs < 1:
        sys.exit("bench: at least one pair")
    rows, skipped = [], []
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder:
        bench = Bench(arguments, folder)
        for name in names:
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                rows.append(bench.workload(name))
            except workloads.Missing as why:
                skipped.append((name, why))
                print(f"{name}: left out, {why}", file=sys.stderr)
        text = document(bench, rows, skipped)
    print(text, end="")
    if not arguments.workloads:
        path = os.path.join(bench.source, "tests/bench/RESULTS.md")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        print(f"bench: written to {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
