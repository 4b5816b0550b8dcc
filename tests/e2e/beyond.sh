#!/bin/sh
# A program that writes beyond its own memory gets the same fault as without mprof, and never reaches mprof's data.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >beside.py <<'END'
# Prints which mappings can be reached by writing on and on, from the program's blocks and from the data file.
import ctypes, mmap
blocks = [mmap.mmap(-1, size) for size in [1 << 20] * 100 + [4096] * 300]
places = [ctypes.addressof(ctypes.c_char.from_buffer(block)) for block in blocks]
runs = []
for line in open("/proc/self/maps"):
    words = line.split(None, 5)
    start, end = (int(word, 16) for word in words[0].split("-"))
    if words[1][1] != "w":
        continue
    if not runs or runs[-1]["end"] != start:
        runs.append({"start": start, "names": []})
    runs[-1]["end"] = end
    runs[-1]["names"].append(words[5].strip() if len(words) > 5 else "")
def has_block(run): return any(run["start"] <= place < run["end"] for place in places)
def has_data(run): return any(name.endswith("beyond.data") for name in run["names"])
def has_other(run): return any(name and not name.endswith("beyond.data") for name in run["names"])
print("with-blocks", sum(has_block(run) for run in runs) > 0)
print("with-data", sum(has_data(run) for run in runs) > 0)
print("with-both", sum(has_data(run) and (has_block(run) or has_other(run)) for run in runs))
END
profile beyond.data "$python" beside.py
is "status" "$status $(cat err)" "0 "
is "the program has blocks" "$(expected with-blocks out)" True
is "the data file is mapped" "$(expected with-data out)" True
is "from the program's memory no data is reached" "$(expected with-both out)" 0

# A program finds the header of the data file in its memory and overwrites it. mprof says so, and reads the rest of the
# file.
cat >destroy.py <<'END'
import ctypes, sys
kept = [bytearray(5000) for i in range(100)]
for line in open("/proc/self/maps"):
    words = line.split(None, 5)
    if len(words) > 5 and words[5].strip().endswith(".data") and int(words[2], 16) == 0:
        ctypes.memset(int(words[0].split("-")[0], 16) + int(sys.argv[1]), 0x41, int(sys.argv[2]))
END
run "$mprof" run -o destroyed.data "$python" destroy.py 0 600
is "destroyed: two lines, one at once and one at the end" "$(grep -c "^mprof: " err) $(wc -l <err)" "2 2"
has "destroyed: that recording stopped" err "^mprof: .*/destroyed\.data: was truncated or overwritten: recording stopped, the program goes on"
has "destroyed: says it" err '^mprof: .*the program overwrote the header of destroyed\.data'
returns "destroyed: report" 0 "$mprof" report --no-pager destroyed.data
has "destroyed: the head says so" out '^Damaged  *the header of the data file was overwritten'
at_least "destroyed: what is kept is there" "$(total bytes destroyed.data)" 500000
is "destroyed: nothing is made up" "$(total dropped destroyed.data)" 0
hasnt "destroyed: no peak is made up" out '^Peak'
# The program overwrites a part of the header, but not its magic number.
for bytes in "8 56" "12 4" "16 84"; do
    # shellcheck disable=SC2086
    profile destroyed.data "$python" destroy.py $bytes
    returns "destroyed at $bytes: report" 0 "$mprof" report --no-pager destroyed.data
    has "destroyed at $bytes: the head says so" out '^Damaged  *the header of the data file was overwritten'
    at_least "destroyed at $bytes: what is kept is there" "$(total bytes destroyed.data)" 500000
done
plan
# SPDX-License-Identifier: MIT
