#!/bin/sh
# All chains of Lisp equal libunwind's, and the resulting profiles are the same. Nearly all of the time is spent in
# libunwind. ecl_chains_start.sh records the start of ECL, too.

# Both runs use the same addresses, because hash tables are ordered by address, and addresses are printed.
if [ -z "${SAME_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
    SAME_ADDRESSES=yes exec setarch -R "$0" "$@"
fi

. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

MPROF_MODULE=$top/lisp/mprof.fas
export MPROF_MODULE
cp "$src/tests/ecl/interpreted-chains.lisp" "$src/tests/ecl/chains-run.lisp" .

# figures FILE: prints objects, bytes, type and chain of all contexts.
figures()
{
    "$mprof" export -F chains --lisp --frames="$1" "$2" | awk -F'\t' '{
        n = split($1, column, " ")
        type = column[11]
        for (i = 12; i <= n; i++)
            type = type " " column[i]
        print column[1], column[2], type "\t" $2 }' | sort
}

# Recorded by the program itself after everything was loaded and called once, so that only the program's own
# allocations are in the profile.
ok "compile" compiled chains
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check "$ecl" --norc --shell chains-run.lisp >"$tmp/out" 2>&1 </dev/null
is "status" "$?" 0
checked "recorded from inside" 40000
figures lisp warm.live >by-rules
figures all warm.live >by-rules-all
is "no chain was cut" "$(total cut warm.live)" 0
is "nothing was dropped" "$(total dropped warm.live)" 0

# Another unwinder gives the same profile.
MPROF_UNWINDER=libunwind "$ecl" --norc --shell chains-run.lisp >"$tmp/out" 2>&1 </dev/null
is "with libunwind: status" "$?" 0
figures lisp warm.live >by-libunwind
figures all warm.live >by-libunwind-all
at_least "chains by type" "$(wc -l <by-rules)" 500
ok "with libunwind: the same profile" diff by-rules by-libunwind
ok "with libunwind: the same profile with all frames" diff by-rules-all by-libunwind-all

# like TEXT PATTERN: tests that a chain matches PATTERN.
like()
{
    ok "$1" grep -qE -e "$2" chains
}

# Calls in tail position are jumps, and their callers are not on the stack, unless gcc was told not to make jumps or
# cannot, as in functions with a variable number of arguments, which later builds of ECL make.
tail_frames=$(objdump -d chains.fas | awk '/^[0-9a-f]+ <L[0-9]+tail_one(_va)?>:$/ { inside = 1 } !NF { inside = 0 }
    inside && /jmp +[*]/ { jumps = 1 } END { print jumps ? 0 : 1 }')

# Chains that must exist. (RECURSE 0) exists only if its call of CONS-HERE is not a jump.
sed 's/^[^	]*	//' by-rules >chains
like "compiled recursion is whole" '^(.*;)?ALL(;RECURSE){'$((200 + tail_frames))'};CONS-HERE$'
like "interpreted recursion is whole" '^(.*;)?INT-ALL(;INT-RECURSE){31};CONS-HERE$'
like "compiled functions in turn" 'ALL;EVEN-WAY;ODD-WAY;EVEN-WAY;ODD-WAY;EVEN-WAY;CONS-HERE$'
like "interpreted and compiled functions in turn" \
    'INT-ALL;INT-MIXED;INT-THROUGH;REDUCE;[^;]*;INT-MIXED;INT-THROUGH;REDUCE;[^;]*;INT-MIXED;'
like "a method and the next two" \
    ':AROUND \(C T\)\);\(METHOD VISIT \(C T\)\);\(METHOD VISIT \(B T\)\);CONS-HERE$'
like "a callback of a callback" 'EVEN-WAY;ODD-WAY;[^;]*;INT-RECURSE;INT-RECURSE;INT-RECURSE;CONS-HERE$'
like "what runs while unwinding" 'WITH-CLEANUP(;RECURSE){'$((2 + tail_frames))'};CONS-HERE$'
ok "no frame of a call that was left" test "$(grep -cE 'WITH-CLEANUP;.*DEEP-THROW.*RECURSE' chains)" -eq 0

is "tail calls are shown if they are no jumps" "$(($(grep -c 'TAIL-ONE;TAIL-TWO' chains) > 0))" "$tail_frames"
"$ecl" --norc --eval '(progn (require :cmp)
    (setf c::*cc-optimize* "-O2 -fno-optimize-sibling-calls")
    (compile-file "chains.lisp") (ext:quit 0))' >"$tmp/log" 2>&1 </dev/null
"$ecl" --norc --shell chains-run.lisp >"$tmp/out" 2>&1 </dev/null
figures lisp warm.live | sed 's/^[^	]*	//' >chains
like "tail calls are kept by -fno-optimize-sibling-calls" \
    'CALLS(;TAIL-ONE;TAIL-TWO){3};TAIL-ONE;CONS-HERE$'
like "all of the recursion, too" '^(.*;)?ALL(;RECURSE){201};CONS-HERE$'
like "and the last method" '\(METHOD VISIT \(B T\)\);\(METHOD VISIT \(A T\)\);CONS-HERE$'

# Our hooks are on the stack when libgc calls finalizers within an allocation, and when a file is loaded.
compiled names
cat >finalize.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(defun finalize (object) (declare (ignore object)) (1+ (length (make-list 3))))
(defun make (n) (dotimes (i n) (ext:set-finalizer (make-array 3) #'finalize)))
(compile 'finalize)
(compile 'make)
(mprof:start-profiling :file "finalize.live")
(make 4000)
(ext:gc t)
(make 4000)
(load "names.fas")
(mprof:stop-profiling)
END
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check "$ecl" --norc --shell finalize.lisp >"$tmp/out" 2>&1 </dev/null
checked "finalizers" 15000
"$mprof" export -F chains --frames=all finalize.live | sed 's/^[^	]*	//' >chains
like "loading a file" '(^|;)LOAD;'
is "no chain contains a frame of ours" "$(own_frames finalize.live)" ""
like "finalizers within an allocation" ';MAKE;.*;FINALIZE;(.*;)?MAKE-LIST'
plan
# SPDX-License-Identifier: MIT
