#!/bin/sh
# mprof replay against real runs: three programs of ECL, recorded once, and run with other settings of the collector.
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

# record FILE PROGRAM [NAME=VALUE]
record()
{
    run env ${3+"$3"} "$mprof" run -q -o "$1" -- "$ecl" --norc --load "$2.fas" --eval '(ext:quit 0)'
}

# real FILE, predicted FILE OPTION...: "collections bytes-of-the-heap" of a row; row PREFIX: of that in ./out
row()
{
    sed -n "s/^$1  *\([0-9]\)/\1/p" out | tr -d , | awk '{
        unit["B"] = 1; unit["kB"] = 1e3; unit["MB"] = 1e6; unit["GB"] = 1e9; unit["TB"] = 1e12
        printf "%d %.0f\n", $1, $(NF - 1) * unit[$NF] }'
}
real() { run "$mprof" replay "$1"; row "as it was recorded"; }
predicted() { run "$mprof" replay "$@"; sed -n '7p' out >line; mv line out; row "[A-Z-][^ ]*"; }

# near TEXT PREDICTED REAL PERCENT: neither is off by more
near()
{
    ok "$1: $2 predicted, $3" awk -v p="$2" -v r="$3" -v most="$4" 'BEGIN {
        split(p, a); split(r, b)
        for (i = 1; i <= 2; i++)
            if (b[i] <= 0 || a[i] > b[i] * (1 + most / 100) || a[i] * (1 + most / 100) < b[i])
                exit 1 }'
}

for program in strings trees table; do
    "$ecl" --norc --eval "(progn (compile-file \"$program.lisp\") (ext:quit 0))" >log 2>&1
    record $program.data $program
    is "$program: status" "$status" 0
    run "$mprof" replay $program.data
    is "$program: replayed" "$status $(cat err)" "0 "
    has "$program: which collector" out '^ECL [0-9.]*: .* allocated between the first collection and the last'
    # The heap grows by a third of its size at a time, also in the replay: where little decides if it does once more,
    # as with trees, both may be that far apart.
    near "$program: the same" "$(row 'the same, replayed')" "$(row 'as it was recorded')" 34
    is "$program: all collections" "$(row 'as it was recorded' | cut -d' ' -f1)" \
        "$("$mprof" report --no-pager $program.data | sed -n 's/^Collections *\([0-9,]*\).*/\1/p' | tr -d ,)"
    record divided.data $program GC_FREE_SPACE_DIVISOR=1
    near "$program: divisor 1" "$(predicted --divisor=1 $program.data)" "$(real divided.data)" 100
    record first.data $program GC_INITIAL_HEAP_SIZE=33554432
    near "$program: first heap" "$(predicted --first-heap=32M $program.data)" "$(real first.data)" 60
    record steps.data $program GC_ENABLE_INCREMENTAL=1
    near "$program: in steps" "$(predicted --incremental $program.data)" "$(real steps.data)" 300
done
has "what was in steps is said" out ', incremental$'
has "its time is not known" out '^as it was recorded +[0-9]+ +\? '

run "$mprof" replay strings.data
has "one is proposed" out '^To choose: GC_'
run "$mprof" replay --most-heap=50M strings.data
has "too little memory: said" out 'out of memory after [0-9.]+ MB$'
run "$mprof" replay --divisor=0 strings.data
is "divisor 0: status" "$status $(cat err)" "2 mprof: --divisor=0: not a number from 1 to 1000; see mprof replay --help"
"$mprof" run -q -o c.data true
run "$mprof" replay c.data
is "nothing collected: status" "$status $(cat err)" \
    "1 mprof: 0 collections of a collected heap were recorded; a replay needs 4"
plan
