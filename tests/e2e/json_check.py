"""json_check.py -- checks what mprof writes with --json.

    json_check.py valid SCHEMA FILE...      documents are valid by the schema and have no other members; values
                                            have the units of their columns; rows and what is left out add up
                                            to the total
    json_check.py text FILE TEXT            every line of the report TEXT, head and tables, is computed from
                                            the document FILE
    json_check.py all SCHEMA                lines of stdin are "NAME|valid FILE..." and "NAME|text FILE TEXT", checked
                                            as above; prints "NAME|" and what is wrong, for each
    json_check.py keys SCHEMA               all names of members and of columns, one a line

TEXT is the output of the same command without --json. The reporter's code is not used.
"""
import json
import re
import sys


def fail(*what):
    sys.exit(" ".join(map(str, what)))


# ---------------------------------------------------------------- valid

def strict(node):
    """Returns a stricter schema, which forbids members that are not described. The schema accepts everything that the
    stricter one accepts, because it has no keywords like "not"."""
    if isinstance(node, dict):
        for keyword in ("oneOf", "not", "if", "contains"):
            if isinstance(node.get(keyword), (dict, list)):
                fail("the schema has", keyword)
        if "properties" in node and "required" in node:
            node["additionalProperties"] = False
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            strict(each)


def integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def text(value):
    return isinstance(value, str)


def members(*names):
    return lambda value: isinstance(value, dict) and set(names) <= set(value)


def list_of(good):
    return lambda value: isinstance(value, list) and all(map(good, value))


UNITS = {
    "bytes": integer, "blocks": integer, "count": integer, "share": members("part", "whole"),
    "mean": members("bytes", "blocks"), "parts": members("parts", "whole"), "text": text,
    "names": list_of(text), "function": members("function", "module", "file"),
    "chain": members("text", "whole", "frames"), "figures": list_of(members("key", "unit", "value")),
}


def all_tables(document):
    for name, table in document.get("tables", {}).items():
        yield name, table
    for section in document.get("sections", []):
        yield "source", section["table"]


def check_values(name, table):
    units = {column["key"]: column["unit"] for column in table["columns"]}
    for row in table["rows"] + [table["left_out"]] * (table["left_out"] is not None):
        if set(row["values"]) != set(units):
            fail(name, "has other columns in", row)
        for key, value in row["values"].items():
            if value is not None and not UNITS[units[key]](value):
                fail(name, key, "is no", units[key], value)
        for key, interval in row.get("estimates", {}).items():
            if not interval["low"] <= row["values"][key] <= interval["high"]:
                fail(name, key, "is not within its interval", row)
        if row.get("under", 0) >= len(table["rows"]):
            fail(name, "has no such row", row["under"])


# Tables whose rows do not overlap: these columns, together with what is left out, add up to the total.
ADD_UP = {"bins": ("allocs", "bytes", "frees", "kept_bytes"), "types": ("objects", "bytes", "kept_bytes"),
          "direct": ("bytes", "kept_bytes", "calls"), "gc": ("objects", "bytes", "survived_bytes", "kept_bytes"),
          "sites": ("bytes", "objects", "kept_bytes", "kept", "peak_bytes", "temporary"),
          "flat": ("bytes", "objects", "kept_bytes"), "function-types": ("bytes", "objects", "kept_bytes"),
          "tree": ("bytes", "allocs", "kept_bytes"),
          "lifetimes": ("allocs", "bytes", "short_bytes", "short_blocks", "kept_bytes")}


def check_sums(name, table, of):
    total = [row for row in table["rows"] if row["is"] == "total"]
    if name not in ADD_UP or not total:
        return 0
    rows = [row for row in table["rows"] if row["is"] != "total" and "under" not in row]
    if table["left_out"]:
        rows.append(table["left_out"])
    for key in ADD_UP[name]:
        parts = [row["values"][key] for row in rows]
        if None in parts and total[0]["values"][key] is None:
            continue
        more = sum(part or 0 for part in parts) - total[0]["values"][key]
        if more < 0 or (more > 0 and "overlaps" not in rows[-1]):
            fail(of, name, key, "does not add up:", parts, total[0]["values"][key])
    return 1


def validator_of(schema):
    import jsonschema
    with open(schema) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    strict(schema)
    return jsonschema.Draft202012Validator(schema)


def check_valid(validator, files):
    for path in files:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            fail(path, list(error.absolute_path), error.message[:400])
        n = rows = 0
        for name, table in all_tables(document):
            check_values(name, table)
            n += check_sums(name, table, path)
            rows += len(table["rows"])
        print("%s: %d tables, %d rows, %d add up" % (path, len(list(all_tables(document))), rows, n), file=sys.stderr)


# ---------------------------------------------------------------- the text once more

