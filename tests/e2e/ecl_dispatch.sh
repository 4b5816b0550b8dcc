#!/bin/sh
# Chains from a call of a generic function to its methods are right, and do not show the frames in between.
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
for step in COPY-SEQ 'CLOS:STD-COMPUTE-APPLICABLE-METHODS' 'CLOS::STANDARD-COMPUTE-EFFECTIVE-METHOD'; do
    like "$step for a call without a remembered method" "SHAPES::ALL;dispatch of SHAPES::AREA;$step(;SUBSEQ)?"
    hasnt "and not as a caller's" chains "(^|;)SHAPES::ALL;$step"
done
like "of a generic function of ECL's" \
    'SHAPES::ALL;.*;dispatch of INITIALIZE-INSTANCE;CLOS:STD-COMPUTE-APPLICABLE-METHODS'
hasnt "a method is not called by it" chains 'dispatch of [^;]*;\(METHOD'
is "what a call of a remembered method makes" "$(lisp_table dispatch.mprof |
    grep 'SHAPES::REMEMBERED' | sed 's/.*SHAPES::REMEMBERED/REMEMBERED/; s/SHAPES:://g' | sort -u | tr '\n' ' ')" \
    "REMEMBERED;(METHOD AREA (SHAPE T));LIST "

frames=c
lisp_table dispatch.mprof >c-names
hasnt "C names: nothing of ours" c-names 'dispatch of|hook_|call_for'
has "C names: what computes methods" c-names '_ecl_standard_dispatch;[^;]*;'
frames=all
lisp_table dispatch.mprof >all
has "all frames: it is there" all 'CLOS::WRAPPED-METHOD-FUNCTION;APPLY;.*SQUARE T'
has "all frames: the generic function" all '_ecl_standard_dispatch;dispatch of SHAPES::AREA;'
hasnt "all frames: nothing else of ours" all 'hook_|call_for'

# Recorded by the program itself again and again, with collections in between, so that generic functions come and go.
# The frames that contain generic functions are unwound, and the stack words that identify them are watched. Each chain
# is compared with libunwind's.
cat >late.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(load "dispatch.fas")
(dotimes (i 2)
  (mprof:start-profiling :file (format nil "late~D.mprof" i))
  (shapes::all)
  (dotimes (k 20) (funcall (shapes::made i k) k))
  (ext:gc t)
  (dotimes (k 20) (funcall (shapes::made i k) k))
  (mprof:stop-profiling))
END
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check MPROF_MODULE=$top/lisp/mprof.fas \
    "$ecl" --norc --shell late.lisp >"$tmp/out" 2>&1 </dev/null
is "recorded from within: status" "$?" 0
at_least "chains compared with libunwind's" "$(awk '$1 == "checked" { n += $2 } END { print n + 0 }' check)" 10000
is "chains that differ" "$(awk '$1 == "checked" { n += $4 } END { print n "" }' check)" 0
frames=lisp
for i in 0 1; do
    lisp_table late$i.mprof | sed 's/^[^	]*	//' | tr ';' '\n' | grep -x "dispatch of SHAPES::MADE-$i-[0-9]*" |
        sort -u >made
    is "each generic function" "$(wc -l <made)" 20
    lisp_table late$i.mprof >table
    hasnt "none of another recording" table "dispatch of SHAPES::MADE-$((1 - i))"
done
plan
# SPDX-License-Identifier: MIT
