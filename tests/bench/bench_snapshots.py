"""Measures how long a program of ECL stops for a heap snapshot, with and without a copy of the process, compared
with its full collections, and the file's size. Prints medians of several snapshots of one process."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import harness

HEAPS = {
    "conses": "lists of fixnums, in the order of their making",
    "shuffled": "one list whose conses stand anywhere",
    "strings": "a vector of strings of 12 characters",
    "structures": "structures, each with the last one and a list",
    "tables": "hash tables of 1,000 lists each",
}


def facts(bench, path):
    out = subprocess.run([bench.mprof, "heap", "--json", path], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["heaps"][0]


def measure(bench, ecl, name):
    environment = dict(os.environ, HEAP=name, MODULE=f"{bench.build}/lisp/mprof.fas", RUNS=str(bench.pairs),
                       FOLDER=bench.folder)
    done = subprocess.run([ecl, "--norc", "--heap-size", str(8 << 30), "--shell",
                           f"{bench.source}/tests/bench/heap_work.lisp"], cwd=bench.folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {name}: status {done.returncode}: {done.stderr}")
    times = [line for line in done.stdout.splitlines() if line.strip() and line[0].isdigit()][-1]
    collection = statistics.median(map(float, times.split()))
    paths = {how: [bench.path(f"{how}.{i}.heap") for i in range(bench.pairs)] for how in ("place", "copy")}
    of = {how: [facts(bench, path) for path in paths[how]] for how in paths}
    live = of["copy"][0]["bytes"]
    share = {how: 100 * os.path.getsize(paths[how][0]) / live for how in paths}
    for path in paths["place"] + paths["copy"]:
        os.unlink(path)

    def median(how, key):
        return statistics.median(each[key] for each in of[how]) / 1e9

    in_place = median("place", "stopped_ns")
    return [name, HEAPS[name], f"{live / 1e6:,.0f}", f"{of['copy'][0]['objects'] / 1e6:.1f}", f"{collection:.3f}",
            f"{median('copy', 'stopped_ns'):.3f}", f"{median('copy', 'writing_ns'):.2f}", f"{in_place:.2f}",
            f"{1e9 * in_place / live:.1f}", f"{1e9 * in_place / of['copy'][0]['objects']:.0f}",
            f"{share['copy']:.0f}", f"{share['place']:.0f}"]


def report(bench, rows):
    head = ["heap", "what is in it", "MB", "million objects", "full collection, s", "stop with a copy, s",
            "the copy writes, s", "stop without a copy, s", "for a GB, s", "for an object, ns", "file of a copy, %",
            "without, %"]
    return f"""# Results of the benchmark of snapshots

Written by `make bench-snapshots`, never by hand.

{chr(10).join(harness.where(bench.source))}
- {bench.pairs} snapshots of each sort; medians

{harness.markdown(head, rows)}

Files are shares of the live heap, as the program writes them; `mprof run` makes them smaller when it gives them names.
"""


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--ecl", default="ecl")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder:
        bench = harness.Harness(arguments, folder)
        rows = [measure(bench, arguments.ecl, name) for name in harness.chosen(arguments.workloads, HEAPS)]
        harness.write(bench.source, "RESULTS-SNAPSHOTS.md", report(bench, rows))


if __name__ == "__main__":
    main()
