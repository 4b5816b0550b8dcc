#!/usr/bin/env python3
"""Tests that what mprof writes is valid UTF-8.

    utf8.py files FILE...               each FILE, and the texts in it if it is packed; prints what is wrong
    utf8.py options MPROF DATA COMMAND...   what each COMMAND prints if options have invalid values; prints that and the
                                        number of calls
"""

import base64
import gzip
import re
import subprocess
import sys
import zlib

BAD = (b"\xff\xc2", b"a\xff=\xc2", b"fun\xff\xc2:kept=\xed\xa0\x80")


def strings(profile):
    """The strings of a profile.proto, its field 6."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte, at, shift = profile[at], at + 1, shift + 7
            number |= (byte & 127) << (shift - 7)
            if byte < 128:
                return number

    while at < len(profile):
        key = varint()
        size = varint()
        if key & 7 == 2:
            at += size
            if key >> 3 == 6:
                yield profile[at - size:at]


def texts(content):
    if content[:2] == b"\x1f\x8b":
        yield from strings(gzip.decompress(content))
        return
    yield content
    for packed in re.findall(rb'<script type="application/octet-stream"[^>]*>([^<]+)<', content):
        yield zlib.decompress(base64.b64decode(packed))


def problem(content):
    for text in texts(content):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            return f"{error.reason}: {text[max(error.start - 40, 0):error.end + 20]}"
    return None


def files(names):
    for name in names:
        with open(name, "rb") as file:
            wrong = problem(file.read())
        if wrong:
            print(name, wrong)


def options(mprof, data, commands):
    calls = 0
    for command in commands:
        text = subprocess.run([mprof, command, "--help"], capture_output=True, check=True).stdout
        for option in re.findall(rb"(--[a-z-]+)=", text) + [b"--"]:
            for bad in BAD:
                for more in ([b"--json"], []) if b"--json" in text else ([],):
                    value = option + b"=" + bad if option != b"--" else bad
                    made = subprocess.run([mprof, command, *more, value, data], capture_output=True, check=False,
                                          stdin=subprocess.DEVNULL, timeout=60)
                    calls += 1
                    for wrong in filter(None, map(problem, (made.stdout, made.stderr))):
                        print(command, more, value, wrong)
    print(calls)


if __name__ == "__main__":
    if sys.argv[1] == "files":
        files(sys.argv[2:])
    else:
        options(sys.argv[2], sys.argv[3], sys.argv[4:])
# SPDX-License-Identifier: MIT
