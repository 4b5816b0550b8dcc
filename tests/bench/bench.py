#!/usr/bin/env python3
"""Benchmark of mprof: runs real programs bare, under mprof and under its peers, in turn.

    bench.py --build DIR --source DIR [--pairs N] [--peers "NAME..."] [WORKLOAD...]

`make bench` runs it: BENCH="example deep" selects workloads, PAIRS=5 the number of pairs, PEERS the
other profilers: heaptrack, jemalloc, gperftools, none. Each figure is the median of the ratios of N
pairs. A pair is a bare and a profiled run, one after the other, whose order changes from pair to pair.
The timed run has the library preloaded without mprof run; sealing and reporting are timed separately.
If all workloads were run, the results are written to tests/bench/RESULTS.md.
"""

import os
import shutil
import statistics
import sys
import tempfile

import peers
import scale
import workloads
from harness import Harness, chosen, markdown, parser, ratio, size, where, write

STARTS = {"true": ["true"], "python3 -c pass": ["python3", "-c", "pass"]}
START_PAIRS = 15
START_AIM = 15                  # milliseconds


class Bench(Harness):
    def __init__(self, arguments, folder):
        super().__init__(arguments, folder)
        self.peers = peers.find(arguments.peers, folder)
        self.sampling = self.knows_sampling()

    def report_time(self, path):
        runs = [self.run([self.mprof, "report", "--no-pager", path], {}) for _ in range(3)]
        return statistics.median(run.wall for run in runs)

    def workload(self, name):
        command, environment = workloads.ALL[name](self.build, self.folder)
        self.run(command, environment)                  # files into the page cache
        pairs = self.pairs_of(self.preloaded, command, environment)
        live = self.path("live.data")
        totals = self.totals(live)
        row = {
            "name": name,
            "bare": statistics.median(a.wall for a, b in pairs),
            "rss": statistics.median(a.rss for a, b in pairs),
            "slowdown": ratio(pairs, "wall"),
            "cpu": ratio(pairs, "cpu"),
            "memory": ratio(pairs, "rss"),
            "allocs": totals["allocs"],
            "contexts": totals["contexts"],
            "ns": statistics.median(b.wall - a.wall for a, b in pairs) * 1e9 / totals["allocs"],
            "live": os.stat(live).st_blocks * 512,
            "report_live": self.report_time(live),
        }
        os.unlink(live)
        self.run([self.mprof, "run", "-q", "-o", self.path("sealed.data"), "--", *command],
                 environment)
        row["sealed"] = os.stat(self.path("sealed.data")).st_size
        row["report"] = self.report_time(self.path("sealed.data"))
        if self.sampling:
            row.update(self.sampled_row(command, environment))
        row["peers"] = [peers.measure(self, peer, command, environment) for peer in self.peers]
        return row

    def sampled_row(self, command, environment):
        pairs = self.pairs_of(self.sampled, command, environment)
        return {"s_slowdown": ratio(pairs, "wall"), "s_cpu": ratio(pairs, "cpu"),
                "s_memory": ratio(pairs, "rss")}

    def start(self, name):
        """Returns the milliseconds that mprof run adds to a program that does nothing, with and without its cache."""
        def under(cache):
            def tool(command, environment):
                if cache is None:
                    shutil.rmtree(self.path("cache"), ignore_errors=True)
                run = [self.mprof, "run", "-q", "-o", self.path("start.data"), "--", *command]
                return self.run(run, {**environment, "XDG_CACHE_HOME": cache or self.path("cache")})
            return tool

        result = [name]
        for cache in (self.path("warm"), None):
            tool = under(cache)
            tool(STARTS[name], {})
            pairs = self.pairs_of(tool, STARTS[name], {}, START_PAIRS)
            result.append(statistics.median(b.wall - a.wall for a, b in pairs) * 1e3)
        return result


def mean(rows, figure):
    return statistics.geometric_mean(row[figure] for row in rows)


def mean_row(bench, rows, heads):
    cells = {"workload": "**geometric mean**", "slowdown": f"**{mean(rows, 'slowdown'):.2f}**",
             "aim": workloads.MEAN_AIM, "CPU": f"{mean(rows, 'cpu'):.2f}",
             "memory": f"{mean(rows, 'memory'):.2f}"}
    if "s_slowdown" in rows[0]:
        cells.update({"sampled": f"**{mean(rows, 's_slowdown'):.2f}**",
                      "its CPU": f"{mean(rows, 's_cpu'):.2f}"})
    for i, peer in enumerate(bench.peers):
        cells[peer.name] = f"{statistics.geometric_mean(row['peers'][i][0] for row in rows):.2f}"
    return [cells.get(head, "") for head in heads]


