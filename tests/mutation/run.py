#!/usr/bin/env python3
"""run.py -- changes one place of the C sources at random, again and again, and counts which changes the tests detect.

    run.py N SEED SOURCE SHORT LONG      (make check-mutations N=200 SEED=1)

SHORT are the tests of make check, LONG those that only make check-all makes, both as words in one argument. The work is
done in a clone of the last commit of SOURCE, in a temporary directory. A change that does not compile is drawn again.
For each change, the tests whose names have most words in common with the path of the changed file come first, and the
first one that fails ends the search. It must pass without the change; if not, it is left out from then on. Prints a
line for each change and the sums.
"""
import concurrent.futures as futures
import os
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
    """Runs COMMAND and ends whatever it leaves. Returns its status and its output; the status is 1 if it is late."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               start_new_session=True, errors="replace", **options)
    try:
        output, status = process.communicate(timeout=limit)[0], process.returncode
    except subprocess.TimeoutExpired:
        output, status = "", 1
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return status, output


def build():
    return run(["make", f"-j{JOBS}", "check", "TESTS="])[0] == 0


def passes(test):
    """Returns whether TEST passes. It gets what the test runner gives it."""
    environment = dict(os.environ, srcdir=".", CK_DEFAULT_TIMEOUT="120", CK_TAP_LOG_FILE_NAME="-")
    command = ["sh", test] if test.endswith(".sh") else ["./" + test]
    status, output = run(command, LIMIT, env=environment)
    return status == 0 and not re.search(r"^not ok", output, re.M)


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


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def by_nearness(tests, path):
    words = set(re.split(r"[/_.-]", path)) - {"reporter", "runtime", "c", "h"}
    return sorted(tests, key=lambda test: -len(words & set(re.split(r"[/_.-]", test))))


def failing(tests):
    """Returns the first of TESTS that fails, or None. JOBS of them run at the same time."""
    with futures.ThreadPoolExecutor(JOBS) as pool:
        done = [(test, pool.submit(passes, test)) for test in tests]
        for test, each in done:
            if not each.result():
                for _, other in done:
                    other.cancel()
                return test
    return None


def detected(change, kinds, left_out):
    """Makes CHANGE and runs the tests. Returns None if it does not compile, or (kind, test), both None if none fails."""
    path, number, start, end, new = change
    text = open(path).read()
    lines = text.split("\n")
    lines[number] = lines[number][:start] + new + lines[number][end:]
    try:
        while True:
            write(path, "\n".join(lines))
            if not build():
                return None
            for kind, tests in kinds:
                test = failing([each for each in by_nearness(tests, path) if each not in left_out])
                if test:
                    break
            else:
                return None, None
            write(path, text)
            if not build():
                raise SystemExit("mutations: the tests cannot be built again")
            if passes(test):
                return kind, test
            left_out.add(test)
            print(f"left out: {test} fails without a change", flush=True)
    finally:
        write(path, text)


def main():
    wanted, seed, source = int(sys.argv[1]), int(sys.argv[2]), os.path.abspath(sys.argv[3])
    # A lint compares texts, which every change changes.
    kinds = [(kind, [test for test in argument.split() if not test.startswith("tests/lint/")])
             for kind, argument in zip(("make check", "make check-all"), sys.argv[4:6])]
    chosen, left_out, counts = random.Random(seed), set(), {}
    for name in [name for name in os.environ if name.startswith(("MAKE", "MFLAGS"))]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="mprof-mutations.") as work:
        os.chdir(work)
        if run(["git", "clone", "-q", source, "."])[0] != 0 or run(["./bootstrap", "--no-packages"])[0] != 0 or \
                not build():
            raise SystemExit("mutations: the last commit cannot be built here")
        places = sources()
        while sum(counts.values()) < wanted:
            change = chosen.choice(places)
            result = detected(change, kinds, left_out)
            if result is None:
                continue
            kind, test = result
            counts[kind] = counts.get(kind, 0) + 1
            line = open(change[0]).read().split("\n")[change[1]]
            print(f"{change[0]}:{change[1] + 1}: {line.strip()}  at {change[2]}: {change[4].strip() or 'nothing'}: "
                  f"{test or 'not detected'}{' (' + kind + ')' if kind else ''}", flush=True)
        short, all_tests = counts.get("make check", 0), sum(n for kind, n in counts.items() if kind)
        print(f"{wanted} changes, {all_tests} detected, {short} of them by make check")


main()
