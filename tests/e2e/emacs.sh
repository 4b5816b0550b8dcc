#!/bin/sh
# Emacs: mprof.el shows reports whose places and indices are links; mprof-lisp.el profiles forms in a
# session of SLIME with ECL, and its report leads to definitions.
. "${srcdir:-.}/tests/e2e/lib.sh"

if ! need emacs; then
    skip "Emacs" "$missing"
    plan
    exit
fi
mkdir -p "$tmp/home" "$tmp/lisp"
HOME=$tmp/home
export HOME
cd "$tmp" || exit 99
cp "$src"/emacs/*.el lisp/

# emacs ARGUMENT...
batch()
{
    run emacs -Q --batch -L "$tmp/lisp" "$@"
}

for file in mprof mprof-lisp; do
    batch --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "lisp/$file.el"
    is "$file.el compiles without warnings" "$status $(cat err)" "0 "
    batch --eval "(progn (require 'checkdoc) (checkdoc-file \"lisp/$file.el\"))"
    is "$file.el is documented as Emacs wants it" "$(cat out err)" ""
done

# ------------------------------------------------------------------------- C
profile data "$top/examples/widgets"
MPROF_COMMAND=$mprof
WIDGETS=$top/examples/widgets
export MPROF_COMMAND WIDGETS
batch -l "$src/tests/e2e/emacs.el"
is "a session: status" "$status" 0
has "the mode" out '^mode: mprof-report-mode$'
has "the first place" out '^first: widgets\.c:[0-9]+ .*make_red_widget'
has "the second place" out '^second: widgets\.c:[0-9]+ w = make_widget\(\);$'
has "an index leads to its entry" out '^entry: \*mprof\*:[0-9]+ \[[0-9]+\] 100\.0 .* make_widget$'
has "the report made anew" out '^again: t$'
has "annotated lines" out '^annotate: make_widget, widgets\.c$'
has "what mprof says is the error" out '^error: mprof: cannot open .*nothing: No such file'
has "... and no buffer is left" out '^left: nil$'
has "a program that is run" out '^run: t$'

# ---------------------------------------------------------------------- SLIME
module=$top/lisp/mprof.fas
loader=/usr/share/common-lisp/source/slime/swank-loader.lisp
problem=
[ -f "$module" ] || problem="mprof was configured --without-ecl"
[ -f "$loader" ] || problem="Debian's cl-swank is not installed"
elpa=$(find /usr/share/emacs/site-lisp/elpa-src /usr/share/emacs/site-lisp/elpa -maxdepth 1 -name 'slime-[0-9]*' 2>/dev/null | head -n 1)
[ -n "$elpa" ] || problem="Debian's slime is not installed"
if [ -n "$problem" ]; then
    skip "SLIME" "$problem"
    plan
    exit
fi
cat >work.lisp <<'END'
;;; What is profiled.

(defun work (n)
  (let ((list (list)))
    (dotimes (i n list)
      (setf list (cons i list)))))
END
cat >server.lisp <<END
(load (compile-file "work.lisp"))
(load "$loader")
(swank-loader:init)
(let ((port (swank:create-server :port 0 :dont-close t :style :spawn)))
  (with-open-file (s "new-port" :direction :output)
    (format s "~D~%" port)))
(rename-file "new-port" "port")
(loop (sleep 60))
END
"${ECL:-ecl}" --norc --load server.lisp </dev/null >server.out 2>&1 &
server=$!
# which compiles SLIME's server first
while [ ! -f port ] && kill -0 $server 2>/dev/null; do
    sleep 0.2
done
PORT=$(cat port)
MODULE=$module
export PORT MODULE
batch -L "$elpa" -l "$src/tests/e2e/emacs_slime.el"
kill $server
is "SLIME: status" "$status" 0
has "SLIME: the mode" out '^mode: mprof-lisp-report-mode$'
has "SLIME: what the form allocated" out '^row: +1600 \(100\) 100 .* WORK$'
has "SLIME: the function is a button" out '^button: WORK$'
has "SLIME: the button leads to the definition" out '^definition: \(defun work \(n\)$'
has "SLIME: another table" out '^sites: t$'
plan
