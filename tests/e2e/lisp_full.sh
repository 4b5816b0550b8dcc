#!/bin/sh
# A full disk while a Lisp program measures itself: what is not known is an error, and a report says that it is
# partial.
. "${srcdir:-.}/tests/e2e/lib.sh"

module=$top/lisp/mprof.fas
if [ ! -f "$module" ]; then
    skip "a full disk in Lisp" "mprof was configured --without-ecl"
    plan
    exit
fi
ecl=${ECL:-ecl}
cd "$tmp" || exit 99
small=$tmp/small
mkdir small
if [ "${1-}" != inside ] && ! mount -t tmpfs -o size=1m none "$small" 2>/dev/null; then
    if unshare -rm true 2>/dev/null; then
        rm -rf "$tmp"
        cd "$top" || exit 99
        srcdir=$src exec unshare -rm "$src/tests/e2e/lisp_full.sh" inside
    fi
    skip "a full disk in Lisp" "neither mount nor unshare is allowed here"
    plan
    exit
fi
if [ "${1-}" = inside ]; then
    mount -t tmpfs -o size=1m none "$small" || exit 99
fi
trap 'umount "$small"; rm -rf "$tmp"' EXIT

TMPDIR=$small
export TMPDIR
cat >full.lisp <<END
(setf *load-verbose* nil)
(load "$module")
END
cat >>full.lisp <<'END'
(defun deep (n)
  (if (= n 0)
      (length (list 1))
      (+ (length (list n)) (if (logbitp (mod n 7) (random 128)) (deep (- n 1)) (car (list (deep (- n 1))))))))
(let ((*compile-verbose* nil)) (compile 'deep))
(defun work () (dotimes (i 5000) (deep 60)))
(defmacro result (&body body)
  `(format t "~A~%" (handler-case (progn ,@body)
                      (mprof:recording-failed (condition) condition)
                      (mprof:budget-exceeded () :exceeded))))
END

# in_lisp FORM: evaluate it, in a new process
in_lisp()
{
    { cat full.lisp; echo "$1"; echo '(ext:quit 0)'; } >it.lisp
    run "$ecl" --norc --shell it.lisp
    is "$1: status" "$status" 0
}

for form in "(mprof:run 'work)" \
    '(mprof:with-budget (:objects 100000000) (work))' \
    '(mprof:with-budget (:objects 100000000 :threads :current) (work))' \
    '(mprof:is-within (:objects 100000000) (work))'
do
    in_lisp "(result $form)"
    has "$form: an error" out \
        '^Nothing can be recorded into .*: the recording ended before the form that measures by it\.$'
done
in_lisp "(mprof:with-profiling (:report '(:type :types)) (work))"
has "a report says that it is partial" out \
    '^This report is partial: recording stopped early: No space left on device'
in_lisp '(result (mprof:is-within (:objects 10) (list 1 2)))'
is "what there is room for is measured" "$(cat out)" T
plan
