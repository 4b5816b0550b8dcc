"""Makes the table tests/bench/FINDINGS.md: what mprof findings says first about real programs, and how that was judged.

findings.py [--build DIR] [--symbols DIR] [--keep DIR] [--from DIR] [--out FILE] [--confirm DIR] [NAME...]

The workloads are in findings/workloads.txt, the judgements in findings/judged.txt. A judgement holds only for the
rule and the function that it was made of; otherwise the sentence is shown as not judged. Nothing is installed; missing
packages are listed. With names of workloads, only these are run, and their sentences are printed. After a change of
the rules, --from makes the table in seconds, from the recordings that a run with --keep has left.

With --confirm, the workloads of findings/changes.txt are run with a program that is built in DIR from Debian's source,
and again after the change to its source that the finding suggests. The figures go to findings/confirmed.txt.
"""

import argparse
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "findings")
LIMIT = 100                     # seconds for one workload
VERDICTS = {"useful": "true and useful", "nothing": "rightly nothing to gain", "trivial": "true but trivial",
            "silent": "silent or misses the point", "false": "false"}
NOT_JUDGED = "not judged"

Workload = namedtuple("Workload", "name packages version script")
Judged = namedtuple("Judged", "verdict review")
Result = namedtuple("Result", "version totals rule fingerprint title sentence output")
Change = namedtuple("Change", "name source about build change")


def workloads():
    with open(os.path.join(HERE, "workloads.txt"), encoding="utf-8") as stream:
        parts = re.split(r"^== ", stream.read(), flags=re.M)[1:]
    for part in parts:
        head, script = part.split("\n", 1)
        name, packages, version = re.fullmatch(r"([\w-]+): (.*?) = (.*)", head).groups()
        yield Workload(name, packages.split(), version, script)


def changes():
    with open(os.path.join(HERE, "changes.txt"), encoding="utf-8") as stream:
        parts = re.split(r"^== ", stream.read(), flags=re.M)[1:]
    for part in parts:
        head, script = part.split("\n", 1)
        name, source, about = re.fullmatch(r"([\w-]+): (\S+) = (.*)", head).groups()
        yield Change(name, source, about, *script.split("\nchange:\n"))


def judgements():
    """Returns the judgements by workload and fingerprint."""
    judged = {}
    with open(os.path.join(HERE, "judged.txt"), encoding="utf-8") as stream:
        for line in stream:
            if line.strip() and not line.startswith("#"):
                name, fingerprint, verdict, review = [part.strip() for part in line.split("|", 3)]
                if verdict not in VERDICTS:
                    sys.exit(f"judged.txt: {name}: {verdict} is no verdict")
                judged[name, fingerprint] = Judged(verdict, review)
    return judged


def missing_packages(packages):
    result = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\\n", *packages],
                            capture_output=True, text=True, check=False)
    installed = {line.split()[0] for line in result.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in installed]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def version_of(workload):
    result = subprocess.run(["sh", "-c", workload.version], capture_output=True, text=True, check=False)
    lines = (result.stdout + result.stderr).splitlines() or [""]
    found = re.search(r"\d+\.\d[\w.+~-]*", lines[0])
    return found.group().rstrip(".") if found else lines[0]


