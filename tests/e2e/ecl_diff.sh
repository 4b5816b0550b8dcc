#!/bin/sh
# mprof diff of two runs of ECL, by Lisp function and type, with known differences, and with lambdas whose numbers
# changed.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# Each cons has 16 bytes: MAKE-PAIRS makes two for each of N. The second source file has an additional lambda before
# the other one.
source_with()
{
    cat <<END
(defvar *kept* nil)
(defun make-pairs (n) (dotimes (i n) (push (list i) *kept*)))
(defun with-lambda (list) $1 (setf *kept* (mapcar (lambda (x) (cons x x)) list)))
END
}
mkdir one two
source_with "" >one/lists.lisp
source_with "(mapc (lambda (x) (setf *kept* x)) list)" >two/lists.lisp
for run in one:100 two:300; do
    folder=${run%:*}
    (cd "$folder" && "$ecl" --norc --eval '(progn (compile-file "lists.lisp") (ext:quit 0))' >log 2>&1)
    cat >"$folder/run.lisp" <<END
(load "$folder/lists.fas")
(make-pairs ${run#*:})
(with-lambda (make-list 50))
END
    "$mprof" run -q -o "$folder.data" -- "$ecl" --norc --shell "$folder/run.lisp" >out 2>err </dev/null
    is "$folder runs" "$?" 0
done

"$mprof" export -F chains --lisp one.data >one.txt
"$mprof" export -F chains --lisp two.data >two.txt
has "the lambda is the first" one.txt ';LAMBDA in WITH-LAMBDA(;|$)'
has "... and then the second" two.txt ';LAMBDA #2 in WITH-LAMBDA(;|$)'
says "status" "0 " "$mprof" diff --lisp --by=function,type -v one.data two.data
has "a function of Lisp: 200 more, of two conses" out '^ *\+6400 +\+200\.0 +3200 +9600 +\+400 .* grown +MAKE-PAIRS$'
hasnt "a lambda with another number is the same" out ' (new|gone) .*LAMBDA'
has "by type" out '^CHANGES BY TYPE$'
run "$mprof" diff --lisp --by=function -v two.data one.data
has "the other way round" out '^ *-6400 +-66\.7 +9600 +3200 +-400 .* shrunk +MAKE-PAIRS$'
run "$mprof" diff --lisp --by=all one.data one.data
is "nothing differs from itself" "$status $(grep -cE ' (new|gone|grown|shrunk) +[^ ]' out)" "0 0"

# Functions of one name in two files are told apart, also if the other run has only one of them. Packages are a part of
# the name.
cat >pack.lisp <<END
(defpackage :aa (:use :cl))
(in-package :aa)
(defun fill-it (n) (make-list n))
(in-package :cl-user)
(defun fill-it (n) (make-list n))
END
echo '(defun fill-it (n) (make-list n))' >other.lisp
for run in one:100 two:300; do
    n=${run#*:}
    cat >run.lisp <<END
(load "pack.lisp")
(aa::fill-it $n)
(fill-it $n)
$([ "$n" = 100 ] || echo '(load "other.lisp") (fill-it 7)')
END
    "$mprof" run -q -o "${run%:*}.data" -- "$ecl" --norc --shell run.lisp >out 2>err </dev/null
done
run "$mprof" diff --lisp --by=function -v one.data two.data
has "a package is a part of the name" out '^ *\+3200 .* grown +AA::FILL-IT$'
has "a file that is new" out '^ *\+144 .* new +FILL-IT \(other\.lisp\)$'
has "... and the other" out '^ *\+3200 .* grown +FILL-IT \(pack\.lisp\)$'
cat >c.c <<END
#include <stdlib.h>
int main(void) { return malloc(10) == NULL; }
END
if ${CC:-gcc} -O0 -o c_program c.c; then
    "$mprof" run -q -o c.data ./c_program
    run "$mprof" diff --by=type one.data c.data
    has "with a program without Lisp: said" out '^Not comparable +before ECL .*, after none; '
else
    skip "with a program without Lisp" "the compiler does not work"
fi
plan
# SPDX-License-Identifier: MIT
