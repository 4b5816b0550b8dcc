#!/bin/sh
# What mprof heap shows of ECL's heap: structures and their slots as one row, and what each slot retains; dynamic
# bindings of threads; keys of hash tables; names of symbols, functions and classes; containers by retained size;
# libgc's own memory, free memory, and live memory.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >shown.lisp <<'END'
(defstruct node a b)
(defvar *nodes* (loop for i below 1000 collect (make-node :a (make-array 100) :b (list i))))
(defvar *numbers* (make-hash-table))
(defvar *letters* (make-hash-table))
(defvar *names* (make-hash-table :test 'eq))
(defvar *bound* nil)
(defvar *leaf* (make-node))
(defvar *list* (list 1 *leaf*))
(defvar *vector* (vector *leaf* 'a-symbol #'make-node (find-class 'node)))
(dotimes (i 12) (setf (gethash (- i 10) *numbers*) (list i)))
(dotimes (i 1000) (setf (gethash (+ i 100000) *numbers*) i))
(dolist (letter '(#\a #\Space)) (setf (gethash letter *letters*) (make-array 3)))
(dolist (name '(mine :key car nil)) (setf (gethash name *names*) (make-array 4)))
(dotimes (i 5000) (let ((node (make-node))) (push node *nodes*) (ext:set-finalizer node #'identity)))
(defvar *ready* nil)
(defvar *end* nil)
(defparameter *holder*
  (mp:process-run-function 'holder (lambda ()
                                     (let ((*bound* (make-array 200000)))
                                       (setf *ready* t)
                                       (loop until *end* do (sleep 0.01))
                                       (length *bound*)))))
(loop until *ready* do (sleep 0.01))
(mprof:heap-snapshot :gc t :file "shown.heap")
(setf *end* t)
(mp:process-join *holder*)
(ext:quit 0)
END

# rows TABLE FILTER OPTION...: prints the result of the jq FILTER for the tables of that name.
rows()
{
    table=$1 filter=$2
    shift 2
    "$mprof" heap --json --max=all "$@" shown.heap |
        jq -r --arg table "$table" '[.tables[] | select(.name == $table).rows] | '"$filter"
}

# data VARIABLE: prints the address of the data of the vector, or of the entries of the hash table, to which only
# VARIABLE refers.
data()
{
    rows references '.[0][] | select(.name == "data" or .name == "entries").address' \
        --object="$(rows held '.[0][0].address' --root="$1")"
}

# keys VARIABLE TYPE: prints the names of the values of TYPE in the variable's hash table.
keys()
{
    for address in $(rows references ".[0][] | select(.object == \"$2\").address" --object="$(data "$1")"); do
        rows path '.[0][-1].slot' --object="$address" --path
    done | sort
}

# looked HOW: makes all tests of shown.heap.
looked()
{
    is "$1: a structure is one row, without its slots" \
        "$(rows types '.[0][] | select(.type | startswith("NODE")) | "\(.type) \(.objects) \(.shallow)"')" \
        "NODE 6001 $((6001 * (64 + 16)))"
    rows parts '.[0] | sort_by(.type)[] | "\(.type) \(.objects) \(.shallow)"' --type=NODE --slots >parts
    is "$1: its parts, where they are asked for" "$(cat parts)" "NODE 6001 $((6001 * 64))
NODE: slots 6001 $((6001 * 16))"
    is "$1: what its slots retain" \
        "$(rows slots '.[0][] | "\(.slot) \(.objects) \(.retained)"' --type=NODE --slots)" "A 1000 848000
B 1000 16000"
    is "$1: the part by itself" "$(rows set '.[0][0] | "\(.objects) \(.bytes)"' --type='NODE: slots')" \
        "6001 $((6001 * 16))"
    is "$1: what a thread has bound, by variable and thread" \
        "$(rows roots '.[0][] | select(.title == "*BOUND*" and (.group | test("HOLDER"; "i"))) |
            "\(.kind) \(.retained > 1600000)"')" "value true"
    rows containers '.[0][] | "\(.elements) \(.container)"' >containers
    has "$1: keys that are numbers" containers '^1012 HASH-TABLE EQL.* FIXNUM -> immediate values'
    has "$1: keys that are characters" containers '^2 HASH-TABLE EQL.* CHARACTER -> '
    is "$1: containers by what they retain" \
        "$(rows containers '.[0] | map(.retained) == (map(.retained) | sort | reverse), any(.retained > 2 * .bytes)')" \
        "true
true"
    keys '*NUMBERS*' CONS >numbers
    is "$1: values of a table by numbers" "$(grep -c '^value of -\{0,1\}[0-9]*$' numbers) $(sed -n 1p numbers)" "12 value of -1"
    is "$1: ... by characters" "$(keys '*LETTERS*' '(VECTOR T)' | tr '\n' ' ')" 'value of #\Space value of #\a '
    is "$1: ... by symbols" "$(keys '*NAMES*' '(VECTOR T)' | tr '\n' ' ')" \
        'value of :KEY value of CAR value of MINE value of NIL '
    rows references '.[0][] | "\(.object) \(.address)"' --object="$(data '*VECTOR*')" >vector
    has "$1: a symbol has its name" vector '^SYMBOL A-SYMBOL 0x'
    has "$1: ... a function" vector '^(BYTECODES|FUNCTION|INTERPRETED-CLOSURE) MAKE-NODE 0x'
    has "$1: ... a class" vector '^STRUCTURE-CLASS NODE 0x'
    leaf=$(sed -n 's/^NODE //p' vector)
    is "$1: all ways to what several hold" "$(rows path 'map(.[0].object) | sort | join(" ")' --object="$leaf" --path=all)" \
        '*LEAF* *LIST* *VECTOR*'
    is "$1: ... the references to be cleared" \
        "$(rows cut '.[0] | map("\(.slot) \(.object)") | sort | join(", ")' --object="$leaf" --path=all)" \
        "0 (VECTOR T) data, car CONS, values of symbols, COMMON-LISP-USER *LEAF*"
    is "$1: ... more than two" "$(rows cut '.[0] | length' --object="$leaf" --path=2)" 0
    is "$1: ... and what refers to it" "$(rows referrers '.[0] | length' --object="$leaf" --referrers)" 3
    at_least "$1: libgc's own, for finalizers" \
        "$(rows types '.[0][] | select(.type == "finalizer in libgc").objects')" 5000
    is "$1: what is free and what is live are the heap, nearly" "$("$mprof" heap --json --max=all shown.heap |
        jq '.heaps[0] as $h | ([.tables[] | select(.name == "free").rows[].bytes] | add) as $free |
            $h.live_bytes + $free <= $h.heap_bytes and $h.live_bytes + $free > $h.heap_bytes * 0.95')" true
}

returns "status" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" --shell shown.lisp
looked "raw"
is "raw: no object has a site, because nothing was recorded" \
    "$("$mprof" heap --json shown.heap | jq '.heaps[0] | .objects - .missing_sites')" 0
rm -f shown.heap
returns "recorded: status" 0 "$mprof" run -q -o shown.data -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell shown.lisp
looked "sealed"

cat >collects.lisp <<'END'
(defvar *kept* (loop for i below 10000 collect (list i)))
(let ((end (+ (get-universal-time) 60)))
  (loop until (or (probe-file "collects.data.1.heap") (> (get-universal-time) end))
        do (make-array 100000) (ext:gc t)))
(ext:quit 0)
END
run "$mprof" run -q --heap-every=1 -o collects.data -- "$ecl" --norc --shell collects.lisp
is "after a collection: what is live" "$("$mprof" heap --json collects.data.1.heap | jq '.heaps[0] |
    .live_bytes > 1000000 and .live_bytes < .heap_bytes and .word_bytes == 8')" true
plan
# SPDX-License-Identifier: MIT
