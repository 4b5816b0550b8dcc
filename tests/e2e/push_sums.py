"""An independent reader of profiles in pprof's format.

push_sums.py TYPE FUNCTION FILE...: prints the sum of the values TYPE (alloc_space, inuse_space ...) of all samples
with FUNCTION on their chain, or of all samples if FUNCTION is "".
"""
import gzip
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def numbers(value):
    """Returns the numbers of a repeated field, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def profile_sum(wanted, function, path):
    with open(path, "rb") as file:
        whole = list(fields(gzip.decompress(file.read())))
    texts = [value.decode() for field, value in whole if field == 6]
    types = [texts[dict(fields(value)).get(1, 0)] for field, value in whole if field == 1]
    names, chains = {}, {}
    for field, value in whole:
        if field == 5:
            about = dict(fields(value))
            names[about[1]] = texts[about.get(2, 0)]
    for field, value in whole:
        if field == 4:
            parts = list(fields(value))
            chains[dict(parts)[1]] = [names[dict(fields(line))[1]] for kind, line in parts if kind == 4]
    column, total = types.index(wanted), 0
    for field, value in whole:
        if field != 2:
            continue
        locations, values = [], []
        for kind, part in fields(value):
            if kind == 1:
                locations += numbers(part)
            elif kind == 2:
                values += numbers(part)
        if not function or any(function in chains[location] for location in locations):
            total += signed(values[column])
    return total


print(sum(profile_sum(sys.argv[1], sys.argv[2], path) for path in sys.argv[3:]))
