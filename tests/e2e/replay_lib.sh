# shellcheck shell=sh disable=SC2154
# (the variables come from ecl_lib.sh)
#
# replay_lib.sh -- functions for tests of mprof replay. A script sources this file instead of lib.sh.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >strings.lisp <<'END'
(defvar *keep* nil)
(defun grow (n) (dotimes (i n) (push (make-string 100) *keep*) (dotimes (j 20) (list i j))))
(grow 200000)
(setf *keep* nil)
(grow 100000)
END
cat >trees.lisp <<'END'
(defstruct node l r v)
(defun tree (d) (if (zerop d) nil (make-node :l (tree (1- d)) :r (tree (1- d)) :v d)))
(defvar *long* (tree 16))
(defun churn (n) (dotimes (i n) (tree 12)))
(churn 400)
END
cat >table.lisp <<'END'
(defun run (n)
  (let ((h (make-hash-table :test 'equal)))
    (dotimes (i n) (setf (gethash (format nil "key~d" (mod i 20000)) h) (list i (float i 1d0))))
    (hash-table-count h)))
(run 40000)
END

# record FILE PROGRAM [NAME=VALUE]: records PROGRAM with the variables.
record()
{
    run env ${3+"$3"} "$mprof" run -q -o "$1" -- "$ecl" --norc --load "$2.fas" --eval '(ext:quit 0)'
}

# json OPTION... FILE: writes the document to ./json and notes it for validation. asked EXPRESSION: prints the value of
# a Python expression, in which d is the document.
json()
{
    run "$mprof" replay --json "$@"
    mv out json
    is "JSON: $*: status" "$status $(cat err)" "0 "
    cat json >>all.json
}
asked()
{
    $python -c "import json; d = json.load(open('json')); print($1)"
}

# real NAME REAL OPTION: tests what is printed about REAL, which was recorded with OPTION.
real()
{
    json "$3" --real="$2" "$1.data"
    ok "$1: $3: the error is that of the figures" $python - "$2" <<'END'
import json, sys
document = json.load(open("json"))
predicted, real = document["predictions"][0], document["real"]
assert real["file"] == sys.argv[1] and document["choose"] is None
for key, figure in ("collections", "collections"), ("heap", "heap_bytes"):
    assert real[figure] > 0
    error = 100 * (predicted[figure] - real[figure]) / real[figure]
    assert abs(real["error_percent"][key] - error) <= 0.5, (key, error, real)
END
    is "$1: $3: all collections of the real run" "$(asked 'd["real"]["collections"]')" \
        "$("$mprof" report --no-pager "$2" | sed -n 's/^Collections *\([0-9,]*\).*/\1/p' | tr -d ,)"
    run "$mprof" replay "$3" --real="$2" "$1.data"
    is "$1: $3: the same as text" \
        "$(sed -n '/^The prediction differs from the real run in / { n; s/^\([+-]*[0-9]*\) % in collections.*/\1/p; }' out | sed 's/^+//')" \
        "$(asked 'd["real"]["error_percent"]["collections"]')"
}

# policy PROGRAM: tests what is predicted for PROGRAM, as it was and with each other setting.
policy()
{
    program=$1
    "$ecl" --norc --eval "(progn (compile-file \"$program.lisp\") (ext:quit 0))" >log 2>&1
    record $program.data $program
    is "$program: status" "$status" 0
    says "$program: replayed" "0 " "$mprof" replay $program.data
    has "$program: which collector" out '^ECL [0-9.]*: .* allocated between the first and the last collection'
    json $program.data
    is "$program: all collections" "$(asked 'd["recorded"]["collections"]')" \
        "$("$mprof" report --no-pager $program.data | sed -n 's/^Collections *\([0-9,]*\).*/\1/p' | tr -d ,)"
    ok "$program: usual settings do what the policy says" $python - <<'END'
import json
document = json.load(open("json"))
recorded, replayed = document["recorded"], document["replayed"]
assert recorded["setting"] == replayed["setting"]
for key, figure in ("collections", "collections"), ("heap", "heap_bytes"), ("pauses", "pauses_ns"):
    error = 100 * (replayed[figure] - recorded[figure]) / recorded[figure]
    assert abs(replayed["error_percent"][key] - error) <= 0.5, (key, error)
by_divisor = {each["setting"]["divisor"]: each for each in document["predictions"]
              if each["setting"]["first_heap_bytes"] is None and not each["setting"]["incremental"]}
by_divisor[replayed["setting"]["divisor"]] = replayed
assert sorted(by_divisor) == [1, 2, 3, 4, 6, 8]
# With divisor 1, eight times as much must be allocated before each collection as with 8, and the heap grows faster.
assert by_divisor[1]["collections"] <= by_divisor[8]["collections"]
assert by_divisor[1]["heap_bytes"] >= by_divisor[8]["heap_bytes"]
# The heap is never smaller than its initial size.
for each in document["predictions"]:
    first = each["setting"]["first_heap_bytes"]
    assert first is None or each["heap_bytes"] >= first
# Incremental steps begin after half as many allocated bytes, whether the heap is full or not. How long they take is
# unknown.
steps = [each for each in document["predictions"] if each["setting"]["incremental"]]
assert len(steps) == 1 and steps[0]["collections"] >= replayed["collections"] and steps[0]["pauses_ns"] is None
END
    record divided.data $program GC_FREE_SPACE_DIVISOR=1
    real $program divided.data --divisor=1
    is "$program: it was recorded with which divisor" "$(asked 'd["predictions"][0]["setting"]["divisor"]')" 1
    record first.data $program GC_INITIAL_HEAP_SIZE=33554432
    real $program first.data --first-heap=32M
    ok "$program: a first heap is there in both" test "$(asked 'min(d["real"]["heap_bytes"],
        d["predictions"][0]["heap_bytes"]) >= 33554432')" = True
    record steps.data $program GC_ENABLE_INCREMENTAL=1
    real $program steps.data --incremental
}
# SPDX-License-Identifier: MIT
