#!/bin/sh
# Unusual names of Lisp functions.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# names FILE: prints the names of all functions on chains, one a line.
names()
{
    lisp_table "$1" | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u
}

# Symbols of interpreted functions are printed as Lisp's printer does. Names with a semicolon are left out here,
# because it separates the functions of a chain in exports.
cp "$src/tests/ecl/printed-names.lisp" .
lisp printed.mprof printed-names.lisp
is "status" "$status" 0
names printed.mprof >names
at_least "names printed" "$(wc -l <expected)" 250
sort -u expected | grep -vxFf names >missing
empty "all names are there as the printer writes them" missing
sed 's/^/# missing: /' missing

# Compiled functions.
cp "$src/tests/ecl/odd-names.lisp" .
"$ecl" --norc --eval '(progn (compile-file "odd-names.lisp" :external-format :utf-8) (ext:quit 0))' \
    >"$tmp/log" 2>&1 </dev/null
is "compile" "$?" 0
printf '(load "odd-names.fas")\n(run)\n' >run.lisp
lisp odd.mprof run.lisp
is "status" "$status" 0
names odd.mprof >names

named()
{
    ok "$1" grep -qxF -e "$2" names
}

named "two words" '|two words|'
named "no capitals" '|lower case|'
named "a package that needs bars" '|lower|::F'
named "package and name" '|lower|::|f|'
named "a line break does not break the line" '|line\x0abreak|'
named "letters beyond ASCII" '|Größe|'
named "other scripts" 日本語
named "a bar" '|pi\|pe|'
named "a backslash" '|back\\slash|'
named "a colon" '|a:b|'
named "digits" '|123|'
named "a keyword" :KEYWORD
named "setf" '(SETF |odd|)'
named "setf of a symbol elsewhere" '(SETF OTHER::PLACE)'
named "a local function" 'SAME in OUTER-ONE'
named "another with its name" 'SAME in OUTER-TWO'
named "a function in a function in a function" 'INNERMOST in NESTED'
named "a lambda in a lambda" 'LAMBDA in LAMBDAS'
named "a function over a variable" OVER-VARIABLE
named "a macro" MACRO
named "a constructor" BUILD-THING
named "a method for a string" '(METHOD GENERIC (STRING))'
named "for a keyword" '(METHOD GENERIC ((EQL :KEY)))'
named "for a symbol" '(METHOD GENERIC ((EQL SYM)))'
named "for null" '(METHOD GENERIC (NULL))'
named "for a structure" '(METHOD GENERIC (THING))'
named "before" '(METHOD GENERIC :BEFORE (THING))'
named "after" '(METHOD GENERIC :AFTER (THING))'
named "of another combination" '(METHOD OTHER:GENERIC LIST (NUMBER))'
named "setf of a generic function" '(METHOD (SETF GENERIC) (T THING))'
named "of a system's generic function" '(METHOD PRINT-OBJECT (POINT T))'
named "a local function in a method" 'HELPER in (METHOD GENERIC (THING))'

# Interpreted functions that replaced others with the same name or at the same address.
cat >again.lisp <<'END'
(defvar *sink*)
(dotimes (i 50) (eval `(setf *sink* (list ,i))))
(dotimes (i 100)
  (let ((name (intern (format nil "MADE-~D" i))))
    (eval `(defun ,name (n) (setf *sink* (list n n)) ,i))))
(dotimes (i 100) (funcall (find-symbol (format nil "MADE-~D" i)) 1))
(defgeneric ask (x))
(defmethod ask ((x integer)) (setf *sink* (list x x)) 1)
(defmethod ask :around ((x integer)) (setf *sink* (list x)) (1+ (call-next-method)))
(ask 1)
(defun redefined (n) (setf *sink* (list n)) 1)
(redefined 1)
(defun redefined (n) (setf *sink* (list n n)) 1)
(redefined 1)
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (compile 'redefined))
(redefined 1)
(defun with-lambda (n) (funcall (lambda (x) (setf *sink* (list x)) x) n))
(with-lambda 1)
END
lisp again.mprof again.lisp
is "status" "$status" 0
names again.mprof >names
is "functions that were made one by one" "$(grep -c '^MADE-[0-9]*$' names)" 100
# How many conses the interpreter makes for a variable: two, or one in later versions of ECL.
cat >variable.lisp <<'END'
(defun none () 1)
(defun one (n) 1)
(defun bytes () (nth-value 0 (si::gc-stats t)))
(defun made-by (function &rest arguments)
  (let ((before (bytes))) (dotimes (i 10000) (apply function arguments)) (- (bytes) before)))
(bytes)
(let ((none (made-by #'none))) (print (round (- (made-by #'one 1) none) (* 10000 16))))
(ext:quit 0)
END
variable=$("$ecl" --norc --shell variable.lisp 2>"$tmp/err" </dev/null | tr -d ' \n')
ok "conses of a variable: one or two" expr "$variable" : '[12]$'
# each function makes two in its body, and those of the variable
is "what each made" "$(lisp_table again.mprof | grep ';MADE-[0-9]*$' | sort -u -k 11 | awk '{ n[$1]++ }
    END { for (i in n) print n[i] " of " i }')" "100 of $((2 + variable))"
named "an interpreted method" '(METHOD ASK (INTEGER))'
named "another of them" '(METHOD ASK :AROUND (INTEGER))'
ok "an interpreted lambda" grep -qxE '\(LAMBDA \(X\)\) of again\.lisp:18' names
is "redefined, and compiled" "$(objects CONS REDEFINED again.mprof)" $((1 + variable + 2 + variable + 2))

# Objects that contain themselves: they once ended the program, or made it hang, when a method was named.
cat >circular.lisp <<'END'
(defvar *sink*)
(defclass node () ((a :initform nil) (b :initform 1) (c :initform 2) (self :initform nil)))
(defvar *node* (make-instance 'node))
(setf (slot-value *node* 'self) *node*)
(defvar *list* (make-list 32))
(fill *list* *list*)
(defgeneric ask (x))
(defmethod ask ((x (eql *node*))) (setf *sink* (list x)))
(defmethod ask ((x (eql *list*))) (setf *sink* (list x x)))
(ask *node*)
(ask *list*)
(defgeneric constant (x))
(add-method #'constant (make-instance 'standard-method :lambda-list '(x) :qualifiers '()
                                      :specializers (list (find-class 't)) :function (constantly *list*)))
(constant 1)
END
lisp circular.mprof circular.lisp
is "objects that contain themselves: status" "$status" 0
names circular.mprof >names
named "a method for an instance" '(METHOD ASK ((EQL #<object>)))'
ok "a method for a list that contains itself" grep -q '^(METHOD ASK ((EQL ((((' names
plan
# SPDX-License-Identifier: MIT
