"""Measures mprof merge of 1,000 files, and a database of 50 runs (mprof export -F sqlite).

The 1,000 files are modified copies of a recording of the compiler proper, about 100 KB each
(tests/e2e/merge_copies.py). The 50 runs have the same 100,000 chains.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import harness

FILES = 1000
RUNS, CHAINS = 50, 100000
QUERIES = ("growth of a function", "types by service", "leaks of all hosts")


def a_file(bench):
    """Makes a data file of about 100 KB and returns its path."""
    subprocess.run([bench.mprof, "run", "-q", "-f", "--only=cc1", "-o", bench.path("cc1.data"), "gcc", "-O2", "-c",
                    "-o", "/dev/null", f"{bench.source}/tests/bench/minimiser.c"], check=True)
    files = glob.glob(bench.path("cc1.data*"))
    if len(files) != 1:
        sys.exit("bench: gcc started no compiler proper that was recorded")
    return files[0]


def merging(bench):
    file, many = a_file(bench), bench.path("many")
    os.mkdir(many)
    subprocess.run([sys.executable, f"{bench.source}/tests/e2e/merge_copies.py", file, str(FILES), many], check=True)
    size = os.path.getsize(file) / 1e3
    run = bench.run([bench.mprof, "merge", "-o", bench.path("merged.data"), many], {})
    print(f"| merge of {FILES:,} files of {size:.0f} kB | {run.wall:.1f} | {run.cpu:.1f} | {run.rss / 1024:.0f} |"
          f" {os.path.getsize(bench.path('merged.data')) / 1e6:.1f} MB |")


def queries(bench):
    """Returns the queries in mprof-sql(7)."""
    with open(f"{bench.source}/man/mprof-sql.7", encoding="utf-8") as file:
        found = re.findall(r"^SELECT.*?;$", file.read(), re.MULTILINE | re.DOTALL)
    return zip(QUERIES, (query.replace("'churn'", "'at_end'") for query in found), strict=True)


def database(bench):
    path, data = bench.path("runs.db"), bench.path("run.data")
    wall = cpu = rss = 0
    for i in range(1, RUNS + 1):
        subprocess.run([bench.mprof, "run", "-q", "-o", data, f"{bench.build}/tests/programs/contexts", str(CHAINS)],
                       stdout=subprocess.DEVNULL, check=True)
        run = bench.run([bench.mprof, "export", "-F", "sqlite", "-o", path, f"--label=build={i}",
                         f"--label=service={i % 3}", data], {})
        wall, cpu, rss = wall + run.wall, cpu + run.cpu, max(rss, run.rss)
        if i in (1, RUNS):
            print(f"| run {i} into the database | {run.wall:.2f} | {run.cpu:.2f} | {run.rss / 1024:.0f} |"
                  f" {os.path.getsize(path) / 1e6:.1f} MB |")
    print(f"| all {RUNS} | {wall:.1f} | {cpu:.1f} | {rss / 1024:.0f} | {os.path.getsize(path) / 1e6:.1f} MB |")
    for name, query in queries(bench):
        run = bench.run(["sqlite3", path, query], {}, output="/dev/null")
        print(f"| query: {name} | {run.wall:.2f} | {run.cpu:.2f} | {run.rss / 1024:.0f} | |")


def main():
    arguments = harness.parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = harness.Harness(arguments, folder)
        print("\n".join(harness.where(bench.source)) + "\n")
        print("| what | wall, s | CPU, s | memory, MiB | result |\n| --- | ---: | ---: | ---: | ---: |")
        merging(bench)
        database(bench)


if __name__ == "__main__":
    main()
