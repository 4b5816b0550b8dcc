#!/bin/sh
# mprof heap of two or three snapshots: a growing hash table is recognised as the same table, and its growth is that
# of its contents.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >table.lisp <<'END'
(defvar *table* (make-hash-table :size 1024))
(defun fill-table (from to)
  (loop for i from from below to do (setf (gethash i *table*) (make-array 100))))
(compile 'fill-table)
(fill-table 0 200)
(mprof:heap-snapshot :file "one.heap" :gc t)
(fill-table 200 300)
(mprof:heap-snapshot :file "two.heap" :gc t)
(fill-table 300 301)
(mprof:heap-snapshot :file "three.heap" :gc t)
(ext:quit 0)
END
returns "status" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" --shell table.lisp
says "two snapshots" "0 " "$mprof" heap --json --max=all one.heap two.heap
# Tables of ECL's compiler may die between the snapshots.
cat >check.py <<'END'
import json, sys
document = json.load(open("out"))
tables = {table["name"]: table["rows"] for table in document["tables"]}
named = [row for row in tables["types"] if row["type"].startswith("HASH-TABLE") and row["objects_change"] >= 0]
print("full" not in json.dumps(tables["types"]), [row["objects_change"] for row in named], *(
    84000 <= row["retained_change"] < 90000 for row in named))
END
"$python" check.py >got 2>&1
is "a table that fills is no other table" "$(cat got)" "True [0] True"
says "three snapshots" "0 " "$mprof" heap one.heap two.heap three.heap
hasnt "no table came that was there" out 'HASH-TABLE'
returns "one snapshot says how full tables are" 0 "$mprof" heap --type='HASH-TABLE EQL, a quarter full' two.heap
has "and finds them by that" out 'a quarter full'
plan
# SPDX-License-Identifier: MIT
