"""Functions that the benchmarks share: measured runs of a built tree, in pairs, and a description of the machine."""

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import sys

SAMPLE = 524288                 # bytes: the default of mprof run --sample

# The environment is the same each time, because its size determines where a program's stack begins.
ENVIRONMENT = {name: os.environ.get(name, "/") for name in ("HOME", "PATH")}


class Run:
    """One measured run: seconds of wall clock and of processors, peak memory in KiB."""

    def __init__(self, line):
        wall, user, system, self.rss, self.status = (int(word) for word in line.split())
        self.wall = wall / 1e9
        self.cpu = (user + system) / 1e9


class Harness:
    def __init__(self, arguments, folder):
        self.build = os.path.abspath(arguments.build)
        self.source = os.path.abspath(arguments.source)
        self.pairs = arguments.pairs
        self.folder = folder
        self.measure = f"{self.build}/tests/bench/measure"
        self.mprof = f"{self.build}/mprof"
        self.library = f"{self.build}/.libs/libmprof.so"
        for path in (self.measure, self.mprof, self.library):
            if not os.path.exists(path):
                sys.exit(f"bench: {path} was not built")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, environment, expected=0, output=None):
        variables = [f"{name}={value}" for name, value in environment.items()]
        to = ["-o", output] if output else []
        result = subprocess.run([self.measure, *variables, *to, *command],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=True, cwd=self.folder, env=ENVIRONMENT)
        run = Run(result.stdout)
        if run.status != expected:
            sys.exit(f"bench: {command[0]} ended with status {run.status}: {result.stderr}")
        return run

    def preloaded(self, command, environment):
        """Runs COMMAND with the library only, which leaves live.data: measures the cost in the program."""
        return self.run(command, {**environment, "LD_PRELOAD": self.library,
                                  "MPROF_FILE": self.path("live.data")})

    def sampled(self, command, environment):
        return self.preloaded(command, {**environment, "MPROF_SAMPLE": SAMPLE})

    def knows_sampling(self):
        """Returns whether this tree has mprof run --sample."""
        result = subprocess.run([self.mprof, "run", "-q", f"--sample={SAMPLE}", "-o",
                                 self.path("asked.data"), "true"], capture_output=True,
                                check=False)
        return result.returncode == 0

    def pairs_of(self, tool, command, environment, count=None):
        """Returns pairs of a bare run and one with the tool. The order of the runs changes from pair to pair."""
        result = []
        for i in range(count or self.pairs):
            if i % 2 == 0:
                bare = self.run(command, environment)
                with_tool = tool(command, environment)
            else:
                with_tool = tool(command, environment)
                bare = self.run(command, environment)
            result.append((bare, with_tool))
        return result

    def totals(self, path):
        text = subprocess.run([self.mprof, "totals", path], capture_output=True, text=True,
                              check=True).stdout
        return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


def ratio(pairs, figure):
    """Returns the median of the ratios of a figure of Run."""
    return statistics.median(getattr(b, figure) / getattr(a, figure)
                             for a, b in pairs if getattr(a, figure) > 0)


def size(count):
    if count < 1024 * 1024:
        return f"{count / 1024:.1f} KB"
    return f"{count / 1024 / 1024:.1f} MB"


def markdown(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in cells) + " |" for cells in lines)


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


def where(source):
    """Returns when and where this was measured, as a Markdown list."""
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return [f"- {today}, commit {commit(source)}",
            f"- {first_match('/proc/cpuinfo', 'model name')}, {os.cpu_count()} processors, "
            f"{first_match('/proc/meminfo', 'MemTotal')}",
            f"- Linux {platform.release()}, {' '.join(platform.libc_ver())}"]


def parser(description):
    result = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--build", default=".")
    result.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "../.."))
    result.add_argument("--pairs", type=int, default=7)
    result.add_argument("workloads", nargs="*")
    return result


def chosen(names, known):
    for name in names:
        if name not in known:
            sys.exit(f"bench: there is no {name}; there are {' '.join(known)}")
    return names or list(known)


def write(source, name, text):
    path = os.path.join(source, "tests/bench", name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    print(f"bench: written to {path}", file=sys.stderr)