def percent(share):
    """Returns SHARE as a truncated integer percentage, or nothing for 0."""
    if share is None:
        return []
    number = min(100, share["part"] * 100 // share["whole"])
    return ["(%d)" % number] if number else []


def tenths(share):
    if share is None:
        return []
    part, whole = int(share["part"]), int(share["whole"])
    tenths = (part * 1000 + whole // 2) // whole
    if tenths == 1000 and part < whole:         # a part that is not the whole is at most 99.9 %
        tenths = 999
    return ["%d.%d" % divmod(tenths, 10)]


def parts(value):
    if value is None:
        return []
    shares = [min(100, part * 100 // value["whole"]) if value["whole"] else 0
              for part in value["parts"].values()]
    return [str(share) for share in shares if share]


def mean(value):
    if value is None:
        return []
    if value["bytes"] % value["blocks"] == 0:
        return [str(value["bytes"] // value["blocks"])]
    return ["%.1f" % (value["bytes"] / value["blocks"])]


def error_of(row, key):
    interval, value = row.get("estimates", {}).get(key), row["values"][key]
    return max(value - interval["low"], interval["high"] - value) if interval else None


def number(row, key, blank=False):
    value = row["values"][key]
    if value is None:
        return row.get("instead", {}).get(key, "").split()
    if blank and value == 0:
        return []
    error = error_of(row, key)
    return [str(value)] + ([] if error is None else [str(error)])


def words(row, key):
    value = row["values"][key]
    if value is None:
        return row.get("instead", {}).get(key, "").split()
    if isinstance(value, dict):
        value = value.get("text", value.get("function"))
    elif isinstance(value, list):
        value = ", ".join(value)
    return value.split()


def barred(value):
    return parts(value) + ["|"] if value is not None else []


def line_of(name, row):
    v = row["values"]
    n = lambda key, blank=False: number(row, key, blank)
    if name == "bins":
        return (n("size") + n("allocs") + n("bytes") + percent(v["bytes_share"]) + n("frees") + n("kept_bytes") +
                percent(v["kept_share"]) + words(row, "types"))
    if name == "types":
        return (n("objects") + n("bytes") + percent(v["bytes_share"]) + mean(v["mean_size"]) + n("kept") +
                n("kept_bytes") + percent(v["kept_share"]) + words(row, "type"))
    if name == "leaks" and "collected" in v:
        return n("objects") + n("bytes") + n("kept") + n("kept_bytes") + percent(v["kept_share"]) + words(row, "chain")
    if name == "leaks":
        freed = n("frees") + n("freed_bytes") if v["frees"] else []
        return n("allocs") + n("bytes") + n("kept") + n("kept_bytes") + percent(v["kept_share"]) + freed + words(row, "chain")
    if name == "direct":
        return (tenths(v["bytes_share"]) + n("bytes") + barred(v["bytes_parts"]) + n("kept_bytes") +
                barred(v["kept_parts"]) + n("calls") + words(row, "function"))
    if name == "gc":
        ages = []
        for age in ("survived_0", "survived_1", "survived_2", "survived_4", "new"):
            ages += n(age) + percent(v[age + "_share"])
        return n("objects") + n("bytes") + ages + n("survived_bytes") + n("kept_bytes") + words(row, "function") + words(row, "chain")
    if name == "sites":
        return n("bytes") + percent(v["bytes_share"]) + n("objects") + n("kept_bytes") + n("kept") + words(row, "type") + words(row, "chain")
    if name == "flat":
        return (n("bytes") + percent(v["bytes_share"]) + n("objects") + n("kept_bytes") + n("within_bytes") +
                percent(v["within_share"]) + words(row, "function"))
    if name == "function-types":
        return n("bytes") + percent(v["bytes_share"]) + n("objects") + n("kept_bytes") + words(row, "type") + words(row, "function")
    if name == "tree":
        return (n("bytes") + percent(v["bytes_share"]) + n("self_bytes", True) + n("allocs") + n("kept_bytes") +
                words(row, "chain"))
    if name == "lifetimes":
        shares = [v[key] for key in v if (key.startswith("lived_") and not key.endswith("_blocks")) or
                  key.startswith("survived_") or key == "new_share"]
        unknown = n("unknown") if v["unknown"] is not None else []
        return (n("allocs") + n("bytes") + n("short_bytes") + tenths(v["short_share"]) +
                [text for share in shares if share is not None for text in percent(share)] + unknown +
                n("kept_bytes") + words(row, "function") + words(row, "chain"))
    if name == "overview":
        return (words(row, "what") + n("bytes") + percent(v["bytes_share"]) + n("blocks") + percent(v["blocks_share"]) +
                words(row, "function"))
    return graph_line(row)


def graph_line(row):
    """Returns the numbers of a row. Stars, bars, rules and the dashes between sections are in graph_text()."""
    v = row["values"]
    of_self = row["section"] == "self"
    amount = number(row, "bytes")
    if len(amount) == 2:
        amount[1] = "+-" + amount[1]
    called = [] if v["called"] is None else [str(v["called"])]
    if called and v["total"] is not None and (v["total"] or row["section"] not in ("self", "members")):
        called[0] += "/" + str(v["total"])
    index = ["[%d]" % v["index"]] if v["index"] is not None else []
    share = percent(v["part"])
    line = (index if of_self else []) + (tenths(v["share"]) if of_self else [])
    line += ["all"] if row["is"] == "total" else []
    line += amount + share + parts(v["kinds"]) + ([] if of_self else parts(v["fractions"]))
    if row["is"] == "total":
        return line
    line += called
    if row["is"] == "rest":
        return line + ["(%d" % row["n"], "other)" if row["n"] == 1 else "others)"]
    cycle = ["<cycle", "%d>" % v["cycle"]] if v["cycle"] is not None else []
    if cycle and v["function"] is None:
        cycle = ["<cycle", "%d" % v["cycle"], "as", "a", "whole>"]
    if v["callee"] is not None:
        return line + index + words(row, "function") + [">", "[%d]" % v["callee_index"]] + words(row, "callee")
    return line + index + words(row, "function") + cycle


def graph_text(line):
    line = re.sub(r"\s-{5,}\s|\|", " ", re.sub(r"(?<=\d)\*|^ +\*", " ", line))
    line = re.sub(r"\(in the cycle\)| in the cycle(?=\)$)", "", line)
    return re.sub(r", \d+ members:$", "", line.replace(" (0) ", " ")).split()


def sections_of(report):
    """Returns the lines of the head, and those of each table including its title."""
    parts_of = re.split(r"^(?=TABLE \d+: |FINDINGS$|WHERE MOST OF IT IS$)", report, flags=re.M)
    return parts_of[0].splitlines(), [part.rstrip("\n").splitlines() for part in parts_of[1:]]


def grouped(value):
    return "{:,}".format(value)


def check_head(head, lines):
    lines = [" ".join(line.split()) for line in lines]
    for row in head:
        said = [row["label"]]
        said += [grouped(row["count"])] if "count" in row else []
        said += [grouped(row["bytes"]), "bytes"] if "bytes" in row else []
        said += row.get("text", "").split() if "count" not in row and "bytes" not in row and "names" not in row else []
        if not any(line.startswith(" ".join(said)) for line in lines):
            fail("the head has no line", said)


def check_left_out(name, table, lines):
    said = [line for line in lines if " left out" in line]
    if table["left_out"] is None:
        if said:
            fail(name, "leaves out", said)
        return lines
    left = table["left_out"]
    if len(said) != 1 or int(said[0].split()[0].replace(",", "")) != left["n"]:
        fail(name, "leaves out", left["n"], "and not", said)
    for amount in re.findall(r"(?<!\+- )(?<![0-9,])([0-9,]+) bytes?(?: kept)?(?:,| \(|$)", said[0]):
        if int(amount.replace(",", "")) not in left["values"].values():
            fail(name, "leaves out", amount, "bytes: not in", left["values"])
    return [line for line in lines if " left out" not in line]


def check_table(name, table, lines):
    if lines[0] != table["title"]:
        fail(lines[0], "is not", table["title"])
    lines = check_left_out(name, table, [line for line in lines[1:] if line.strip()])
    if table["nothing"]:
        if lines[0] != table["nothing"]:
            fail(name, lines)
        return 0
    if "collections" in table:
        if not lines[0].startswith("%s collection" % grouped(table["collections"])):
            fail(name, lines[0], table["collections"])
        lines = lines[1:]
    expected = [line_of(name, row) for row in table["rows"]]
    if name == "graph":
        got = [graph_text(line) for line in lines]
    else:
        got = [line.split() for line in lines]
    # lines that are not rows: titles, rules and sentences
    at = 0
    for row in expected:
        while at < len(got) and got[at] != row:
            at += 1
        if at == len(got):
            fail(name, "has no line", row, "after the last one found")
        at += 1
    figures = [line for line in got if any(re.fullmatch(r"\[?\d+\]?", word) for word in line[:2])]
    more = [line for line in figures if line not in expected]
    if name != "graph" and more:
        fail(name, "has a line that no row is:", more[0])
    return len(expected)


def check_text(path, report):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    with open(report, encoding="utf-8") as file:
        head, tables = sections_of(file.read())
    if document["command"] == "report":
        check_head(document["head"], head)
    if len(tables) != len(document["tables"]):
        fail(len(tables), "tables of text,", len(document["tables"]), "of JSON")
    rows = 0
    for (name, table), lines in zip(document["tables"].items(), tables):
        if name != "findings":
            rows += check_table(name, table, lines)
    print("%d rows" % rows, file=sys.stderr)


# ---------------------------------------------------------------- names

def names_in(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "properties":
                yield from value
            yield from names_in(value)
    elif isinstance(node, list):
        for value in node:
            yield from names_in(value)


def check_all(validator):
    for line in sys.stdin:
        name, command = line.rstrip("\n").split("|")
        what, *files = command.split()
        try:
            if what == "valid":
                check_valid(validator, files)
            else:
                check_text(*files)
            print(name + "|")
        except Exception as wrong:
            print(name + "|" + repr(wrong).replace("\n", " "))
        except SystemExit as wrong:
            print(name + "|" + str(wrong).replace("\n", " "))


def main():
    what, *rest = sys.argv[1:]
    if what == "valid":
        check_valid(validator_of(rest[0]), rest[1:])
    elif what == "text":
        check_text(*rest)
    elif what == "all":
        check_all(validator_of(rest[0]))
    else:
        with open(rest[0]) as file:
            print("\n".join(sorted(set(names_in(json.load(file))))))


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: MIT
