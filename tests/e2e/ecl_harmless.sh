#!/bin/sh
# A Lisp program does the same under mprof as without it.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# same TEXT FORM: tests that output and status are those of a run without mprof.
same()
{
    printf '%s\n' "$2" >same.lisp
    "$ecl" --norc --shell same.lisp >native.out 2>native.err </dev/null
    native=$?
    lisp same.mprof same.lisp
    is "$1: status" "$status" "$native"
    ok "$1: output" cmp native.out "$tmp/out"
}

same "a value" '(print (reduce (function +) (loop for i below 1000 collect (* i i))))'
same "quit" '(print 1) (ext:quit 7)'
same "quit in a thread of control of its own" \
    '(unwind-protect (ext:quit 3) (print :unwound))'
same "an error that is handled" '(print (handler-case (error "x") (error () :handled)))'
same "an error that is not" '(error "nobody handles this")'
same "another program" '(print (nth-value 1 (ext:run-program "/bin/echo" (list "hello") :output t)))'
same "a shell" '(print (ext:system "echo from the shell; exit 5"))'
same "compile" '(progn (defun f (x) (list x x)) (let ((*standard-output* (make-broadcast-stream))
    (*error-output* (make-broadcast-stream))) (compile (quote f))) (print (f 3)))'
same "deep recursion" '(labels ((f (n) (if (zerop n) 0 (1+ (f (1- n)))))) (print (f 2000)))'
same "out of memory" '(progn (ext:set-limit (quote ext:heap-size) 60000000)
    (print (handler-case (let (l) (loop (push (make-string 100000) l)))
        (ext:storage-exhausted () :exhausted))))'
same "an interrupt" '(let* ((main mp:*current-process*) (ready nil)
    (other (mp:process-run-function (quote other) (lambda () (loop until ready do (sleep 0.01))
        (mp:interrupt-process main (lambda () (throw (quote out) :interrupted)))))))
    (print (catch (quote out) (let (l) (setf ready t) (loop (setf l (list 1 2 3))))))
    (mp:process-join other))'
same "throws" '(print (let ((n 0)) (dotimes (i 100000 n)
    (incf n (catch (quote x) (list i) (throw (quote x) 1))))))'
same "many threads" '(print (let ((threads (loop for i below 50 collect
    (let ((i i)) (mp:process-run-function i (lambda () (length (loop for k below 10000 collect k))))))))
    (mapc (function mp:process-join) threads) (length threads)))'

# With -f, the compiler that ECL starts is profiled too, and compiling works.
printf '(defun f (x) (list x x))\n(print 1)\n' >file.lisp
"$mprof" run -f -o follow.mprof -- "$ecl" --norc \
    --eval '(progn (compile-file "file.lisp") (ext:quit 0))' >"$tmp/out" 2>"$tmp/err" </dev/null
is "compile-file under mprof -f" "$?" 0
ok "the compiled file" test -s file.fas
plan
# SPDX-License-Identifier: MIT
