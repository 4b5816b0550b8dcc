"""The rows of the benchmark about scale: the same work with twice as much data, or with more threads."""

import os
import statistics

from harness import markdown, ratio, size

# Program, arguments, and what the first argument counts.
ROWS = [("contexts", ["500000"], "chains, two blocks on each"),
        ("contexts", ["1000000"], "chains, two blocks on each"),
        ("live_blocks", ["5000000"], "blocks live at a time"),
        ("live_blocks", ["10000000"], "blocks live at a time"),
        ("threads", ["2000000", "2"], "pairs in each of 2 threads"),
        ("threads", ["62500", "64"], "pairs in each of 64 threads"),
        ("handover", ["4000000", "2"], "blocks that another of 2 threads frees"),
        ("handover", ["4000000", "64"], "blocks that another of 64 threads frees")]
PAIRS = 5


def row(bench, program, arguments, what):
    """Returns one row: processor time for each allocation with its free, bare and recorded."""
    command = [f"{bench.build}/tests/programs/{program}", *arguments]
    pairs = bench.pairs_of(bench.preloaded, command, {}, min(bench.pairs, PAIRS))
    live = bench.path("live.data")
    allocations = bench.totals(live)["allocs"]
    bare = statistics.median(a.cpu for a, b in pairs) * 1e9 / allocations
    added = statistics.median(b.cpu - a.cpu for a, b in pairs) * 1e9 / allocations
    report = bench.run([bench.mprof, "report", "--no-pager", live], {})
    return [f"{program}: {int(arguments[0]):,} {what}", f"{bare:.0f}", f"{added:.0f}",
            f"{ratio(pairs, 'wall'):.2f}", f"{ratio(pairs, 'rss'):.2f}",
            size(os.stat(live).st_blocks * 512), f"{report.cpu:.2f}", size(report.rss * 1024)]


def section(bench):
    rows = [row(bench, *each) for each in ROWS]
    return ["", "At scale: processor time in ns for each allocation with its free, by medians of "
            f"{min(bench.pairs, PAIRS)} pairs; of the report of the live file, time and memory.", "",
            markdown(["what", "bare, ns", "added, ns", "slowdown", "memory", "live file",
                      "report, CPU s", "its memory"], rows)]
