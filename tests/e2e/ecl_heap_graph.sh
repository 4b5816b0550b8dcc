#!/bin/sh
# Snapshots of ECL's heap with its references: a known heap is read by an independent reader; snapshots are requested
# in all ways; the program does not notice, whatever becomes of the writer. Most of the time is spent in the reader,
# which is written in Python.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

PYTHONPATH="$src/tests/e2e"
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# graph FILE WHAT...: tests whether FILE is a snapshot of the heap of heap-graph.lisp. $tmp/log has "N strings,
# DATA-FILE" and what is wrong.
graph()
{
    python3 "$src/tests/e2e/ecl_heap_graph.py" "$@" >"$tmp/log" 2>&1
    is "$1: the graph" "$? $(sed '$!d; s/^[0-9]* checked, //' "$tmp/log")" "0 0 failed"
    sed 's/^/# /' "$tmp/log"
}

# facts FILE NAME...: prints facts of the snapshot.
facts()
{
    python3 -c 'import sys; from heap_read import Heap
heap = Heap(sys.argv[1])
print(*[heap.facts.get(name) for name in sys.argv[2:]])' "$@"
}

# complete FILE: returns whether the snapshot is complete. Its first bytes are written last.
complete()
{
    [ "$(head -c 8 "$1" | tr -d '\0')" = MPROFHEA ]
}

# asked FILE: prints who requested the snapshot, which already contains names, and its number.
asked()
{
    "$mprof" heap --json "$1" | jq -r '.heaps[0] | "\(.trigger) \(.number)"'
}

cp "$src/tests/ecl/heap-graph.lisp" "$src/tests/ecl/heap-waits.lisp" .
returns "compile" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" --eval '(progn (compile-file "heap-graph.lisp") (ext:quit 0))'

# snapshot FILE [KEY VALUE]...: makes a snapshot of that heap, without mprof run, which would seal it. The program is
# recorded to $recording if that is set.
recording=
snapshot()
{
    file=$1
    shift
    run env ${recording:+LD_PRELOAD="$library"} MPROF_FILE="$recording" \
        "$ecl" --norc --load "$top/lisp/mprof.fas" --shell heap-graph.fas -- "$tmp/$file" "$@"
}

# made TEXT: tests that the program that made the snapshot ended with the right status and output.
made()
{
    is "$1: status and output" "$status $(sed '/^;/d' out)" "0 4 threads, 1000 lists"
}

snapshot plain.heap
made "while all threads run"
graph plain.heap
at_least "... there are strings" "$(sed -n 's/ strings,.*//p' log)" 100
snapshot plain.heap
is "a file that is there is not replaced" "$status" 1
has "... why" err 'File exists'
recording=place.mprof
snapshot named.heap :fork nil
made "without a copy, while it is recorded"
graph named.heap stopped in-place sites names
SMALL=1
export SMALL
recording=graph.mprof
snapshot sites.heap
made "while it is recorded"
graph sites.heap small sites names
has "... and the recording says which it is" log " strings, $tmp/graph.mprof\$"
recording=
snapshot gc.heap :gc t :name '"by this name"'
made "after a collection"
graph gc.heap small stopped named
snapshot place.heap :fork nil
made "without a copy"
graph place.heap small stopped in-place

# ---- other processes, signals, collections
# waiting OPTION...: starts the program under mprof run with these options.
waiting()
{
    rm -f ready end
    "$mprof" run "$@" -o waits.mprof -- "$ecl" --norc --shell heap-waits.lisp >waits.out 2>waits.err </dev/null &
    run=$!
    until_true 60 test -s ready
    pid=$(program_of "$run")
}

ended()
{
    : >end
    wait "$run"
    is "$1: status and output" "$? $(cat waits.out)" "3 done 1000"
}

waiting --heap-signal=USR2
returns "on request: status" 0 "$mprof" snapshot --heap "$pid"
has "... says where it is" out "^mprof: the heap of process $pid is in $tmp/waits.mprof.1.heap; to see it:\$"
is "... and why it is" "$(asked waits.mprof.1.heap)" "mprof 1"
run "$mprof" snapshot --heap -o asked.heap "$pid"
is "... into a file with a name" "$status $(asked asked.heap)" "0 mprof 2"
returns "... which is not replaced" 1 "$mprof" snapshot --heap -o asked.heap "$pid"
has "... with one line" err '^mprof: .*asked.heap'
returns "a folder that is not there" 1 "$mprof" snapshot --heap -o /nowhere/asked.heap "$pid"
kill -USR2 "$pid"
until_true 60 complete waits.mprof.3.heap
is "by a signal" "$(facts waits.mprof.3.heap trigger number)" "3 3"
ended "asked and signalled"

rm -f waits.mprof.*
MPROF_HEAP_SIGNAL=USR2
export MPROF_HEAP_SIGNAL
waiting
kill -USR2 "$pid"
until_true 60 complete waits.mprof.1.heap
is "by a signal that the environment names" "$(facts waits.mprof.1.heap trigger number)" "3 1"
ended "signalled"
unset MPROF_HEAP_SIGNAL

rm -f waits.mprof.*
MPROF_HEAP_EVERY=x waiting --heap-every=1
until_true 60 complete waits.mprof.1.heap
facts waits.mprof.1.heap trigger number "threads without registers" "since start" >facts
is "after a collection" "$(cut -d' ' -f1-3 facts)" "4 1 0"
at_least "... when so many seconds have passed, ns" "$(cut -d' ' -f4 facts)" 1000000000
ended "after collections"
for option in --heap-signal=KILL --heap-signal=x --heap-every=0 --heap-every=x --heap-every=-1 --heap-every=0.001 --heap-every=1.5s; do
    refuses "$option is refused" 2 "^mprof: $option" "$mprof" run $option true
