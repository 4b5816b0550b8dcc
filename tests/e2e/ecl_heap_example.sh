#!/bin/sh
# The example of doc/retained.md: sessions that finalizers keep alive, and the corrected server.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >serve.lisp <<'END'
(serve 0 5000)
(mprof:heap-snapshot :gc t)
(serve 5000 25000)
(mprof:heap-snapshot :gc t)
(ext:quit 0)
END

# snapshots NAME: makes two snapshots of the server in NAME.lisp, NAME.data.1.heap and NAME.data.2.heap.
snapshots()
{
    "$ecl" --norc --eval "(progn (compile-file \"$1.lisp\") (ext:quit 0))" >log 2>&1
    returns "$1: status" 0 \
        "$mprof" run -q -o "$1.data" -- "$ecl" --norc --load "$top/lisp/mprof.fas" --load "$1.fas" --load serve.lisp
}

# of TABLE EXPRESSION FILE...: prints the value of the Python EXPRESSION, in which `rows` is the table of that name in
# mprof heap --json.
of()
{
    table=$1
    expression=$2
    shift 2
    "$mprof" heap --json --max=all "$@" | python3 -c 'import json, sys
rows = [table["rows"] for table in json.load(sys.stdin)["tables"] if table["name"] == sys.argv[1]][0]
print(eval(sys.argv[2]))' "$table" "$expression"
}

cp "$src/examples/sessions.lisp" sessions.lisp
sed "s/(lambda (dead).*session)))/#'end-session)/" sessions.lisp >mended.lisp
is "what is to be mended is one line" "$(diff sessions.lisp mended.lisp | grep -c '^>')" 1

snapshots sessions
sessions='sum(row["objects"] for row in rows if row["type"] == "SESSION")'
is "no session ends" "$(of types "$sessions" sessions.data.2.heap)" 25000
is "a closure is there for each" \
    "$(of types 'sum(row["objects"] for row in rows if row["type"] == "CLOSURE LAMBDA in OPEN-SESSION")' \
        sessions.data.2.heap)" 25000
is "finalizers hold most" "$(of kinds 'rows[0]["title"], rows[0]["retained"] > 25000 * 600' sessions.data.2.heap)" \
    "('finalizers', True)"
is "what grew: the closures, first of all" \
    "$(of types 'rows[0]["type"], rows[0]["objects_change"]' sessions.data.1.heap sessions.data.2.heap)" \
    "('CLOSURE LAMBDA in OPEN-SESSION', 20000)"
# Each session has five objects, with the structure that its constructor makes. The first snapshot may contain dead objects to which a stack still refers.
is "... none of them is missing" \
    "$(of sites 'max(row["objects"] for row in rows if row["site"].startswith("OPEN-SESSION ")) >= 5 * 25000' \
        sessions.data.2.heap)" True
is "... made at one line" \
    "$(of sites 'rows[0]["site"], 99980 <= rows[0]["objects_change"] <= 100020' sessions.data.1.heap sessions.data.2.heap)" \
    "('OPEN-SESSION (sessions.lisp:$(grep -n 'defun open-session' sessions.lisp | cut -d: -f1))', True)"
is "... held by a root of one kind" \
    "$(of roots 'rows[0]["kind"], rows[0]["objects_change"]' sessions.data.1.heap sessions.data.2.heap)" \
    "('finalizer', 20000)"
"$mprof" findings sessions.data >findings
has "findings name what holds it, and by what" findings \
    'Held by one root\. finalizer .finalizers. alone holds 7[0-9] % of the heap, .* by 25,000 objects CLOSURE LAMBDA in OPEN-SESSION\.'
has "... the function that allocated it" findings 'OPEN-SESSION allocated 90 % of it\. In snapshot 1 it held 3\.2 MB\.'
run sh -c "$("$mprof" findings sessions.data | sed -n "s|^    mprof heap|'$mprof' heap|p")"
has "... and a command that works" out '^ *25,000 +1,200,000 .* CLOSURE LAMBDA in OPEN-SESSION$'

snapshots mended
"$mprof" findings mended.data >findings
hasnt "mended: nothing of the sort" findings 'Held by one root'
at_most "mended: those of the last thousand users, and what a collection left" \
    "$(of types "$sessions" mended.data.2.heap)" 3000
plan
# SPDX-License-Identifier: MIT
