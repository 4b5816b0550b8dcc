#!/bin/sh
# Objects of ECL by type: the counts are those of the program, the bytes those of the collector.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled types
lisp types.mprof types.fas
is "status" "$status" 0

# made FUNCTION TYPE NUMBER: tests that FUNCTION made NUMBER objects of TYPE.
made()
{
    is "$1 made $3 of type $2" "$(objects "$2" "$1" types.mprof)" "$3"
}

made MAKE-CONSES CONS 500000            # made by five threads
made MAKE-DOUBLES DOUBLE-FLOAT 100000
made MAKE-SINGLES SINGLE-FLOAT 100000
made MAKE-RATIOS RATIO 100000
made MAKE-COMPLEXES COMPLEX 100000
made MAKE-COMPLEX-DOUBLES "(COMPLEX DOUBLE-FLOAT)" 100000
made MAKE-POINTS POINT 100000
made MAKE-POINTS INSTANCE 0
made MAKE-POINTS STRUCTURE 0
made MAKE-THINGS THING 100000
made MAKE-STRINGS STRING 100000
made MAKE-BASE-STRINGS BASE-STRING 100000
made MAKE-TABLES HASH-TABLE 1000
made MAKE-CLOSURES CLOSURE 100000
made MAKE-SYMBOLS SYMBOL 100000
made MAKE-VECTORS VECTOR 100000
made MAKE-BYTE-VECTORS VECTOR 100000
made MAKE-DOUBLE-VECTORS VECTOR 100000
made MAKE-BIT-VECTORS BIT-VECTOR 100000
made MAKE-MATRICES ARRAY 100000
made INTERNS SYMBOL 1000
at_least "bignums" "$(objects BIGNUM MAKE-BIGNUMS types.mprof)" 99990

exact_heap "types" types.mprof
is "nothing was dropped" "$(total dropped types.mprof)" 0
is "no chain was cut" "$(total cut types.mprof)" 0

"$mprof" --lisp report --no-pager --table=types types.mprof >report
has "the runtime is named" report '^Runtime +ECL [0-9.]+$'
has "structures have their names" report '^ +100000 +8000000 .* POINT$'
hasnt "no data without an owner" report 'unknown owner'

# Table 3 has the columns c f s o: cons, float, structure, other.
"$mprof" --lisp report --no-pager -verbose --table=direct types.mprof >direct
has "conses are in column c" direct '^ +[0-9.]+ +8000000 +[0-9]+ .* 500000 MAKE-CONSES$'
has "structures are in column s" direct '^ +[0-9.]+ +800[0-9]{4} +[0-9]+ {5}[|].* SI:MAKE-STRUCTURE$'

# The memory to which a foreign object points belongs to it.
cat >foreign.lisp <<'END'
(defun make-foreign (n) (dotimes (i n) (ffi:allocate-foreign-object :int)))
(make-foreign 1000)
END
lisp foreign.mprof foreign.lisp
is "foreign objects: status" "$status" 0
is "foreign objects" "$(objects FOREIGN-DATA MAKE-FOREIGN foreign.mprof)" 1000
lisp_table foreign.mprof | grep 'MAKE-FOREIGN' >table
is "foreign objects: their data is theirs" "$(awk '/FOREIGN-DATA/ { print $1, $2 }' table)" "1000 48000"
hasnt "foreign objects: not that of arithmetic" table 'arithmetic'
plan
# SPDX-License-Identifier: MIT
