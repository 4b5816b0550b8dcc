"""Writes the shell code of a job in CI to files of the current directory, as its service would run it.

    ci_steps.py ACTION.yml NAME=VALUE...     step "a b" of a composite action of GitHub to a_b.sh; NAME is an expression
                                             such as inputs.command, which has its default otherwise
    ci_steps.py INCLUDE.yml                  before_script.sh, script.sh, after_script.sh of the job .mprof of GitLab
"""
import re
import shlex
import sys

import yaml


def exports(variables):
    return "".join("export %s=%s\n" % (name, shlex.quote(value)) for name, value in variables.items())


def github(action, values):
    for name, facts in action["inputs"].items():
        if "default" in facts:
            values.setdefault("inputs." + name, expand(facts["default"], values))
        elif not facts.get("required"):
            sys.exit("input %s has neither a default nor is it required" % name)
    for step in action["runs"]["steps"]:
        if "run" in step:
            variables = {name: expand(text, values) for name, text in step.get("env", {}).items()}
            if "${{" in step["run"]:
                sys.exit("step %s: a value becomes code" % step["name"])
            write(step["name"].replace(" ", "_"), exports(variables) + step["run"] + "\n")


def expand(text, values):
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: values.get(found[1], ""), text)


def gitlab(job):
    variables = "".join('export %s="%s"\n' % (name, value) for name, value in job["variables"].items())
    for name in "before_script", "script", "after_script":
        write(name, variables + "\n".join(job[name]) + "\n")


def write(name, text):
    with open(name + ".sh", "w", encoding="utf-8") as file:
        file.write("set -e\n" + text)


with open(sys.argv[1], encoding="utf-8") as source:
    document = yaml.safe_load(source)
if "runs" in document:
    github(document, dict(argument.split("=", 1) for argument in sys.argv[2:]))
else:
    gitlab(document[".mprof"])
# SPDX-License-Identifier: MIT
