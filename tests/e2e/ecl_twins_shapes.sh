#!/bin/sh
# Functions that gcc merged have both names, whichever code gcc keeps of the other one: at each optimisation level,
# and with options that change the beginning of functions.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >shapes.lisp <<'END'
(defun make-env ()
  (let ((h (make-hash-table :test 'equal))) (setf (gethash "a" h) 1) (setf (gethash "b" h) (list 1)) h))
(defun make-cache ()
  (let ((h (make-hash-table :test 'equal))) (setf (gethash "a" h) 1) (setf (gethash "b" h) (list 1)) h))
(defun pair-up (n) (dotimes (i n n) (setf *sink* (cons i n))))
(defun couple (n) (dotimes (i n n) (setf *sink* (cons i n))))
(defun keep (n) (dotimes (i n) (setf *sink* (cons n i)) (setf *sink* (cons i *sink*))) 1)
(defun store (n) (dotimes (i n) (setf *sink* (cons n i)) (setf *sink* (cons i *sink*))) 1)
(defun keep-caller (n) (keep n) n)
END
cat >run.lisp <<'END'
(defvar *sink* nil)
(load "shapes.fas")
(dotimes (i 10) (push (make-env) *sink*))
(dotimes (i 20) (push (make-cache) *sink*))
(pair-up 100)
(couple 200)
(keep 10)
(store 20)
(keep-caller 30)
(ext:quit 0)
END

# recorded OPTIONS: compiles with OPTIONS, and records.
recorded()
{
    cat >compile.lisp <<END
(require :cmp)
(setf c::*cc-optimize* "$1" *compile-verbose* nil)
(defvar *sink* nil)
(compile-file "shapes.lisp")
(ext:quit 0)
END
    "$ecl" --norc --shell compile.lisp >log 2>&1 </dev/null
    lisp run.mprof run.lisp
    is "$1: status" "$status" 0
}

# shape OPTIONS: calls `recorded OPTIONS`. Tests that merged functions, with and without parameters, have both names.
shape()
{
    recorded "$1"
    is "$1: functions without parameters" "$(objects HASH-TABLE "MAKE-CACHE or MAKE-ENV" run.mprof)" 30
    is "$1: functions with parameters" "$(objects CONS "COUPLE or PAIR-UP" run.mprof)" 300
    is "$1: functions whose values nobody uses" "$(objects CONS "KEEP or STORE" run.mprof)" $((2 * (10 + 20 + 30)))
    is "$1: who calls one of them is no twin" "$(objects CONS KEEP-CALLER run.mprof)" $((2 * 30))
}

shape "-O1 -fipa-icf"
shape "-Og -fipa-icf"
shape "-O2"
shape "-Os"
shape "-O2 -fcf-protection=full"
shape "-O2 -fno-optimize-sibling-calls"
shape "-O2 -fno-omit-frame-pointer"
shape "-O2 -fpatchable-function-entry=2"
shape "-O2 -fstack-protector-all"
shape "-Os -fstack-protector-all"

# Here one function is inlined into the other, as debug information shows.
recorded "-O3"
is "-O3: functions without parameters" \
    "$(objects HASH-TABLE MAKE-ENV run.mprof) $(objects HASH-TABLE MAKE-CACHE run.mprof)" "10 20"
is "-O3: functions with parameters" "$(objects CONS "COUPLE or PAIR-UP" run.mprof)" 300
plan
# SPDX-License-Identifier: MIT
