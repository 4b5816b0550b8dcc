#!/bin/sh
# (mprof:why object), (mprof:retained-size object) and (mprof:heap), typed at a prompt; they leave no files.
# tests/lisp/why.lisp and tests/lisp/census.lisp test the answers.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

mkdir files
TMPDIR=$tmp/files
export TMPDIR

# typed: sends standard input to a REPL.
typed()
{
    "$ecl" --norc --load "$top/lisp/mprof.fas" >out 2>err
    status=$?
}

typed <<'END'
(defvar *list* nil)
(progn (setf *list* (list 1 (make-string 3 :initial-element #\a))) nil)
(mprof:why (second *list*))
(mprof:why *)
(list 5 6)
(mprof:why *)
(mprof:retained-size **)
(list 7 8)
(mprof:retained-size *)
(progn (setf *list* **) nil)
(mprof:why *list*)
(ext:quit 0)
END
is "a REPL: status" "$status" 0
has "... a variable" out '^(> )?\*LIST\* \(values of symbols, COMMON-LISP-USER\)$'
has "... a slot" out '^  cdr: CONS, 16 bytes$'
has "... the object" out '^  car: STRING "aaa", [0-9]+ bytes$'
is "... what only the REPL remembers" "$(grep -c 'Only what asks for it' out)" 2
has "... and the size of that" out '^(> )?32$'

cat >room.lisp <<'END'
(defvar *kept* (loop for i below 200000 collect (list i)))
(handler-case (mprof:why (first *kept*))
  (mprof:snapshot-failed (condition) (format t "~A~%" condition)))
(ext:quit 0)
END
(
    ulimit -f 200
    exec "$ecl" --norc --load "$top/lisp/mprof.fas" --shell room.lisp
) >out 2>err </dev/null
is "no room for the file: status" "$?" 0
has "... why" out '^No snapshot of the heap can be made: nothing was collected, or the file was not written to its end\.$'
TMPDIR=/nowhere returns "no folder for it: status" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" --shell room.lisp
has "... why" out '^No snapshot of the heap can be made: No such file or directory\.$'
is "no file is left" "$(ls files)" ""

# The running image: closures have their names without a recording, and nothing remains.
cat >closures.lisp <<'END'
(defvar *closures* '())
(defun make-counter (n) (lambda () (incf n)))
(defun open-session (n) (flet ((bye () (print n))) (push #'bye *closures*) (push (make-counter n) *closures*)))
END
typed <<'END'
(let ((*compile-verbose* nil)) (load (compile-file "closures.lisp")))
(progn (dotimes (i 50) (open-session i)) (mprof:heap :type "CLOSURE" :max nil))
(progn (dotimes (i 50) (open-session i)) (mprof:heap :sort :growth :max 30))
(ext:quit 0)
END
is "heap: status" "$status" 0
has "... a closure in its function" out '^ *50 +[0-9,]+ +[0-9.]+ CLOSURE LAMBDA in MAKE-COUNTER$'
has "... a local function" out '^ *50 +[0-9,]+ +[0-9.]+ CLOSURE BYE in OPEN-SESSION$'
has "... grown since" out '^ *100 +[+]50 .* CLOSURE BYE in OPEN-SESSION$'
has "... who holds them" out ' value +COMMON-LISP-USER +[*]CLOSURES[*]$'
is "... no file is left" "$(ls files)" ""

cat >killed.lisp <<'END'
(defvar *kept* (loop for i below 2000000 collect (list i)))
(mprof:why (first *kept*))
END
"$ecl" --norc --load "$top/lisp/mprof.fas" --shell killed.lisp >out 2>err </dev/null &
pid=$!
written()
{
    set -- files/mprof-*
    [ -s "$1" ]
}
until_true 60 written
kill -KILL "$pid"
wait "$pid" 2>/dev/null
typed <<'END'
(defvar *list* (list 1))
(mprof:retained-size *list*)
(ext:quit 0)
END
is "what one left that was killed, the next one removes" "$status $(ls files)" "0 "

run "$mprof" run -q -o sites.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell room.lisp
has "while it is recorded" out '^\*KEPT\* '
is "... no snapshot of it is left" "$(ls sites.mprof* files)" "sites.mprof

files:"
plan
# SPDX-License-Identifier: MIT
