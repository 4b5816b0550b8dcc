"""callgrind's counts of instructions, and the source that an address belongs to."""

import subprocess
from collections import Counter, namedtuple

Frame = namedtuple("Frame", "function file line")


def instructions(lines):
    """{(object, address): instructions} of a callgrind.out whose positions are instructions and lines,
    neither strings nor positions compressed.  What calls cost inclusively is not counted again."""
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


def resolve(path, addresses):
    """{address: frames}, the innermost inlined function first, by debug information."""
    asked = "\n".join(hex(address) for address in addresses)
    text = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", path], input=asked,
                          capture_output=True, text=True, check=True).stdout
    result, lines = {}, iter(text.splitlines())
    for line in lines:
        if line.startswith("0x"):
            frames = result[int(line, 16)] = []
            continue
        file, _, number = next(lines).partition(" ")[0].rpartition(":")
        frames.append(Frame(line, file, int(number) if number.isdigit() else 0))
    return result
