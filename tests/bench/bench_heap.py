"""Time and memory of mprof heap, of snapshots that heap_made makes."""
import argparse
import os
import subprocess
import tempfile
import time

SHAPES = "list back tree near random".split()


def measure(command):
    """Seconds, and the most memory in bytes."""
    start = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"{command}: status {status}")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=".")
    parser.add_argument("--objects", type=int, default=10_000_000)
    options = parser.parse_args()
    print("| heap | objects | file, MB | seconds | memory, MB | bytes an object |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            path = f"{folder}/{shape}.heap"
            subprocess.run([f"{options.build}/tests/bench/heap_made", shape, str(options.objects), path], check=True)
            seconds, memory = measure([f"{options.build}/.libs/mprof" if os.path.exists(
                f"{options.build}/.libs/mprof") else f"{options.build}/mprof", "heap", "--no-pager", path])
            print(f"| {shape} | {options.objects:,} | {os.path.getsize(path) / 1e6:.1f} | {seconds:.1f} "
                  f"| {memory / 1e6:.0f} | {memory / options.objects:.1f} |", flush=True)
            os.unlink(path)


main()
