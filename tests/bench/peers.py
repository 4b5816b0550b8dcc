"""Other profilers of memory that are measured beside mprof, where they are installed.

Each is compared with the same run without it: jemalloc's and gperftools' with their allocators, of
which the profiler is a part, not recording.
"""

import os
import shutil
import subprocess
from collections import namedtuple

from harness import SAMPLE, ratio

# command goes before the program's; base is the environment of the run to compare with, profiling what
# is added to it; most pairs are run.
Peer = namedtuple("Peer", "name what command base profiling pairs")
DATA = "peer."                  # the names of what peers write begin with this


def library(name):
    """The path of a shared library, None: it is not installed."""
    text = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True,
                          check=False).stdout
    for line in text.splitlines():
        if line.split()[:1] == [name]:
            return line.split()[-1]
    return None


def heaptrack(folder):
    """Records every allocation, chains of at most 64 frames; as a user runs it, so that its start-up and
    its second process count."""
    path = shutil.which("heaptrack")
    return path and Peer("heaptrack", heaptrack.__doc__, [path, "-o", f"{folder}/{DATA}heaptrack"],
                         {}, {}, 3)


def jemalloc(folder):
    """Samples, every 512 KiB; a profile at the end."""
    path = library("libjemalloc.so.2")
    shift = SAMPLE.bit_length() - 1
    return path and Peer("jemalloc", jemalloc.__doc__, [], {"LD_PRELOAD": path},
                         {"MALLOC_CONF": f"prof:true,prof_final:true,lg_prof_sample:{shift},"
                                         f"prof_prefix:{folder}/{DATA}jemalloc"}, 5)


def gperftools(folder):
    """Live and total by chain, of every allocation."""
    path = library("libtcmalloc.so.4")
    return path and Peer("gperftools", gperftools.__doc__, [], {"LD_PRELOAD": path},
                         {"HEAPPROFILE": f"{folder}/{DATA}gperftools"}, 1)


KNOWN = {f.__name__: f for f in (heaptrack, jemalloc, gperftools)}


def find(names, folder):
    """Those of the names that are installed."""
    return [peer for peer in (KNOWN[name](folder) for name in names) if peer]


def remove_data(folder):
    for name in os.listdir(folder):
        if name.startswith(DATA):
            os.unlink(os.path.join(folder, name))


def measure(bench, peer, command, environment):
    """(slowdown, memory, bytes of data)"""
    def tool(command, environment):
        remove_data(bench.folder)
        return bench.run([*peer.command, *command], {**environment, **peer.profiling})

    pairs = bench.pairs_of(tool, command, {**environment, **peer.base},
                           min(bench.pairs, peer.pairs))
    data = sum(os.stat(bench.path(name)).st_size for name in os.listdir(bench.folder)
               if name.startswith(DATA))
    remove_data(bench.folder)
    return ratio(pairs, "wall"), ratio(pairs, "rss"), data
