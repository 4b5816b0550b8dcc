"""Measures what observing costs: the observer's share of a processor, and whether runs take longer.

mprof run samples the data file while the program runs. Its own processor time, without the program's,
is read from /proc until the program has ended. Runs are compared in pairs, in random order.
tests/bench/look.c compares a sample of all cells with merely reading them.
"""

import random
import statistics
import subprocess
import tempfile
import time

import harness

LONG = {"a program that sleeps": ["sleep", "4"],
        "300,000 contexts": ["tests/programs/contexts", "300000"],
        "perl": ["perl", "-e", '$h{$_ % 9973} .= "x" for 1 .. 6e6']}
SHORT = {"true": (["true"], 100),
         "perl": (["perl", "-e", '$h{$_ % 9973} .= "x" for 1 .. 1e6'], 1)}


def spent(pid):
    """Returns the processor time of PID, in nanoseconds."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0])


def has_ended(pid):
    """Returns whether the child of PID has ended."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    if not children:
        return True
    with open(f"/proc/{children[0]}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "Z"


def share(bench, command):
    """Returns the observer's share of a processor, from 20 ms after the start on."""
    run = subprocess.Popen([bench.mprof, "run", "-q", "-o", bench.path("data"), *command],
                           stdout=subprocess.DEVNULL)
    time.sleep(0.02)
    first, start = spent(run.pid), time.monotonic()
    last, end = first, start
    try:
        while not has_ended(run.pid):
            last, end = spent(run.pid), time.monotonic()
            time.sleep(0.02)
    except OSError:
        pass
    run.wait()
    return (last - first) / 1e9 / (end - start)


def wall(bench, command, options):
    start = time.monotonic()
    subprocess.run([bench.mprof, "run", "-q", *options, "-o", bench.path("data"), *command],
                   stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - start


def longer(bench, command, pairs):
    """Returns by what share an observed run is longer, as the median of all pairs."""
    parts = []
    for _ in range(pairs):
        ways = [[], ["--timeline=off"]]
        random.shuffle(ways)
        times = {len(options): wall(bench, command, options) for options in ways}
        parts.append(times[0] / times[1] - 1)
    return statistics.median(parts)


def look(bench, contexts, every):
    """Measures a sample of the cells of CONTEXTS contexts, of which each EVERYth has changed."""
    bench.preloaded([bench.build + "/tests/programs/contexts", str(contexts)], {})
    subprocess.run([bench.build + "/tests/bench/look", bench.path("live.data"), str(every),
                    str(8 * bench.pairs + 1)], check=True)


def main():
    arguments = harness.parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = harness.Harness(arguments, folder)
        for name, command in LONG.items():
            program = [bench.build + "/" + command[0] if "/" in command[0] else command[0]]
            percent = 100 * share(bench, program + command[1:])
            print(f"{name:24} the observer has {percent:.3f} % of a processor")
        for every in (1, 100, 10000):
            look(bench, 130000, every)
        for name, (command, times) in SHORT.items():
            percent = 100 * longer(bench, command, times * arguments.pairs)
            print(f"{name:24} an observed run is {percent:+.1f} % longer")


if __name__ == "__main__":
    main()
