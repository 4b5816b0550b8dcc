#!/usr/bin/env python3
"""run.py -- changes one place of the C sources at random, again and again, and counts which changes the tests detect.

    run.py N SEED SOURCE SHORT LONG      (make check-mutations N=200 SEED=1)

SHORT are the tests of make check, LONG those that only make check-all makes, both as words in one argument. The work is
done in a clone of the last commit of SOURCE, in a temporary directory. A change that does not compile is drawn again.
For each change, the tests whose names have words in common with the path of the changed file come first, and the first
one that fails ends the search. It must pass without the change; if not, it is left out from then on. Prints a line for
each change and the sums.
"""
import concurrent.futures as futures
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

PLACES = ["runtime", "c-bridge", "lisp-bridge", "reporter", "lisp"]
JOBS = os.cpu_count() or 2
LIMIT = 900                     # seconds for one test; a change can make it endless
# What a change replaces, and by what. Blanks keep pointers, arrows, shifts and increments out.
CHANGES = [(re.compile(pattern), new) for pattern, new in [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "), (r" \+= ", " -= "), (r" -= ", " += "),
    (r" & ", " | "), (r" \| ", " & "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\b0\b", "1"),
    (r"\b1\b", "0"), (r"(?<=[ (])!(?=[a-z(])", ""), (r"\+\+(?=[;)])", "--"), (r"\bcontinue;", "break;"),
    (r"^(\s+)[a-z_]+\(.*\);$", r"\1;"), (r"^(\s+)[a-z_>.-]+(\[[^]]*\])? [-+|]?= .*;$", r"\1;")]]


def run(command, limit=None, **options):
    """Runs COMMAND and ends whatever it leaves. Returns its status, which is 1 if it is late, and its output."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               start_new_session=True, errors="replace", **options)
    output, status = "", 1
    try:
        output, status = process.communicate(timeout=limit)[0], process.returncode
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return status, output


def build(*targets):
    return run(["make", f"-j{JOBS}", *targets])[0] == 0


def passes(test):
    """Returns whether TEST passes, run as the test runner does it."""
    environment = dict(os.environ, srcdir=".", CK_DEFAULT_TIMEOUT="120", CK_TAP_LOG_FILE_NAME="-")
    command = ["sh", test] if test.endswith(".sh") else ["./" + test]
    status, output = run(command, LIMIT, env=environment)
    return status == 0 and "\nnot ok" not in "\n" + output


def sources():
    """Returns all places that can be changed: (path, number of the line, start in it, end, new text)."""
    found = []
    for path in run(["git", "ls-files", "--", *PLACES])[1].split():
        if not path.endswith((".c", ".h")):
            continue
        comment = False
        for number, line in enumerate(open(path).read().split("\n")):
            begins = comment or line.lstrip().startswith("/*")
            comment = begins and "*/" not in line
            if begins or line.startswith("#") or '"' in line:
                continue
            code = line.split("/*")[0]
            for pattern, new in CHANGES:
                found += [(path, number, each.start(), each.end(), each.expand(new)) for each in pattern.finditer(code)]
    return found


def stages(path, short, long):
    """Returns (kind, tests, targets) of the tests with words of PATH in their names, of the other short, of the long."""
    words = set(re.split(r"[/_.-]", path)) - {"reporter", "runtime", "c", "h"}
    nearness = {test: len(words & set(re.split(r"[/_.-]", test))) for test in short}
    near = sorted((test for test in short if nearness[test] > 0), key=lambda test: -nearness[test])
    yield "make check", near, ["all", *(test for test in near if not test.endswith(".sh"))]
    yield "make check", [test for test in short if nearness[test] == 0], ["check", "TESTS="]
    yield "make check-all", long, ["check", "TESTS="]


def failing(tests):
    """Returns the first of TESTS that fails, or None. JOBS of them run at the same time."""
    with futures.ThreadPoolExecutor(JOBS) as pool:
        done = [pool.submit(passes, test) for test in tests]
        failed = next((test for test, each in zip(tests, done) if not each.result()), None)
        for each in done:
            each.cancel()
    return failed


def detected(change, short, long, left_out):
    """Makes CHANGE and runs the tests. Returns None if it does not compile, or (kind, test), both None if none fails."""
    path, number, start, end, new = change
    text = open(path).read()
    lines = text.split("\n")
    lines[number] = lines[number][:start] + new + lines[number][end:]
    try:
        for kind, tests, targets in stages(path, short, long):
            test = path
            while test:
                pathlib.Path(path).write_text("\n".join(lines))
                if not build(*targets):
                    return None
                test = failing([each for each in tests if each not in left_out])
                pathlib.Path(path).write_text(text)
                if test and not build(*targets):
                    raise SystemExit("mutations: the tests cannot be built again")
                if test and passes(test):
                    return kind, test
                if test:
                    left_out.add(test)
                    print(f"left out: {test} fails without a change", flush=True)
        return None, None
    finally:
        pathlib.Path(path).write_text(text)


def main():
    wanted, seed, source = int(sys.argv[1]), int(sys.argv[2]), os.path.abspath(sys.argv[3])
    # A lint compares texts, which every change changes.
    short, long = ([test for test in argument.split() if not test.startswith("tests/lint/")] for argument in sys.argv[4:6])
    chosen, left_out, counts = random.Random(seed), set(), {}
    for name in [name for name in os.environ if name.startswith(("MAKE", "MFLAGS"))]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="mprof-mutations.") as work:
        os.chdir(work)
        if run(["git", "clone", "-q", source, "."])[0] != 0 or run(["./bootstrap", "--no-packages"])[0] != 0 or \
                not build("check", "TESTS="):
            raise SystemExit("mutations: the last commit cannot be built here")
        places = sources()
        while sum(counts.values()) < wanted:
            change = chosen.choice(places)
            result = detected(change, short, long, left_out)
            if result is None:
                continue
            kind, test = result
            counts[kind] = counts.get(kind, 0) + 1
            line = open(change[0]).read().split("\n")[change[1]]
            print(f"{change[0]}:{change[1] + 1}: {line[:change[2]]}[{line[change[2]:change[3]]} becomes {change[4]}]"
                  f"{line[change[3]:]}: {kind}: {test}", flush=True)
        print(f"{wanted} changes, {wanted - counts.get(None, 0)} detected, {counts.get('make check', 0)} of them by make check")


main()
# SPDX-License-Identifier: MIT
