#!/bin/sh
# mprof:compile-file: each line of Lisp that allocates is a site, and the code is the same as without lines.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

cp "$src/tests/lisp/lines"/*.lisp .
mkdir 'a b'
cp kinds.lisp "a b/it's é.lisp"
printf '(defun a (x)\n  (list x)\n(defun b (y) y)\n' >cut.lisp
printf '(defun a (x)\n  (list x)))\n(defun b () (list 1))\n' >closed.lisp
printf '(defun a (x)\n  (no-package:f x))\n' >unknown.lisp
printf '(defmacro m (x) (error "bad ~A" x))\n(defun a (x)\n  (m x))\n' >macro.lisp

# "LINE OBJECTS TYPE" lines from the comments of kinds.lisp
sed -n 's/.*;= //;T;=;p' kinds.lisp | paste -d ' ' - - | grep -v '^[12] ' >stated.txt

# lisp TEXT: runs the forms of standard input in a new ECL. TEXT is the name of the check that it ends well.
lisp()
{
    { cat; echo '(ext:quit 0)'; } >forms.lisp
    run env XDG_CACHE_HOME="$tmp/cache" TMPDIR="$tmp" "$ecl" --norc --load "$module" --load support.lisp --load forms.lisp
    is "$1" "$status" 0
}

# sites TEXT FILE: checks that the sites of kinds.lisp in the file out are those that FILE states. Objects are counted
# for the innermost function in kinds.lisp.
sites()
{
    awk 'match($0, /\(kinds.lisp:[0-9]+\)/) {
        line = substr($0, RSTART + 12, RLENGTH - 13)
        sub(/\([0-9]+\)/, "")
        objects[line " " $5] += $2
    } END { for (key in objects) { split(key, part, " "); print part[1], objects[key], part[2] } }' out |
        sort -n | grep -Fx -f "$2" >found.txt
    is "$1: each line is a site with its objects" "$(diff "$2" found.txt)" ""
    is "$1: they are some" "$([ "$(wc -l <"$2")" -ge 5 ] && echo yes)" yes
}

lisp "compiled and run" <<'END'
(load (mprof:compile-file "kinds.lisp" :tail-calls t))
(mprof:with-profiling (:file "kinds.mprof") (kinds 100))
(mprof:report :type :sites :min-percent nil :chain :all)
END
is "no warning" "$(cat err)" ""
sites "compiled and run" stated.txt
has "a site has the line of each caller" out 'ALL in LOCAL \(kinds.lisp:[0-9]+\) < LOCAL \(kinds.lisp:[0-9]+\) < KINDS'
has "functions with equal code are apart" out 'LIST < TWIN-B \('

"$mprof" annotate ARGUMENTS kinds.mprof >out 2>&1
has "annotate shows the line of a list in its source" out '^ *3200 .* 200 +[0-9]+ +[0-9]+ +\(push \(list i\) \*kept\*\)'
"$mprof" report --lisp kinds.mprof >out 2>&1
hasnt "nothing is said of lines that are known" out '^For lines'

# compile-file makes the same C code as mprof:compile-file except for #line directives. Values, conditions, output,
# readtable and hooks are the same, too.
lisp "compared" <<'END'
(dolist (file '("kinds" "readtables" "nested" "a b/it's é" "cut" "closed" "unknown" "macro" "missing"))
  (compare (format nil "~A.lisp" file)))
(compare "kinds")
(compare "kinds.lisp" :print t :verbose nil)
(compare "kinds.lisp" :external-format '(:utf-8 :crlf))
(compare "kinds.lisp" :load t)
(compare "kinds.lisp" :no-such-key 1)
(setf (logical-pathname-translations "LINES") '(("*.*" "*.*")))
(compare "LINES:KINDS.LISP")
(print-counts "kinds.lisp")
END
differences=$(grep 'differs' out)
is "nothing differs" "$differences" ""
is "files were compared" "$(grep -c '^same: ' out)" 15
is "the same bytes and objects are counted" "$(sed -n 's/^with lines: //p' out)" "$(sed -n 's/^without: //p' out)"
has "they are counted" out '^without: \([0-9]{4,} [0-9]{3,}\)$'

# Without lines, reports say how to get them.
lisp "without lines" <<'END'
(load (compile-file "kinds.lisp"))
(mprof:with-profiling (:file "plain.mprof") (kinds 100))
END
"$mprof" report --lisp plain.mprof >out 2>&1
has "without lines, the report says once how to get them" out '^For lines +kinds.lisp; .*mprof:compile-file'
"$mprof" report --lisp --lines --table=sites plain.mprof >out 2>&1
has "a function is named with the line of its definition" out ' ARGUMENTS \(kinds.lisp:[0-9]+\)'

# Calls in tail position.
lisp "tail calls" <<'END'
(with-open-file (out "tails.lisp" :direction :output)
  (write '(progn (declaim (notinline label title copy))
                 (defun label (i) (format nil "~D" i))
                 (defun title (i) (string-upcase (symbol-name i)))
                 (defun copy (list) (copy-list list))
                 (defun tails (n)
                   (dotimes (i n) (funcall 'label i) (funcall 'title 'abc) (funcall 'copy '(1 2 3)))))
         :stream out))
(load (compile-file "tails.lisp"))
(mprof:with-profiling () (tails 10))
(format t "~&~{lost ~A~%~}" (on-chains "LABEL" "TITLE" "COPY"))
(load (mprof:compile-file "tails.lisp" :tail-calls t))
(mprof:with-profiling () (tails 10))
(format t "~&~{kept ~A~%~}" (on-chains "LABEL" "TITLE" "COPY"))
END
hasnt "callers of a tail call are not on chains" out '^lost .'
is "with :tail-calls they are" "$(sed -n 's/^kept //p' out | tr '\n' ' ')" "LABEL TITLE COPY "

# The switch for everything that calls COMPILE-FILE.
mkdir system
cp kinds.lisp system
echo '(defsystem "lined" :components ((:file "kinds")))' >system/lined.asd
lisp "the switch" <<'END'
(require :asdf)
(mprof:enable-lines :tail-calls t)
(asdf:initialize-source-registry
 `(:source-registry (:directory ,(truename "system/")) :ignore-inherited-configuration))
(let ((*standard-output* (make-broadcast-stream))) (asdf:load-system "lined"))
(mprof:with-profiling () (kinds 100))
(mprof:report :type :sites :min-percent nil)
(mprof:disable-lines)
(print (eq (fdefinition 'compile-file) *compile-file*))
END
sites "the switch" stated.txt
has "COMPILE-FILE is ECL's again" out '^T *$'

# What Slime compiles for C-c C-c is a part of a file.
lisp "a part of a file" <<'END'
(let* ((text (file-text "kinds.lisp")) (at (search "(defun arguments" text)))
  (with-open-file (out "part.tmp" :direction :output) (write-string (subseq text at) out))
  (defvar *kept* nil)
  (load (mprof:compile-file "part.tmp" :source-truename (truename "kinds.lisp") :source-offset at)))
(mprof:with-profiling () (dotimes (i 100) (arguments i)))
(mprof:report :type :sites :min-percent nil)
END
head -n 5 stated.txt >part.txt
sites "a part of a file" part.txt

# If the compiler of ECL is not as expected, the file is compiled without lines, and a warning says so.
lisp "another compiler" <<'END'
(unlocked (fmakunbound (find-symbol "WT-NL" "C"))
          (setf (fdefinition 'compile-file) (lambda (&rest arguments) (print arguments) "file.fas")))
(print (list :value (mprof:compile-file "kinds.lisp" :verbose nil)))
END
has "it is told" err 'Warning: mprof: kinds.lisp is compiled without lines .* has no WT-NL'
has "the file is compiled" out '^\("kinds.lisp" :VERBOSE NIL\)'
has "the value is passed on" out '^\(:VALUE "file.fas"\)'
lisp "another function writes C" <<'END'
(unlocked (setf (fdefinition 'compile-file) (constantly #p"file.fas")))
(print (list :value (mprof:compile-file "kinds.lisp")))
END
has "it is told afterwards" err 'Warning: mprof: kinds.lisp was compiled without lines'
plan
# SPDX-License-Identifier: MIT
