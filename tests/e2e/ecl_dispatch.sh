#!/bin/sh
# What lies between a call of a generic function and its methods.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled dispatch
printf '(load "dispatch.fas")\n(shapes::all)\n' >run.lisp
lisp dispatch.mprof run.lisp
is "status" "$status" 0
lisp_table dispatch.mprof | sed 's/^[^	]*	//' | grep -o 'SHAPES::ALL.*' | sort -u >chains

like()
{
    ok "$1" grep -qxE -e "$2" chains
}

around='\(METHOD SHAPES::AREA :AROUND \(SHAPES::SQUARE T\)\)'
like "one method calls the next, and nothing is between them" \
    "SHAPES::ALL;$around;\\(METHOD SHAPES::AREA \\(SHAPES::SQUARE T\\)\\);\\(METHOD SHAPES::AREA \\(SHAPES::SHAPE T\\)\\);LIST"
like "a method before" "SHAPES::ALL;$around;\\(METHOD SHAPES::AREA :BEFORE \\(SHAPES::SQUARE T\\)\\)"
like "APPLY by the program is shown" 'SHAPES::ALL;SHAPES::WITH-APPLY;APPLY;SHAPES::TOTAL;COPY-LIST'
like "of a generic function, too" "SHAPES::ALL;SHAPES::WITH-APPLY;APPLY;$around"
like "APPLY by a call of its symbol" 'SHAPES::ALL;SHAPES::WITH-FUNCALL;APPLY;SHAPES::TOTAL;COPY-LIST'
hasnt "APPLY does not call itself" chains '(^|;)APPLY;APPLY(;|$)'
frames=all
lisp_table dispatch.mprof >all
has "all frames: it is there" all 'CLOS::WRAPPED-METHOD-FUNCTION;APPLY;.*SQUARE T'
plan
