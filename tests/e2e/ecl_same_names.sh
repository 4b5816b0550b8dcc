#!/bin/sh
# Functions of two packages and two files that have the same names, or no names.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# One file makes three conses at each place, the other one five.
mkdir one two
sed 's/PACKAGE/one/g; s/CONSES/3/g' "$src/tests/ecl/same-names.lisp" >one/util.lisp
sed 's/PACKAGE/two/g; s/CONSES/5/g' "$src/tests/ecl/same-names.lisp" >two/util.lisp
"$ecl" --norc --eval '(progn (compile-file "one/util.lisp") (compile-file "two/util.lisp") (ext:quit 0))' \
    >"$tmp/log" 2>&1 </dev/null
is "compile" "$?" 0

# conses TEXT FILE COUNT NAME: tests how many conses have NAME as a whole function on their chain.
conses()
{
    is "$1" "$(objects CONS "$4" "$2")" "$3"
}

# all_of FILE: makes the tests that do not depend on when the recording began.
all_of()
{
    conses "a function in a LET" "$1" 3 ONE::IN-LET
    conses "of the other package" "$1" 5 TWO::IN-LET
    conses "a setf function in a LET" "$1" 3 '(SETF ONE::IN-LET)'
    conses "of the other package" "$1" 5 '(SETF TWO::IN-LET)'
    conses "a macro in a LET" "$1" 3 ONE::MACRO-IN-LET
    conses "of the other package" "$1" 5 TWO::MACRO-IN-LET
}

printf '(load "one/util.fas") (load "two/util.fas")\n(one::all) (two::all)\n' >run.lisp
lisp same.mprof run.lisp
is "status" "$status" 0
all_of same.mprof
conses "a lambda at top level" same.mprof 3 'LAMBDA of one/util.lisp'
conses "of the other file" same.mprof 5 'LAMBDA of two/util.lisp'
conses "another lambda at top level" same.mprof 3 'LAMBDA #2 of one/util.lisp'
conses "of the other file" same.mprof 5 'LAMBDA #2 of two/util.lisp'
conses "a lambda in a function" same.mprof 3 'LAMBDA in ONE::TWO-LAMBDAS'
conses "another in the same function" same.mprof 3 'LAMBDA #2 in ONE::TWO-LAMBDAS'
conses "in the other package" same.mprof 5 'LAMBDA #2 in TWO::TWO-LAMBDAS'
conses "a local function of a form" same.mprof 15 'WALK (one/util.fas)'
conses "of the other file" same.mprof 25 'WALK (two/util.fas)'
lisp_table same.mprof | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u >names
hasnt "none is without a package" names '^(IN-LET|WALK|LAMBDA|MACRO-IN-LET)$'
ok "forms of one file" grep -qx 'top-level forms of one/util.fas' names
ok "forms of the other" grep -qx 'top-level forms of two/util.fas' names

# Recorded by the program itself after everything was loaded.
cat >late.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(load "one/util.fas") (load "two/util.fas")
(mprof:start-profiling :file "late.mprof")
(one::all) (two::all)
(mprof:stop-profiling)
END
MPROF_MODULE=$top/lisp/mprof.fas "$ecl" --norc --shell late.lisp >"$tmp/out" 2>&1 </dev/null
is "recorded from within: status" "$?" 0
all_of late.mprof
conses "a lambda in a function" late.mprof 3 'LAMBDA #2 in ONE::TWO-LAMBDAS'

# Interpreted functions have lines, and unnamed ones have parameters.
mkdir three
cat >three/util.lisp <<'END'
;;; Größe
(defvar *sink*) (defvar *more* "日本語")

#| a comment |# ; and another

(defparameter *lambda* (lambda (x &optional (y (list 1)) &key ((:z w) 2) &aux (v 3))
                   (setf *sink* (list x y w v))))
(defun plain (x)
  (setf *sink* (list x)))

(plain 1) (funcall *lambda* 1)
END
cp -r three four
touch -d '1 hour ago' three/util.lisp four/util.lisp
printf '(load "three/util.lisp") (load "four/util.lisp")\n' >run.lisp
lisp lines.mprof run.lisp
is "status" "$status" 0
lisp_table lines.mprof | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u >names
for file in three/util.lisp four/util.lisp; do
    ok "a lambda has its line and parameters" grep -qxF "(LAMBDA (X &OPTIONAL Y &KEY W &AUX V)) of $file:6" names
    ok "a form has its line" grep -qxF "top-level form of $file:11" names
    ok "a function that both files have has its file" grep -qxF "PLAIN ($file)" names
done
"$mprof" report --lisp --lines --verbose lines.mprof >report 2>&1
ok "--lines: a function has its line" grep -qF 'PLAIN (three/util.lisp:8)' report
ok "--lines: a compiled one of ECL has none" grep -qE ' LOAD$' report
hasnt "--lines: no file is missing" report '^No lines'

# A source that was changed since says nothing about the recorded program.
echo ';' >>four/util.lisp
rm three/util.lisp
"$mprof" report --lisp --lines --verbose lines.mprof >report 2>&1
ok "changed: positions" grep -qE 'PLAIN \(four/util.lisp@[0-9]+\)' report
ok "changed: said" grep -qxE 'No lines +util.lisp: changed' report
ok "missing: said" grep -qxE 'No lines +util.lisp: missing' report
plan
# SPDX-License-Identifier: MIT
