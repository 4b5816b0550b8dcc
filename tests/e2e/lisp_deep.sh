#!/bin/sh
# 100,000 nested functions, each with its own chain: how much of the program's heap a report needs.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

TMPDIR=$tmp
export TMPDIR
cat >descend.lisp <<'END'
(defun descend (n)
  (if (zerop n)
      '()
      (let ((cell (cons n nil)))
        (setf (cdr cell) (descend (1- n)))
        cell)))
END
cat >deep.lisp <<END
(load "$module")
(load (compile-file "descend.lisp"))
(ext:set-limit 'ext:heap-size (* 256 1024 1024))
(print (mprof:with-profiling () (length (descend 100000))))
(flet ((consed (name function)
         (ext:gc t)
         (let ((before (si:gc-stats t)))
           (funcall function)
           (ext:gc t)
           (format t "~&~A: ~D~%" name (- (si:gc-stats t) before)))))
  (consed "three sites" (lambda () (mprof:report :type :sites :max 3)))
  (consed "functions" (lambda () (mprof:report :type :flat)))
  (consed "graph" (lambda () (mprof:report :type :graph)))
  (let ((n 0))
    (mprof:map-sites (lambda (site)
                       (when (mprof:site-functions site)
                         (incf n))))
    (format t "chains: ~D~%" n)))
END
(ulimit -s 262144) 2>/dev/null ||
    skip_all "reports of recursion 100,000 deep" "the stack cannot be made large enough"
ulimit -s 262144
returns "100,000 deep: status" 0 "$ecl" --norc --load deep.lisp --eval '(ext:quit 0)'
has "100,000 deep: it ran" out '^100000'
for what in "three sites" functions graph; do
    at_most "100,000 deep: bytes for a report of $what" "$(sed -n "s/^$what: //p" out)" 200000
done
is "100,000 deep: whole chains of all sites fit the heap" "$(sed -n 's/^chains: //p' out)" 100000
plan
# SPDX-License-Identifier: MIT
