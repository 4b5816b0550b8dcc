"""diff_json.py SCHEMA FILE...: checks documents of mprof diff --json: they are valid by the schema, and the rows together
with what is left out add up to the total."""
import json
import sys

import jsonschema


def change(row):
    return [row["values"][key] for key in ("before", "after", "change", "other_change")]


schema = json.load(open(sys.argv[1]))
checked = 0
for name in sys.argv[2:]:
    document = json.load(open(name))
    jsonschema.Draft202012Validator(schema).validate(document)
    for key, table in document["tables"].items():
        total = [row for row in table["rows"] if row["is"] == "total"]
        if key == "sides" or not total:
            continue
        rest = [table["left_out"]] if table["left_out"] else []
        parts = [change(row) for row in table["rows"] + rest if row["is"] != "total"]
        checked += 1
        sums = [sum(column) for column in zip(*parts)]
        if sums != change(total[0]):
            sys.exit(f"{name}: {key}: rows are {sums}, the total is {change(total[0])}")
if checked == 0:
    sys.exit("no table was checked")
# SPDX-License-Identifier: MIT
