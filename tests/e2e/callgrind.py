#!/usr/bin/env python3
"""Reads callgrind's counts of instructions.

    callgrind.py OBJECT FILE...

Prints for each FILE how many instructions of OBJECT were executed, "FILE:instructions N", and how many of them lock the
bus, "FILE:locked N". If OBJECT is "all", prints the instructions of all objects. FILE was written by valgrind with
OPTIONS. tests/bench/parts.py uses this, too.
"""

import os
import re
import subprocess
import sys
from collections import Counter

OPTIONS = ["--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"]


def instructions(lines):
    """Returns {(object, address): instructions} of a file made with OPTIONS. Inclusive costs of calls are
    not added."""
    counts = Counter()
    name, skip = "", False
    for line in lines:
        if line.startswith("0x"):
            if not skip:
                address, _, count = line.split()[:3]
                counts[name, int(address, 16)] += int(count)
            skip = False
        elif line.startswith("ob="):
            name = line[3:].strip()
        elif line.startswith("calls="):
            skip = True
    return counts


def of_object(counts, path):
    """Returns {address: instructions} of one object."""
    path = os.path.realpath(path)
    names = {name for name in {name for name, _ in counts} if os.path.realpath(name) == path}
    return {address: n for (name, address), n in counts.items() if name in names}


def locking(path):
    """Returns the addresses of the instructions that lock the bus."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True,
                          text=True, check=True).stdout
    return {int(address, 16) for address in
            re.findall(r"^ *([0-9a-f]+):\s+(?:lock |xchg .*\()", text, re.M)}


def main():
    path, *files = sys.argv[1:]
    locks = [] if path == "all" else locking(path)
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as stream:
            counts = instructions(stream)
        if path == "all":
            print(f"{file}:instructions {sum(counts.values())}")
            continue
        inside = of_object(counts, path)
        print(f"{file}:instructions {sum(inside.values())}")
        print(f"{file}:locked {sum(inside.get(address, 0) for address in locks)}")


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: MIT
