#!/bin/sh
# mprof replay: properties that the simulated policy must have whatever the collector did, and that the stated error
# against real runs with other settings follows from the figures.
#
# When a collection comes and what it frees differs from run to run: stacks are scanned conservatively, addresses are
# random, and incremental steps are bounded by time. So no test depends on the accuracy of a prediction, except for
# one program whose heap is nearly the same in each run. mprof-replay(1) has measured figures.
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
(run 120000)
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

for program in strings trees table; do
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
done
prints "a real run says with which divisor it was" '^GC_FREE_SPACE_DIVISOR=1 ' "$mprof" replay --real=divided.data table.data
has "... and has a row" out '^the real run '
prints "what was in steps is said" ', incremental$' "$mprof" replay steps.data
has "its time is not known" out '^as it was recorded +[0-9]+ +\? '

run "$mprof" replay --divisor=8 strings.data
hasnt "of one setting none is proposed" out '^Recommended'
# A heap limit below the live bytes is too small, whenever collections happen.
json strings.data
least=$(asked 'd["most_live_bytes"] // 2')
prints "too little memory: said" 'out of memory after [0-9.]+ MB$' "$mprof" replay --most-heap="$least" strings.data
json --most-heap="$least" strings.data
ok "... in JSON, too" test "$(asked 'd["predictions"][0]["out_of_memory_after_bytes"] > 0')" = True
run "$mprof" replay --divisor=0 strings.data
is "divisor 0: status" "$status $(cat err)" "2 mprof: --divisor=0: not a number from 1 to 1000; see mprof replay --help"
"$mprof" run -q -o c.data true
says "nothing collected: status" "1 mprof: 0 collections of a collected heap were recorded; a replay needs 4" \
    "$mprof" replay c.data
run "$mprof" replay --json --real=c.data strings.data
is "nothing collected in the real run: status, and nothing is written" "$status $(cat err) $(wc -c <out)" \
    "1 mprof: c.data: no collection of a collected heap was recorded 0"

# ------------------------------------------------------------------ a log of each object

# Three threads allocate concurrently, and the program is killed.
cat >killed.lisp <<'END'
(defun work () (let (keep) (dotimes (i 60000) (push (make-string (mod i 99)) keep) (list i i i)
                                               (when (zerop (mod i 9000)) (setf keep nil)))))
(mapc #'mp:process-join (loop repeat 3 collect (mp:process-run-function 'worker #'work)))
(si::gc t)
(si:killpid (si:getpid) 9)
END
"$ecl" --norc --eval '(progn (compile-file "killed.lisp") (ext:quit 0))' >log 2>&1

# logged FILE: tests that the log of FILE has the same figures as the recording.
logged()
{
    json "$1"
    is "$1: the log has all bytes of the recording" "$(asked 'd["log"]["allocated_bytes"]')" "$(total lisp-bytes "$1")"
    is "... and all collections" "$(asked 'd["log"]["collections"]')" "$(asked 'd["recorded"]["collections"]')"
    is "... and what was freed or died" "$(asked 'd["log"]["ended_bytes"]')" "$(total lisp-freed "$1")"
    is "... and nothing is missing" "$(asked 'd["log"]["missing_events"]')" 0
}

returns "killed by SIGKILL: status" 137 "$mprof" run -q --record -o killed.data -- "$ecl" --norc --load killed.fas
logged killed.data
says "--record: status" "0 " "$mprof" run -q --record -o trees.data -- "$ecl" --norc --load trees.fas --eval '(ext:quit 0)'
logged trees.data
# Not with trees.lisp, whose heap takes one of two sizes by chance.
"$mprof" run -q --record -o tables.data -- "$ecl" --norc --load table.fas --eval '(ext:quit 0)'
logged tables.data
ok "the settings that were in force give the collections that there were, or a quarter or 3 more or fewer" \
    $python - <<'END'
import json
document = json.load(open("json"))
replayed, recorded = document["replayed"]["collections"], document["recorded"]["collections"]
assert abs(replayed - recorded) <= max(3, recorded / 4), (replayed, recorded)
END
json --divisor=1 --real=divided.data trees.data
ok "the error of sums is shown beside" test "$(asked 'sorted(d["real"]["error_percent_of_sums"])')" = \
    "['collections', 'heap', 'pauses']"
run "$mprof" replay --divisor=1 --real=divided.data trees.data
has "what is replayed is said" out '^replayed from trees\.data\.log: [0-9,]+ allocations, .* no event is missing$'
has "... also as text" out '^A prediction from sums alone would differ by$'
prints "--sums" '^replayed from sums of the collections$' "$mprof" replay --sums trees.data
json --sums trees.data
is "... in JSON" "$(asked 'd["log"]')" None
cp killed.data.log trees.data.log
says "the log of another recording" "1 mprof: trees.data.log is the log of another recording" "$mprof" replay trees.data
printf mine >divided.data.log
says "what is no log" "1 mprof: divided.data.log is not a log of mprof run --record" "$mprof" replay divided.data
record trees.data trees
ok "a recording without a log removes the old one" test ! -e trees.data.log
run "$mprof" run -q --record -o c.data true
is "a program without ECL" "$status $(cat err)" "0 mprof: --record: the program has no heap of ECL, so nothing was logged"
ok "... has no log" test ! -e c.data.log
if $python -c 'import jsonschema' 2>/dev/null; then
    ok "JSON: all of it is as the schema says" $python - "$src/doc/mprof-replay.schema.json" <<'END'
import json, jsonschema, sys
validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
text, n = open("all.json").read().strip(), 0
while text:
    document, end = json.JSONDecoder().raw_decode(text)
    validator.validate(document)
    text, n = text[end:].strip(), n + 1
assert n >= 15, n
END
else
    skip "JSON: all of it is as the schema says" "python3-jsonschema is not installed"
fi
plan
