"""Other memory profilers that are measured beside mprof, if they are installed.

Each is compared with the same run without profiling. For jemalloc and gperftools that is a run with
their allocators, which contain the profilers.
"""

import os
import shutil
import subprocess
from collections import namedtuple

from harness import SAMPLE, ratio

# command is a prefix of the program's command. base is the environment of the run without profiling, and
# profiling what is added to it. pairs is the maximum number of pairs.
Peer = namedtuple("Peer", "name what command base profiling pairs")
DATA = "peer."                  # the names of what peers write begin with this


def library(name):
    """Returns the path of a shared library, or None if it is not installed."""
    text = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True,
                          check=False).stdout
    for line in text.splitlines():
        if line.split()[:1] == [name]:
            return line.split()[-1]
    return None


def heaptrack(folder):
    """heaptrack, which records every allocation, with chains of at most 64 frames. It runs as a user runs it,
    so that its start-up and its second process count."""
    path = shutil.which("heaptrack")
    return path and Peer("heaptrack", heaptrack.__doc__, [path, "-o", f"{folder}/{DATA}heaptrack"],
                         {}, {}, 3)


def jemalloc(folder):
    """jemalloc, which samples every 512 KiB and writes a profile at the end."""
    path = library("libjemalloc.so.2")
    shift = SAMPLE.bit_length() - 1
    return path and Peer("jemalloc", jemalloc.__doc__, [], {"LD_PRELOAD": path},
                         {"MALLOC_CONF": f"prof:true,prof_final:true,lg_prof_sample:{shift},"
                                         f"prof_prefix:{folder}/{DATA}jemalloc"}, 5)


def gperftools(folder):
    """gperftools, which counts live and total bytes of every allocation by chain."""
    path = library("libtcmalloc.so.4")
    return path and Peer("gperftools", gperftools.__doc__, [], {"LD_PRELOAD": path},
                         {"HEAPPROFILE": f"{folder}/{DATA}gperftools"}, 1)


KNOWN = {f.__name__: f for f in (heaptrack, jemalloc, gperftools)}


def find(names, folder):
    """Returns the profilers of NAMES that are installed."""
    return [peer for peer in (KNOWN[name](folder) for name in names) if peer]


def remove_data(folder):
    for name in os.listdir(folder):
        if name.startswith(DATA):
            os.unlink(os.path.join(folder, name))


def measure(bench, peer, command, environment):
    """Returns (slowdown, memory, bytes of data)."""
    def tool(command, environment):
        remove_data(bench.folder)
        return bench.run([*peer.command, *command], {**environment, **peer.profiling})

    pairs = bench.pairs_of(tool, command, {**environment, **peer.base},
                           min(bench.pairs, peer.pairs))
    data = sum(os.stat(bench.path(name)).st_size for name in os.listdir(bench.folder)
               if name.startswith(DATA))
    remove_data(bench.folder)
    return ratio(pairs, "wall"), ratio(pairs, "rss"), data