done
refuses "one signal for two is refused" 2 '^mprof: ' "$mprof" run --signal=USR2 --heap-signal=USR2 true

# A snapshot at each collection. At most 64 are kept; they are thinned out, so that they remain spread over the time.
cat >each.lisp <<'END'
(defvar *kept* '())
(dotimes (i (parse-integer (ext:getenv "COLLECTIONS"))) (push (make-array 10) *kept*) (si::gc t) (sleep 0.02))
(ext:quit 0)
END
COLLECTIONS=100 says "after each collection: status" "0 " "$mprof" run -q --heap-every=gc -o each.mprof -- "$ecl" --norc --shell each.lisp
made=$(find . -name 'each.mprof.*.heap' | wc -l)
within "... so many snapshots are kept" "$made" 16 64
"$mprof" plot --heaps --data each.mprof | awk '/^seconds/ { inside = 1; next } inside && NF == 0 { exit }
    inside { print $1; }' >each.times
is "... they are spread over the time" "$(awk '{ t[NR] = $1 } END {
    for (i = 2; i <= NR; i++) if (t[i] - t[i - 1] > largest) largest = t[i] - t[i - 1]
    print largest < (t[NR] - t[1]) / 3 }' each.times)" 1
run "$mprof" run -q --heap-every=1000 -o none.mprof -- "$ecl" --norc --eval '(ext:quit 0)'
is "none was made: that is said" "$(cat err)" \
    "mprof: --heap-every=1000: no snapshot was made: there was no full collection after that time"
COLLECTIONS=40 says "fractions of a second: status" "0 " "$mprof" run -q --heap-every=0.05 -o some.mprof -- "$ecl" --norc --shell each.lisp
at_least "... there are several" "$(find . -name 'some.mprof.*.heap' | wc -l)" 5
run "$mprof" run -q --heap-every=gc -o c.mprof -- true
is "a program without a collector: that is said" "$status $(cat err)" \
    "0 mprof: --heap-every=gc: no snapshot was made: the program has no garbage collector; give seconds"

rm -f ready end
# ---- what goes wrong
cat >fails.lisp <<'END'
(defvar *kept* (loop for i below 200000 collect (list i)))
(handler-case (mprof:heap-snapshot :file "fails.heap")
  (mprof:snapshot-failed (condition) (format t "~A~%" condition)))
(format t "~D ~A~%" (length *kept*) (probe-file "fails.heap"))
(ext:quit 0)
END
sed 's/"fails.heap")$/"fails.heap" :fork nil)/' fails.lisp >place.lisp
for how in fails place; do
    (
        ulimit -f 200
        exec "$ecl" --norc --load "$top/lisp/mprof.fas" --shell $how.lisp
    ) >out 2>err </dev/null
    is "no room for the file, $how: status" "$?" 0
    has "... why" out '^No snapshot of the heap.* can be made: File too large\.$'
    has "... and nothing is left" out '^200000 NIL$'
done
MPROF_FAULT=fork:1 run "$mprof" run -o fault.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell fails.lisp
is "no copy can be made: status" "$status" 0
if grep -q '^#define MP_FAULTS 1' "$top/config.h"; then
    has "... why" out 'Resource temporarily unavailable'
    has "... and nothing is left" out '^200000 NIL$'
fi

cat >killed.lisp <<'END'
(defvar *kept* (loop for i below 2000000 collect (list i)))
(mprof:heap-snapshot :file "killed.heap" :wait nil)
(with-open-file (stream "ready" :direction :output) (write-line "ready" stream))
(loop until (probe-file "end") do (sleep 0.01))
(format t "~D~%" (length *kept*))
(ext:quit 0)
END
rm -f ready end
"$ecl" --norc --load "$top/lisp/mprof.fas" --shell killed.lisp >out 2>err </dev/null &
run=$!
until_true 60 test -s ready
ok "a copy writes" pkill -KILL -P "$run"
: >end
wait "$run"
is "the writer is killed: the program's status and output" "$? $(sed '/^;/d' out)" "0 2000000"
is "... and what it left is no snapshot" "$(head -c 8 killed.heap | tr -d '\0')" ""

# ---- beginnings of strings
# strings FILE: prints how many strings the snapshot contains.
strings()
{
    python3 -c 'import sys; from heap_read import Heap
print(sum(o.beginning is not None for o in Heap(sys.argv[1]).objects.values()))' "$1"
}

snapshot none.heap :strings nil
is "no strings were requested" "$status $(strings none.heap)" "0 0"
recording=strings.mprof
MPROF_HEAP_STRINGS=1 snapshot some.heap :strings nil
is "the environment asks for them: status" "$status" 0
at_least "... and there are some" "$(strings some.heap)" 100
for option in "" --heap-strings; do
    rm -f waits.mprof.*
    waiting --heap-signal=USR2 $option
    kill -USR2 "$pid"
    until_true 60 complete waits.mprof.1.heap
    strings waits.mprof.1.heap >number
    ended "signalled${option:+, with $option}"
    if [ "$option" ]; then
        at_least "... there are strings" "$(cat number)" 100
    else
        is "... there are no strings" "$(cat number)" 0
    fi
done
plan
# SPDX-License-Identifier: MIT
