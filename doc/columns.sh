#!/bin/sh
# SPDX-License-Identifier: MIT
# columns.sh SRCDIR OUT CPP... -- copies SRCDIR/OUT.in to OUT.  A mark "@columns FILE ARRAY@" is replaced by the columns
# of ARRAY, a struct mp_table_column[] of the C file SRCDIR/FILE: in JSON by their schema; in a manual page by a list,
# without columns whose name and explanation were listed before.  CPP is the command that preprocesses a C file.
set -e
LC_ALL=C
export LC_ALL

src=$1
out=$2
template=$src/$out.in
shift 2
trap 'rm -f "$out.tmp"' EXIT
sed -n 's/.*@columns \([^ ]*\) .*@.*/\1/p' "$template" | sort -u | while read -r file; do
    echo "@file $file"
    "$@" "$src/$file"
done | awk -v template="$template" '
function manual(key, meaning) {
    if (!listed[key, meaning]++)
        items = items ".It Cm " key "\n" meaning "\n"
}

# An @ becomes a space, or the end of a line in a long value.
function schema(key, unit, meaning,   type, value, long) {
    type = "\"anyOf\": [{\"$ref\": \"#/$defs/" tolower(unit) "\"}, {\"type\": \"null\"}]"
    if (unit ~ /^(BYTES|BLOCKS|COUNT)$/)
        type = "\"type\": [\"integer\", \"null\"]" (unit == "COUNT" ? ",@\"minimum\": 0" : "")
    else if (unit == "TEXT")
        type = "\"type\": [\"string\", \"null\"]"
    else if (unit == "NAMES")
        type = "\"type\": [\"array\", \"null\"],@\"items\": {\"type\": \"string\"}"
    value = "{" type ",@\"description\": \"" meaning "\"}"
    long = length(value) > 106
    if (long)
        value = "{@" substr(value, 2)
    gsub(/@/, long ? "\n     " : " ", value)
    properties = properties (properties == "" ? "" : ",\n") "    \"" key "\": " value
    keys = keys (keys == "" ? "" : at + length(key) > 118 ? ",\n    " : ", ") "\"" key "\""
    at = (at + length(key) > 118 ? 14 : at) + length(key) + 4
}

# Lists the columns of ARRAY, which begins in TEXT.  A column is {"key", "title", MP_UNIT_X, "explanation", ...}.
function columns(text,   token, depth, field, value) {
    while (match(text, /"([^"\\]|\\.)*"|MP_UNIT_[A-Z]+|[{},]/)) {
        token = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (token == "{" && ++depth == 2) {
            field = 1
            value[1] = value[3] = value[4] = ""
        } else if (token == "," && depth == 2)
            field++
        else if (token ~ /^"/)
            value[field] = value[field] substr(token, 2, length(token) - 2)
        else if (token ~ /^MP/)
            value[field] = substr(token, 9)
        else if (token == "}") {
            if (--depth == 0)
                return
            if (template ~ /\.json\.in$/)
                schema(value[1], value[3] == "PERCENT" ? "SHARE" : value[3], value[4])
            else
                manual(value[1], value[4])
        }
    }
}

/^@file / { file = $2; next }
{ code[file] = code[file] $0 "\n" }

END {
    while ((getline line <template) > 0) {
        if (!match(line, /@columns [^ ]+ [^ ]+@/)) {
            print line
            continue
        }
        split(substr(line, RSTART + 9, RLENGTH - 10), what, " ")
        start = index(code[what[1]], "struct mp_table_column " what[2] "[")
        if (!start) {
            print template ": " what[1] " has no " what[2] >"/dev/stderr"
            exit 1
        }
        before = substr(line, 1, RSTART - 1)
        after = substr(line, RSTART + RLENGTH)
        keys = properties = items = ""
        at = 15
        columns(substr(code[what[1]], start))
        if (properties != "")
            printf "%s{\n   \"type\": \"object\",\n   \"required\": [%s],\n   \"properties\": {\n%s}}%s\n",
                before, keys, properties, after
        sub(/ $/, "", before)
        if (items != "")
            printf ".Pp\n%s\n.Bl -tag -compact -width Ds\n%s.El\n", before, items
    }
}' >"$out.tmp"
mv "$out.tmp" "$out"
