#!/bin/sh
# Reports show Lisp functions by their names.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled names
cp "$src/tests/ecl/names-run.lisp" .
lisp names.mprof names-run.lisp
is "status" "$status" 0
lisp_table names.mprof | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u >names

# named TEXT NAME: tests that a function has NAME.
named()
{
    ok "$1" grep -qxF -e "$2" names
}

named "a function" PLAIN
named "a setf function" "(SETF PLACE)"
named "a local function" "INNER in OUTER"
named "a lambda" "LAMBDA in WITH-LAMBDA"
named "a closure" "LAMBDA in MAKE-ADDER"
named "a method" "(METHOD AREA (INTEGER T))"
named "a method with a qualifier" "(METHOD AREA :AROUND (INTEGER T))"
named "a method for one object" "(METHOD AREA (SYMBOL (EQL 2)))"
named "a name that needs bars" "|odd Name|"
named "an internal symbol" OTHER::INTERNAL
named "an external symbol" OTHER:EXPORTED
named "a built-in function" SORT
named "an interpreted function" INTERPRETED
named "a function whose file was deleted since" WITH-CALLBACK
ok "a form at top level" grep -qE '^top-level form of names-run.lisp:[0-9]+$' names
hasnt "no thunk that passes calls on" names '_dispatch|APPLY-FROM-STACK-FRAME|LAMBDA in CLOS::WRAPPED'
hasnt "no C function of the runtime" names 'libecl|^ecl_|^cl_'

lisp_table names.mprof | sed 's/^[^	]*	//' >chains
has "recursion is whole" chains 'ALL(;RECURSIVE){10}$'
has "a callback of SORT" chains 'SORTER;SORT(;LIST-MERGE-SORT|;[^;]*)*;LAMBDA in SORTER$'
has "methods call the next one" chains \
    '\(METHOD AREA :AROUND \(INTEGER T\)\);\(METHOD AREA \(INTEGER T\)\)$'
has "interpreted and compiled code in turn" chains \
    'MIXED;WITH-CALLBACK;MIXED;WITH-CALLBACK;MIXED;PLAIN$'
frames=c
lisp_table names.mprof >c-names
has "C names: the interpreter" c-names ';ecl_interpret;'
has "C names: functions of the runtime" c-names ';ecl_cons'
frames=all
lisp_table names.mprof >all-names
has "all names: both" all-names 'LOAD.*;ALL(;(libecl|fixed_dispatch)[^;]*)?;PLAIN;ecl_cons'

plan
# SPDX-License-Identifier: MIT
