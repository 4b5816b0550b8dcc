#!/bin/sh
# mprof heap of a C program in which it is known who keeps which blocks (tests/programs/keeper.c).
. "${srcdir:-.}/tests/e2e/lib.sh"

returns "runs" 0 "$mprof" run --leaks -q -o data "$programs/keeper"

# rows TABLE COLUMN...: prints these columns of a table, one row a line, sorted.
rows()
{
    "$python" -c '
import json, sys
for table in json.load(sys.stdin)["tables"]:
    if table["name"] == sys.argv[1]:
        for row in sorted(" ".join(str(row[c]) for c in sys.argv[2:]) for row in table["rows"]):
            print(row)' "$@"
}

# The cache has 16 bytes, its table 16 words, 16 entries of 100 bytes and 16 values of 1,000. The list has ten links
# of 48 bytes. Both refer to 5,000 bytes, which neither retains alone.
cache=$((16 + 16 * 8 + 16 * 100 + 16 * 1000))
"$mprof" heap --json --max=all data.1.heap >all.json
is "what each of the two variables holds alone" \
    "$(rows roots title shallow retained <all.json | grep '^the_')" \
    "the_cache 16 $cache
the_list 48 480"
is "what both hold is of the program's variables together" \
    "$(rows groups group retained <all.json | grep '/keeper ' | sed 's/.* //')" $((cache + 480 + 5000))
is "the dominators by site" \
    "$(rows sites site objects retained <all.json | grep -E 'keeper\.c|^(keep|fill_cache|make_)' |
        sed 's/(keeper[^)]*) //' | sort)" \
    "fill_cache 1 $((cache - 16))
fill_cache 16 17600
keep 1 $cache
keep 1 5000
make_list 10 480
make_value 16 16000"

if "$python" -c 'import jsonschema' 2>/dev/null; then
    ok "as the schema says, the table of sizes, too" "$python" -c 'import json, sys, jsonschema
document = json.load(open("all.json"))
jsonschema.validate(document, json.load(open(sys.argv[1])))
assert "sizes" in [table["name"] for table in document["tables"]]' "$src/doc/mprof-heap.schema.json"
else
    skip "the schema" "python3-jsonschema is not installed"
fi

"$mprof" heap --no-pager --site=make_value --path data.1.heap >values
has "the way to a value begins with a variable" values '^ +0 +the_cache$'
is "and leads through the cache, its table and an entry" \
    "$(awk '/^A shortest way/ { inside = 1 } /^These objects/ { inside = 0 }
        inside && $1 ~ /^0x/ { printf "%s%s", n++ ? " " : "", $2 }' values | tr -d ,)" "16 128 100 1000"
run "$mprof" heap --no-pager --site=make_value --path --max=3 data.1.heap
is "of a way that is longer than --max, both ends are told" \
    "$(awk '/^A shortest way/ { inside = 1 } /^These objects/ { inside = 0 } inside' out |
        grep -cE '^ +0 +(all roots|variables of C)$|^0x[0-9a-f]+ +1,000 |^\(5 more\)$|^Steps are left out in the middle')" 5

# of_type NAME: prints the objects and bytes of a type.
of_type()
{
    "$mprof" heap --json --type="$1" data.1.heap | rows set what objects bytes | grep '^all '
}
is "a structure's name, or the size, is a name of the type" \
    "$(of_type cache), $(of_type 'link[]'), $(of_type '1,000 bytes')" "all 1 16, all 10 480, all 16 16000"
says "... a part of it is none" "1 mprof: no objects of type 'lin'" "$mprof" heap --type=lin data.1.heap
plan
# SPDX-License-Identifier: MIT
