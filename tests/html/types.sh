#!/bin/sh
# The view "Types": figures of each size class of C and of each type of Lisp, and who allocates it.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record costs "$programs/costs"
page costs
perl=
if need perl; then
    perl=perl
    record moments "$programs/moments"
    page moments
    cp "$tmp/moments.data" "$tmp/part.data"
    page part --function='^index_all$'
    # shellcheck disable=SC2016
    record perl perl -e '$h{$_ % 997} .= "$_," for 1 .. 50000; print length(join "", sort values %h), "\n"'
    page perl
fi
lisp=
if need ecl; then
    cat >"$tmp/work.lisp" <<'END'
(defun conses (n) (loop repeat n collect (cons 1 2)))
(defun words (n) (loop repeat n collect (make-string 10)))
(defun work () (list (conses 500) (words 300)))
(defvar *kept* (work))
END
    record lisp ecl --norc --shell "$tmp/work.lisp"
    page lisp --lisp
    "$mprof" html -o "$tmp/all.html" "$tmp/lisp.data"
    "$mprof" report --no-pager --lisp --table=types,function-types -v "$tmp/lisp.data" >"$tmp/lisp.txt"
    lisp=lisp
fi
browse view_types.py "$tmp" $perl $lisp
# SPDX-License-Identifier: MIT
