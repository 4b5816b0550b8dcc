#!/usr/bin/env python3
"""Benchmark of mprof with ECL: runs it bare, preloaded, attached, and detached again, in turn.

    bench_lisp.py --build DIR --source DIR --ecl ECL [--pairs N] [WORKLOAD...]

`make bench` runs it after bench.py. A run measures only the work, not the start of ECL or the loading
of libraries. Each figure is the median of the ratios of N pairs of a bare and a profiled run. If all
workloads were run, the results are written to tests/bench/RESULTS-LISP.md.
"""

import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from harness import chosen, parser, where, write

AIMS = {"conses": 1.6, "doubles": 1.9, "structures": 1.9, "keep": 1.15, "ppcre": 1.15, "csv": 1.15,
        "cxml": 1.15}
LIBRARIES = {"ppcre": "cl-ppcre", "csv": "cl-csv", "cxml": "cxml"}
WORK = ["conses", "doubles", "structures", "instances", "keep", "overflow", "trees",
        "ppcre", "csv", "cxml"]
MODES = ["preloaded", "attached", "detached"]


class Bench:
    def __init__(self, arguments, folder):
        self.build = os.path.abspath(arguments.build)
        self.source = os.path.abspath(arguments.source)
        self.ecl = arguments.ecl
        self.pairs = arguments.pairs
        self.folder = folder
        for name in ("lisp_work.lisp", "lisp_run.lisp"):
            shutil.copy(f"{self.source}/tests/bench/{name}", folder)
        subprocess.run([self.ecl, "--norc", "--eval",
                        '(progn (compile-file "lisp_work.lisp") (ext:quit 0))'],
                       cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def run(self, work, mode):
        """Returns the seconds of the work, and the largest resident set of the process in KiB."""
        environment = dict(os.environ, WORK=work, MODULE=f"{self.build}/lisp/mprof.fas",
                           MODE="bare" if mode == "preloaded" else mode,
                           CACHE=os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")) + "/mprof/libraries/")
        if mode == "preloaded":
            environment.update(LD_PRELOAD=f"{self.build}/.libs/libmprof.so",
                               MPROF_FILE=f"{self.folder}/preloaded.data")
        with subprocess.Popen([self.ecl, "--norc", "--shell", "lisp_run.lisp"], cwd=self.folder,
                              env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 or not output.strip():
            sys.exit(f"bench: {work}, {mode}: status {process.returncode}")
        return float(output.split()[-1]), usage.ru_maxrss

    def workload(self, work):
        row = {"name": work}
        if work in LIBRARIES:
            self.run(work, "bare")              # compiles it
        bare = []
        for mode in MODES:
            ratios, memory = [], []
            for i in range(self.pairs):
                order = ["bare", mode] if i % 2 == 0 else [mode, "bare"]
                result = {m: self.run(work, m) for m in order}
                bare.append(result["bare"][0])
                ratios.append(result[mode][0] / result["bare"][0])
                memory.append(result[mode][1] / result["bare"][1])
            row[mode] = statistics.median(ratios)
            row[mode + " memory"] = statistics.median(memory)
            if mode == "attached":              # the next one writes it anew
                row["objects"] = self.objects()
                row["file"] = os.stat(f"{self.folder}/attached.data").st_blocks * 512
        row["bare"] = statistics.median(bare)
        return row

    def objects(self):
        text = subprocess.run([f"{self.build}/mprof", "totals", f"{self.folder}/attached.data"],
                              capture_output=True, text=True, check=True).stdout
        return int(re.search(r"^lisp-objects (\d+)", text, re.M).group(1))


def document(bench, rows):
    source = open(f"{bench.source}/tests/bench/lisp_work.lisp", encoding="ascii").read()
    lines = [
        "# Results of the benchmark, Lisp", "", "Written by `make bench`, never by hand.", "",
        *where(bench.source),
        f"- medians of {bench.pairs} pairs of runs, processor time of the work alone", "",
        "| workload | bare, s | attached | preloaded | aim | detached | memory | live file |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        lines.append(f"| {row['name']} | {row['bare']:.3f} | **{row['attached']:.2f}** | "
                     f"{row['preloaded']:.2f} | {AIMS.get(row['name'], '')} | "
                     f"{row['detached']:.2f} | {row['attached memory']:.2f} | "
                     f"{row['file'] / 1e6:.1f} MB |")
    lines += ["", "attached, preloaded, detached: time to bare; attached: (mprof:start-profiling) in "
              "an ECL that was", "started without mprof; detached: after (mprof:stop-profiling).  "
              "memory: largest resident sets, attached to bare.", ""]
    for row in rows:
        text = re.search(rf"\(defun {row['name']} \(\)\s+\"([^\"]*)\"", source).group(1)
        lines.append(f"- {row['name']}: {text}")
    return "\n".join(lines) + "\n"


def main():
    options = parser(__doc__)
    options.set_defaults(pairs=5)
    options.add_argument("--ecl", default="ecl")
    arguments = options.parse_args()
    names = chosen(arguments.workloads, WORK)
    rows = []
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="mprof-bench.") as folder:
        bench = Bench(arguments, folder)
        for name in names:
            print(f"{name} ...", file=sys.stderr, flush=True)
            rows.append(bench.workload(name))
        text = document(bench, rows)
    print(text, end="")
    if not arguments.workloads:
        write(bench.source, "RESULTS-LISP.md", text)


if __name__ == "__main__":
    main()
