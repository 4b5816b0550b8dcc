#!/bin/sh
# Emacs: mprof.el shows reports in which places and indices are links; mprof-lisp.el profiles forms in a session of
# SLIME or SLY with ECL, and its report leads to definitions.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "Emacs" emacs
mkdir -p "$tmp/home" "$tmp/lisp"
HOME=$tmp/home
export HOME
cp "$src"/emacs/*.el lisp/

# batch ARGUMENT...: runs emacs --batch.
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
batch -l "$src/tests/e2e/emacs_lib.el" -l "$src/tests/e2e/emacs.el"
is "a session: status" "$status" 0
has "the mode" out '^mode: mprof-report-mode$'
has "the first place" out '^first: widgets\.c:[0-9]+ .*make_red_widget'
has "the second place" out '^second: widgets\.c:[0-9]+ w = make_widget\(\);$'
has "an index leads to its entry" out '^entry: \*mprof\*:[0-9]+ \[[0-9]+\] 100\.0 .* make_widget$'
has "the report made anew" out '^again: t$'
has "annotated lines, without text from elsewhere" out '^annotate: \(make_widget, widgets\.c nil\)$'
has "... with it" out '^annotate elsewhere: \(make_widget, widgets\.c t\)$'
has "what mprof says is the error" out '^error: mprof: cannot open .*nothing: No such file'
has "... and no buffer is left" out '^left: nil$'
has "a program that is run" out '^run: t$'

# -------------------------------------------------------------- SLIME and SLY
cat >work.lisp <<'END'
;;; What is profiled.

(defun work (n)
  (let ((list (list)))
    (dotimes (i n list)
      (setf list (cons i list)))))

(defun sum (n)
  (let ((all 0d0))
    (dotimes (i n all)
      (setf all (+ all (sqrt (float i 1d0)))))))
END

# with_lisp TITLE CLIENT SERVER LOADER DIRECTORY: tests the session with CLIENT, whose Emacs Lisp is in DIRECTORY, and
# the package SERVER, which LOADER loads.
with_lisp()
{
    rm -f port
    cat >server.lisp <<END
(load (compile-file "work.lisp"))
;; Otherwise the C compiler takes most of the time of this test.
(let ((level (find-symbol "*CC-OPTIMIZE*" "C"))) (when level (set level "-O0")))
(load "$4")
($3-loader:init)
(let ((port ($3:create-server :port 0 :dont-close t :style :spawn)))
  (with-open-file (s "new-port" :direction :output)
    (format s "~D~%" port)))
(rename-file "new-port" "port")
(loop (sleep 60))
END
    "${ECL:-ecl}" --norc --load server.lisp </dev/null >server.out 2>&1 &
    server=$!
    # ECL compiles the server before it writes the port.
    while [ ! -f port ] && kill -0 $server 2>/dev/null; do
        sleep 0.2
    done
    CLIENT=$2
    PORT=$(cat port)
    MODULE=$module
    export CLIENT PORT MODULE
    batch -L "$5" -L "$5/contrib" -l "$src/tests/e2e/emacs_lib.el" -l "$src/tests/e2e/emacs_repl.el"
    kill $server
    [ "$status" -eq 0 ] || sed 's/^/# /' server.out err
    lost=$(sed -n 's/^without mprof: //p' out)
    if [ -n "$lost" ]; then
        skip "$1" "$lost before mprof was in it: $(tail -n 1 server.out)"
        return
    fi
    is "$1: status" "$status" 0
    has "$1: the mode" out '^mode: mprof-lisp-report-mode$'
    has "$1: what the form allocated" out '^row: +1600 \(100\) 100 .* WORK$'
    has "$1: the function is a button" out '^button: WORK$'
    has "$1: the button leads to the definition" out '^definition: \(defun work \(n\)$'
    has "$1: a finding" out '^finding: 1\. .*'
    has "$1: its key visits the source" out '^finding visited: work\.lisp: sum'
    has "$1: its form shows the sites" out '^finding sites: t'
    has "$1: another table" out '^sites: t$'
    has "$1: what the form printed is shown" out '^printed: .'
    has "$1: and its values" out '^values: => 100'
    if [ "$2" = slime ] && [ -f "$5/contrib/slime-repl.el" ]; then
        has "$1: the REPL's thread evaluates it, so that the REPL can interrupt it" out '^printed: .*repl-thread'
    fi
    is "$1: functions that have definitions" "$(sed -n 's/^definition of //p' out | tr '\n' ';')" \
        "(SETF F): (SETF F);(METHOD (SETF F) (T T)): (SETF F);(METHOD F :AROUND (INTEGER)): F;INNER in OUTER: OUTER;LAMBDA #2 in (SETF F): (SETF F);LAMBDA of a.lisp: nil;"
}

# elpa NAME: prints Debian's directory of the Emacs package NAME.
elpa()
{
    find /usr/share/emacs/site-lisp/elpa-src /usr/share/emacs/site-lisp/elpa -maxdepth 1 -name "$1-[0-9]*" \
        2>/dev/null | head -n 1
}

module=$top/lisp/mprof.fas
loader=/usr/share/common-lisp/source/slime/swank-loader.lisp
slime=$(elpa slime)
problem=
[ -f "$loader" ] || problem="Debian's cl-swank is not installed"
[ -n "$slime" ] || problem="Debian's slime is not installed"
[ -f "$module" ] || problem="mprof was configured --without-ecl"
if [ -n "$problem" ]; then
    skip "SLIME" "$problem"
else
    with_lisp SLIME slime swank "$loader" "$slime"
fi

# Debian has no package of SLY; SLY_DIRECTORY names its sources.
sly=${SLY_DIRECTORY:-$(elpa sly)}
problem=
[ -n "$sly" ] || problem="SLY is not installed, and SLY_DIRECTORY does not say where it is"
[ -z "$sly" ] || [ -f "$sly/slynk/slynk-loader.lisp" ] || problem="$sly has no slynk/slynk-loader.lisp"
[ -f "$module" ] || problem="mprof was configured --without-ecl"
if [ -n "$problem" ]; then
    skip "SLY" "$problem"
else
    with_lisp SLY sly slynk "$sly/slynk/slynk-loader.lisp" "$sly"
fi
plan
# SPDX-License-Identifier: MIT
