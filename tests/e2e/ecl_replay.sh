#!/bin/sh
# mprof replay: properties that the simulated policy must have whatever the collector did, and that the stated error
# against real runs with other settings follows from the figures.
#
# When a collection comes and what it frees differs from run to run: stacks are scanned conservatively, addresses are
# random, and incremental steps are bounded by time. So no test depends on the accuracy of a prediction, except for
# one program whose heap is nearly the same in each run. mprof-replay(1) has measured figures.
. "${srcdir:-.}/tests/e2e/replay_lib.sh"

policy table
prints "a real run says with which divisor it was" '^GC_FREE_SPACE_DIVISOR=1 ' "$mprof" replay --real=divided.data table.data
has "... and has a row" out '^the real run '
prints "what was in steps is said" ', incremental$' "$mprof" replay steps.data
has "its time is not known" out '^as it was recorded +[0-9]+ +\? '

run "$mprof" replay --divisor=8 table.data
hasnt "of one setting none is proposed" out '^Recommended'
# A heap limit below the live bytes is too small, whenever collections happen.
json table.data
least=$(asked 'd["most_live_bytes"] // 2')
prints "too little memory: said" 'out of memory after [0-9.]+ MB$' "$mprof" replay --most-heap="$least" table.data
json --most-heap="$least" table.data
ok "... in JSON, too" test "$(asked 'd["predictions"][0]["out_of_memory_after_bytes"] > 0')" = True
run "$mprof" replay --divisor=0 table.data
is "divisor 0: status" "$status $(cat err)" "2 mprof: --divisor=0: not a number from 1 to 1000; see mprof replay --help"
"$mprof" run -q -o c.data true
says "nothing collected: status" "1 mprof: 0 collections of a collected heap were recorded; a replay needs 4" \
    "$mprof" replay c.data
run "$mprof" replay --json --real=c.data table.data
is "nothing collected in the real run: status, and nothing is written" "$status $(cat err) $(wc -c <out)" \
    "1 mprof: c.data: no collection of a collected heap was recorded 0"

# ------------------------------------------------------------------ a log of each object

# Three threads allocate concurrently, and the program is killed.
cat >killed.lisp <<'END'
(defun work () (let (keep) (dotimes (i 30000) (push (make-string (mod i 99)) keep) (list i i i)
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
says "--record: status" "0 " "$mprof" run -q --record -o tables.data -- "$ecl" --norc --load table.fas --eval '(ext:quit 0)'
logged tables.data
ok "the settings that were in force give the collections that there were, or a quarter or 3 more or fewer" \
    $python - <<'END'
import json
document = json.load(open("json"))
replayed, recorded = document["replayed"]["collections"], document["recorded"]["collections"]
assert abs(replayed - recorded) <= max(3, recorded / 4), (replayed, recorded)
END
json --divisor=1 --real=divided.data tables.data
ok "the error of sums is shown beside" test "$(asked 'sorted(d["real"]["error_percent_of_sums"])')" = \
    "['collections', 'heap', 'pauses']"
run "$mprof" replay --divisor=1 --real=divided.data tables.data
has "what is replayed is said" out '^replayed from tables\.data\.log: [0-9,]+ allocations, .* no event is missing$'
has "... also as text" out '^A prediction from sums alone would differ by$'
prints "--sums" '^replayed from sums of the collections$' "$mprof" replay --sums tables.data
json --sums tables.data
is "... in JSON" "$(asked 'd["log"]')" None
cp killed.data.log tables.data.log
says "the log of another recording" "1 mprof: tables.data.log is the log of another recording" "$mprof" replay tables.data
printf mine >divided.data.log
says "what is no log" "1 mprof: divided.data.log is not a log of mprof run --record" "$mprof" replay divided.data
record tables.data table
ok "a recording without a log removes the old one" test ! -e tables.data.log
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
assert n >= 10, n
END
else
    skip "JSON: all of it is as the schema says" "python3-jsonschema is not installed"
fi
plan
# SPDX-License-Identifier: MIT
