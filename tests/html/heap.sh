#!/bin/sh
# The view "Heap": the rows of each snapshot are those of mprof plot --json, what roots hold is as in mprof heap, and all
# controls and clicks work.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"
. "$src/tests/html/html_lib.sh"

cat >grow.lisp <<'END'
(defpackage #:app (:use #:common-lisp))
(in-package #:app)
(defclass thing () ((a :initarg :a)))
(defvar *things* '())
(defvar *vectors* '())
(defun things (n) (dotimes (i n) (push (make-instance 'thing :a i) *things*)))
(defun vectors (n) (dotimes (i n) (push (make-array 1000 :element-type 'double-float) *vectors*)))
(make-instance 'thing)
(mprof:heap-snapshot :name "before" :gc t)
(things 1000)
(mp:process-join (mp:process-run-function 'maker #'vectors 50))
(mprof:heap-snapshot :gc t)
(vectors 1950)
(mprof:heap-snapshot :name "after" :gc t)
(ext:quit 0)
END
"$ecl" --norc --load "$top/lisp/mprof.fas" --eval '(progn (compile-file "grow.lisp") (ext:quit 0))' >log 2>&1
record grow "$ecl" --norc --load "$top/lisp/mprof.fas" --shell grow.fas
page grow --heaps
cp grow.data plain.data
page plain
for by in type package function site file; do
    "$mprof" plot --heaps --json=$by.json --by=$by grow.data
done
"$mprof" heap --json --max=all grow.data.3.after.heap >after.json
"$mprof" heap --json --max=all --root='APP::*THINGS*' grow.data.3.after.heap >things.json
browse view_heap.py "$tmp"
# SPDX-License-Identifier: MIT