def table(bench, rows):
    head = ["workload", "bare, s", "resident", "allocations", "contexts", "slowdown", "aim", "CPU",
            "ns each", "memory", "memory aim", "live file", "sealed", "report, s", "of live, s"]
    if "s_slowdown" in rows[0]:
        head += ["sampled", "its CPU", "sampled memory"]
    for peer in bench.peers:
        head += [peer.name, f"{peer.name}: memory", "data"]
    lines = []
    for row in rows:
        cells = [row["name"], f"{row['bare']:.3f}", size(row["rss"] * 1024), f"{row['allocs']:,}",
                 f"{row['contexts']:,}", f"**{row['slowdown']:.2f}**",
                 workloads.AIMS.get(row["name"], ""), f"{row['cpu']:.2f}", f"{row['ns']:.0f}",
                 f"{row['memory']:.2f}", workloads.MEMORY_AIMS.get(row["name"], ""),
                 size(row["live"]), size(row["sealed"]), f"{row['report']:.2f}",
                 f"{row['report_live']:.2f}"]
        if "s_slowdown" in row:
            cells += [f"**{row['s_slowdown']:.2f}**", f"{row['s_cpu']:.2f}",
                      f"{row['s_memory']:.2f}"]
        for slowdown, memory, data in row["peers"]:
            cells += [f"{slowdown:.2f}", f"{memory:.2f}", size(data)]
        lines.append(cells)
    return markdown(head, lines + [mean_row(bench, rows, head)])


def start_section(bench):
    rows = [[f"`mprof run {name}`", f"{warm:.0f}", START_AIM, f"{cold:.0f}"]
            for name, warm, cold in (bench.start(name) for name in STARTS)]
    return ["", "What `mprof run` adds to a program that does nothing, in ms: medians of "
            f"{START_PAIRS} pairs; uncached: with an empty XDG_CACHE_HOME each time.", "",
            markdown(["command", "warm", "aim", "uncached"], rows)]


SECTIONS = {"start": start_section, "scale": scale.section}


def document(bench, rows, more, skipped):
    lines = [
        "# Results of the benchmark", "", "Written by `make bench`, never by hand.", "",
        *where(bench.source),
        f"- medians of {bench.pairs} pairs of runs, wall clock; memory is the ratio of the largest "
        "resident sets", "",
        *([table(bench, rows)] if rows else []), "",
        "slowdown, CPU, memory: profiled to bare.  resident: of the bare program.  ns each: wall "
        "clock added by each allocation with its free.",
        "live file: blocks on the disk.  report: of the sealed file; of live: symbols included."]
    if bench.sampling:
        lines.append("sampled: with `mprof run --sample`'s default, 512 KiB; aims: at most "
                     f"{workloads.SAMPLED_AIM} each, {workloads.SAMPLED_MEAN_AIM} in the mean.")
    lines += ["", *(f"- {peer.name} (pairs of runs: {min(bench.pairs, peer.pairs)}): "
                    f"{' '.join(peer.what.split())}" for peer in bench.peers)]
    lines += ["", *(f"- {row['name']}: {workloads.ALL[row['name']].__doc__}" for row in rows),
              *(f"- {name}: left out, {why}" for name, why in skipped)]
    return "\n".join(lines + more) + "\n"


def main():
    options = parser(__doc__)
    options.add_argument("--peers", default="heaptrack jemalloc", help="names, or none")
    arguments = options.parse_args()
    arguments.peers = [name for name in arguments.peers.split() if name != "none"]
    chosen(arguments.peers, peers.KNOWN)
    if arguments.pairs < 1:
        sys.exit("bench: at least one pair")
    rows, more, skipped = [], [], []
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder:
        bench = Bench(arguments, folder)
        for name in chosen(arguments.workloads, [*workloads.ALL, *SECTIONS]):
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                if name in SECTIONS:
                    more += SECTIONS[name](bench)
                else:
                    rows.append(bench.workload(name))
            except workloads.Missing as why:
                skipped.append((name, why))
                print(f"{name}: left out, {why}", file=sys.stderr)
        text = document(bench, rows, more, skipped)
    print(text, end="")
    if not arguments.workloads:
        write(bench.source, "RESULTS.md", text)


if __name__ == "__main__":
    main()
