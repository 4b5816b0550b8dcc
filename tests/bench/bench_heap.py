"""Measures time and memory of mprof heap on snapshots that heap_made makes: medians of several runs."""
import os
import statistics
import subprocess
import tempfile

import harness

# The shapes of heap_made: to what objects refer.
SHAPES = {
    "list": "the next one: one list",
    "back": "the next one, and the head of the list",
    "tree": "two children, and the parent",
    "near": "two objects nearby",
    "wide": "four objects nearby",
    "random": "two objects anywhere",
}

# Bytes for each object, and seconds, that mprof heap should not exceed with ten million objects.
MOST_BYTES = 40
MOST_SECONDS = 30


def measure(bench, shape, objects):
    path = bench.path(f"{shape}.heap")
    subprocess.run([f"{bench.build}/tests/bench/heap_made", shape, str(objects), path], check=True)
    runs = [bench.run([bench.mprof, "heap", "--no-pager", path], {}) for _ in range(bench.pairs)]
    size = os.path.getsize(path)
    os.unlink(path)
    memory = 1024 * statistics.median(run.rss for run in runs)
    return [shape, SHAPES[shape], f"{size / objects:.1f}", f"{statistics.median(run.wall for run in runs):.1f}",
            f"{statistics.median(run.cpu for run in runs):.1f}", f"{memory / 1e6:,.0f}", f"{memory / objects:.1f}"]


def report(bench, objects, rows):
    head = ["heap", "what an object refers to", "bytes an object in the file", "seconds", "of a processor",
            "memory, MB", "bytes an object"]
    return f"""# Results of the benchmark of mprof heap

Written by `make bench-heap`, never by hand.

{chr(10).join(harness.where(bench.source))}
- {objects:,} objects of 24 bytes, 2 types, 50 sites, 100 roots; medians of {bench.pairs}

{harness.markdown(head, rows)}

`mprof heap FILE`, all its tables: what is reached, dominators, retained sizes, containers.
memory: the most that was resident, the program itself with it.  Aims: at most {MOST_BYTES} bytes an object, under {MOST_SECONDS} seconds.
"""


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--objects", type=int, default=10_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder:
        bench = harness.Harness(arguments, folder)
        rows = [measure(bench, shape, arguments.objects) for shape in harness.chosen(arguments.workloads, SHAPES)]
        harness.write(bench.source, "RESULTS-HEAP.md", report(bench, arguments.objects, rows))


if __name__ == "__main__":
    main()