def reported(mprof, arguments, *command):
    result = subprocess.run([mprof, *command, "--json", *arguments], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def run(workload, options, folder, programs):
    """Runs WORKLOAD in FOLDER, with programs of that directory first, and returns its result, or None if there is no
    recording."""
    mprof, work = os.path.abspath(f"{options.build}/mprof"), os.path.join(folder, "work")
    os.mkdir(work)
    os.chmod(folder, 0o777)
    os.chmod(work, 0o777)
    environment = {"PATH": f"{programs}:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": work, "LC_ALL": "C.UTF-8",
                   "PERL_HASH_SEED": "0", "PYTHONHASHSEED": "0", "mprof": mprof, "port": str(free_port()),
                   "data": os.path.join(folder, "data")}
    with open(os.path.join(HERE, "shell.sh"), encoding="utf-8") as stream:
        script = stream.read() + workload.script
    result = subprocess.run(["timeout", str(LIMIT), "sh", "-c", script], cwd=work, env=environment,
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    files = glob.glob(f"{folder}/data*")
    if not files:
        messages = subprocess.run(["tail", "-n", "20", os.path.join(work, "messages")], capture_output=True,
                                  check=False)
        print(f"no recording: {result.stderr}{messages.stdout.decode(errors='replace')}", file=sys.stderr)
        return None
    with open(os.path.join(work, "output"), "rb") as stream:
        return largest(workload, files, options, stream.read())


def largest(workload, files, options, output=b""):
    """Returns the result of the one of FILES with the most bytes, because a program's work may be done by a process
    that it forked."""
    arguments = [f"--symbols={options.symbols}"] * bool(options.symbols)
    mprof = os.path.abspath(f"{options.build}/mprof")
    documents = [reported(mprof, [*arguments, file], "findings") for file in files]
    document = max(documents, key=lambda d: d["totals"]["bytes"])
    if options.keep:
        shutil.copy(files[documents.index(document)], os.path.join(options.keep, f"{workload.name}.data"))
    return result_of(workload, document, output)


def result_of(workload, document, output):
    rows = document["tables"]["findings"]["rows"]
    if not rows:
        nothing = document["tables"]["findings"]["nothing"] or "None"
        return Result(version_of(workload), document["totals"], "", "nothing", "", nothing, output)
    first = rows[0]["values"]
    return Result(version_of(workload), document["totals"], first["rule"], f"{first['rule']} {first['function']}",
                  first["title"], first["sentence"], output)


def shell(script, folder, log):
    with open(log, "w", encoding="utf-8") as stream:
        result = subprocess.run(["sh", "-e", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=stream,
                                stderr=subprocess.STDOUT, check=False, env={**os.environ, "here": HERE, "cases": os.path.join(HERE, "../../../examples/cases")})
    if result.returncode != 0:
        with open(log, encoding="utf-8", errors="replace") as stream:
            sys.exit(f"{log}: {script}\n{''.join(stream.readlines()[-5:])}")


def source_of(package, folder):
    """Returns the directory with Debian's source of PACKAGE, fetched without a change to this machine."""
    there = glob.glob(f"{folder}/source/{package}/*/")
    if not there:
        shell(f'. "$here/../../../examples/cases/lib.sh"; fetch {package} "{folder}/source/{package}"', folder,
              f"{folder}/{package}.log")
        there = glob.glob(f"{folder}/source/{package}/*/")
    return there[0]


def confirm(change, workload, options):
    """Builds a program twice in the same directory, without and with CHANGE, and returns both results."""
    folder = os.path.abspath(options.confirm)
    place, kept = f"{folder}/{change.source}.built", f"{folder}/{change.source}.plain"
    if not os.path.exists(kept):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(source_of(change.source, folder), place, symlinks=True)
        shell(change.build, place, f"{folder}/{change.source}.log")
        os.rename(place, kept)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(kept, place, symlinks=True)
    results = [recorded(workload, options, f"{place}/bin")]
    shell(change.change + "\n" + change.build, place, f"{folder}/{change.name}.log")
    return [*results, recorded(workload, options, f"{place}/bin")]


def recorded(workload, options, programs="/nowhere"):
    with tempfile.TemporaryDirectory(prefix="mprof-findings.") as folder:
        return run(workload, options, folder, programs)


def confirmed():
    """Returns the lines of confirmed.txt as lists of words."""
    path = os.path.join(HERE, "confirmed.txt")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as stream:
        return [line.split() for line in stream if not line.startswith("#")]


def confirm_all(chosen, options):
    """Confirms changes, and writes the figures to confirmed.txt, which keeps those of other workloads."""
    path = os.path.join(HERE, "confirmed.txt")
    for change in changes():
        if not any(workload.name == change.name for workload in chosen):
            continue
        print(f"{change.name}: {change.about}", file=sys.stderr, flush=True)
        results = confirm(change, next(w for w in chosen if w.name == change.name), options)
        same = results[0].output == results[1].output
        figures = [f"{r.totals['allocs']} {r.totals['bytes']} {r.totals['peak']['bytes']}" for r in results]
        lines = {name: " ".join([name, *rest]) + "\n" for name, *rest in confirmed()}
        lines[change.name] = f"{change.name} {' '.join(figures)} {'same' if same else 'other'}\n"
        print(f"    before: {results[0].title}. {results[0].sentence}\n    after: {results[1].sentence}\n"
              f"{lines[change.name]}", file=sys.stderr)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("# workload, allocations, bytes and peak before and after, whether the output is the same\n")
            stream.writelines(lines[name] for name in sorted(lines))


def judgement_of(workload, result, judged):
    return judged.get((workload.name, result.fingerprint), Judged(NOT_JUDGED, ""))


def size(number):
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:.1f} {unit}" if unit != "B" else f"{number} B"
        number /= 1000


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(results, judged):
    """Yields the lines of FINDINGS.md."""
    verdicts = Counter(judgement_of(*pair, judged).verdict for pair in results)
    programs = {workload.packages[0] for workload, _ in results}
    yield from (
        "# What mprof findings says first about real programs", "",
        "`make findings-table` makes this table: it runs each workload of `findings/workloads.txt` on Debian's own",
        "program and shows the first finding, word for word. `findings/judged.txt` has the judgements, which were made by",
        "hand: beside the source for the programs that were changed, and else from the whole recording. A judgement is",
        "about a rule and a function. If another rule or function comes first, the sentence is shown as not judged.",
        "Programs without symbols have addresses for functions.", "",
        f"{len(results)} workloads of {len(programs)} packages.", "",
        "| verdict | workloads |", "| --- | ---: |")
    for verdict, text in VERDICTS.items():
        yield f"| {verdict}: {text} | {verdicts[verdict]} |"
    if verdicts[NOT_JUDGED]:
        yield f"| {NOT_JUDGED} | {verdicts[NOT_JUDGED]} |"
    figures = confirmed()
    yield from ("", f"{len(figures)} findings were confirmed by a change of the program's source, which "
                "`findings/changes.txt` makes:", "",
                "| workload | change | allocations | bytes | peak |", "| --- | --- | ---: | ---: | ---: |")
    about = {change.name: change.about for change in changes()}
    for name, *numbers, _ in figures:
        before, after = [int(n) for n in numbers[:3]], [int(n) for n in numbers[3:]]
        yield (f"| {name} | {cell(about[name])} | {before[0]:,} → {after[0]:,} | {size(before[1])} → {size(after[1])} "
               f"| {size(before[2])} → {size(after[2])} |")
    yield from ("", "| workload | version | allocations | bytes | peak | what mprof says first | verdict "
                "| what a reviewer says |",
                "| --- | --- | ---: | ---: | ---: | --- | --- | --- |")
    for workload, result in results:
        judgement = judgement_of(workload, result, judged)
        title = f"**{result.title}.** " if result.title else ""
        yield (f"| {workload.name} | {result.version} | {result.totals['allocs']:,} | {size(result.totals['bytes'])} "
               f"| {size(result.totals['peak']['bytes'])} | {cell(title + result.sentence)} "
               f"| {judgement.verdict} | {cell(judgement.review)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=".", metavar="DIR", help="where mprof was built")
    parser.add_argument("--symbols", metavar="DIR", help="files with symbols for mprof findings --symbols")
    parser.add_argument("--keep", metavar="DIR", help="copy the recordings there")
    parser.add_argument("--from", dest="recordings", metavar="DIR", help="use the recordings that --keep left there")
    parser.add_argument("--out", metavar="FILE", help="write the table to FILE")
    parser.add_argument("--confirm", metavar="DIR", help="build programs with and without changes in DIR")
    parser.add_argument("names", nargs="*", metavar="NAME", help="run only these workloads")
    options = parser.parse_args()
    chosen = [w for w in workloads() if not options.names or w.name in options.names]
    missing = missing_packages(sorted({package for workload in chosen for package in workload.packages}))
    if missing:
        sys.exit(f"findings.py: these packages are not installed: {' '.join(missing)}")
    if options.confirm:
        os.makedirs(options.confirm, exist_ok=True)
        confirm_all(chosen, options)
        return 0
    judged, results = judgements(), []
    for i, workload in enumerate(chosen):
        print(f"{i + 1}/{len(chosen)} {workload.name}", end=": ", file=sys.stderr, flush=True)
        result = (largest(workload, [os.path.join(options.recordings, f"{workload.name}.data")], options)
                  if options.recordings else recorded(workload, options))
        if result is None:
            continue
        results.append((workload, result))
        print(f"{judgement_of(workload, result, judged).verdict} [{result.fingerprint}]", file=sys.stderr)
        if options.names:
            print(f"{size(result.totals['bytes'])} in {result.totals['allocs']:,}, "
                  f"peak {size(result.totals['peak']['bytes'])}: {result.title}: {result.sentence}")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in table(results, judged))
    return 0 if len(results) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
