#!/bin/sh
# The Lisp module: its own tests (tests/lisp); and the ways to load it. lisp_nested.sh makes the same tests with ASDF, and
# under mprof run.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

test_files "plain"

# ---- loading
cat >one.lisp <<'END'
(defun three () (list 1 2 3))
(print (multiple-value-list (mprof:run #'three)))
(terpri)
(ext:quit)
END
loads()
{
    is "$1: status" "$status" 0
    has "$1: it records" out '^\(48 3 \(1 2 3\)\)'
}
run "$ecl" --norc --eval "(load \"$module\")" --load one.lisp
loads "load, in the build tree"
run "$ecl" --norc --eval "(load \"$module\")" --eval "(load \"$module\")" --load one.lisp
loads "loaded twice"

is "the module needs no libecl" "$(readelf -d "$module" | grep -c 'NEEDED.*libecl')" 0

# Loaded again while it records, the module goes on recording, and the recording can be stopped.
cat >again.lisp <<END
(load "$module")
(defun pairs (n) (let ((r (list))) (dotimes (i n r) (push i r))))
(compile 'pairs)
(defvar *profile* (mprof:start-profiling))
(load "$module")
(compile 'pairs)
(pairs 1000)
(format t "~&A ~A ~A~%" (mprof:profiling-p) (eq (mprof:current-profile) *profile*))
(format t "B ~A~%" (nth-value 1 (mprof:run 'pairs :arguments '(10))))
(format t "C ~A ~A~%" (eq (mprof:stop-profiling) *profile*) (mprof:profiling-p))
(format t "D ~A~%" (> (mprof:total-objects *profile*) 1000))
(mprof:discard *profile*)
(format t "E ~A~%" (probe-file (mprof:profile-file *profile*)))
(mprof:with-profiling () (load "$module") (pairs 10))
(format t "F ~A~%" (mprof:profiling-p))
(ext:quit)
END
returns "loaded again while it records: status" 0 "$ecl" --norc --shell again.lisp
is "loaded again while it records: the recording goes on, and ends" \
    "$(grep -E '^[A-F] ' out | tr '\n' ';')" "A T T;B 10;C T NIL;D T;E NIL;F NIL;"

mkdir installed
cp "$module" "$src/lisp/mprof.asd" "$library" installed/
run "$ecl" --norc --eval '(load "installed/mprof.fas")' --load one.lisp
loads "load, beside libmprof.so"
run "$ecl" --norc --eval '(require :asdf)' --eval '(asdf:initialize-source-registry
    (list :source-registry (list :directory (namestring (truename "installed/")))
     :ignore-inherited-configuration))' --eval '(asdf:load-system :mprof)' --load one.lisp
loads "asdf:load-system, installed"
run "$ecl" --norc --eval '(require :asdf)' --eval '(asdf:initialize-source-registry
    (list :source-registry (list :directory (namestring (truename "installed/")))
     :ignore-inherited-configuration))' --eval '(progn (asdf:test-system :mprof) (ext:quit 0))'
is "asdf:test-system, installed: status" "$status" 0
has "asdf:test-system, installed: a cons is recorded" out '^mprof records: a cons is 16 bytes, 1 object'
PATH=$tmp/nowhere run "$(command -v "$ecl")" --norc --eval '(load "installed/mprof.fas")' --load one.lisp
loads "without a compiler in PATH"

# A copy of ECL's own directory of modules, with the module in it.
folder=$("$ecl" --norc --eval '(progn (format t "~%~A~%" (translate-logical-pathname "SYS:")) (ext:quit))' |
    sed -n 's|^\(/.*\)/$|\1|p')
mkdir sys
for file in "$folder"/*; do
    ln -s "$file" sys/
done
cp "$module" "$library" sys/
run env ECLDIR="$tmp/sys/" "$ecl" --norc --eval '(require :mprof)' --load one.lisp
loads "(require :mprof)"

# ---- nothing to find
mkdir alone
cp "$module" alone/
cat >missing.lisp <<'END'
(load "alone/mprof.fas")
(handler-case (mprof:start-profiling)
  (mprof:monitor-missing (condition) (format t "~A~%" condition)))
(format t "~A ~A~%" (mprof:profiling-p) (mprof:total-bytes))
(ext:quit)
END
if [ -e "$(sed -n 's/^libdir=//p' "$top/libmprof.la" | tr -d "'")/libmprof.so" ]; then
    skip "without libmprof.so" "one is installed"
else
    run "$ecl" --norc --load missing.lisp
    has "without libmprof.so: an error that says so" out '^The monitor of mprof cannot be used: libmprof.so is neither'
    has "without libmprof.so: nothing is recorded" out '^NIL 0$'
    is "without libmprof.so: status" "$status" 0
fi
plan
# SPDX-License-Identifier: MIT
