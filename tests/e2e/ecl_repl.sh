#!/bin/sh
# A session at ECL's prompt is the same under mprof: errors, the debugger, limits, started programs.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# session TEXT LINES: tests that LINES, typed at the prompt, give the same output as without mprof.
session()
{
    printf '%s\n' "$2" >lines
    "$ecl" --norc <lines >native.out 2>native.err
    native=$?
    "$mprof" run -q -o session.mprof -- "$ecl" --norc <lines >out 2>err
    is "$1: status" "$?" "$native"
    for file in native.out native.err out err; do
        sed 's/0x[0-9a-f]*/ADDRESS/g' $file >$file.same
    done
    ok "$1: output" diff native.out.same out.same
    ok "$1: errors" diff native.err.same err.same
}

session "forms" '(+ 1 2)
(defun f (n) (loop for i below n collect (* i i)))
(f 10)
(values 1 2 3)'
session "the debugger" '(error "one")
(+ 1 1)
(car 5)
:backtrace
(undefined-function 1 2)
:r1
(handler-bind ((error (lambda (c) (princ c)))) (error "two"))
:q
(+ 2 2)'
session "the end from the debugger" '(error "one")
(ext:quit 9)'
session "the stack's end" '(defun deep (n) (+ 1 (deep (+ n 1))))
(handler-case (deep 0) (ext:stack-overflow () :overflow))
(compile (quote deep))
(handler-case (deep 0) (ext:stack-overflow () :compiled))
(handler-case (deep 0) (ext:stack-overflow () :again))
(length (list 1 2 3))'
session "the heap's end" '(ext:set-limit (quote ext:heap-size) 50000000)
(defun fill-heap () (let ((l nil)) (loop (push (make-array 10000) l))))
(handler-case (fill-heap) (ext:storage-exhausted () :exhausted))
(ext:set-limit (quote ext:heap-size) 0)
(length (make-list 1000))
(handler-case (fill-small) (error () :undefined))'
session "bindings without end" '(defvar *a* 1)
(defun bind (n) (let ((*a* n)) (+ *a* (bind (1+ n)))))
(handler-case (bind 0) (ext:stack-overflow () :overflow))
*a*'
session "programs" '(ext:system "exit 3")
(multiple-value-bind (s code) (ext:run-program "/bin/sh" (list "-c" "echo out; echo err >&2; exit 4")
  :output t :error :output) s code)
(let ((s (ext:run-program "/bin/cat" nil :input :stream :output :stream :wait nil)))
  (write-line "through cat" s) (close (two-way-stream-output-stream s))
  (read-line s))
(with-open-stream (s (ext:run-program "/usr/bin/env" nil :output :stream))
  (loop for l = (read-line s nil) while l count (search "LD_PRELOAD" l)))'
session "threads" '(mp:process-join (mp:process-run-function 1 (lambda () (list 1 2 3))))
(let* ((up nil) (p (mp:process-run-function 1 (lambda () (setf up t) (loop (list 1 2))))))
  (loop until up do (sleep 0.01)) (mp:process-kill p) (ignore-errors (mp:process-join p)) :killed)
(let ((p (mp:process-run-function 1 (lambda () (mp:exit-process))))) (ignore-errors (mp:process-join p)) :left)'
session "compile" '(defun g (x) (list x x))
(setf *compile-verbose* nil *compile-print* nil)
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (compile (quote g)))
(g 2)
(gc)
(si::gc t)'

# If a signal ends the program, mprof run returns the status for that signal.
"$mprof" run -q -o signal.mprof -- "$ecl" --norc --eval '(ext:system "kill -TERM $PPID")' \
    --eval '(loop (list 1))' >out 2>err </dev/null
is "a signal" "$?" 143
plan
# SPDX-License-Identifier: MIT
