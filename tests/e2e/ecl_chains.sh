#!/bin/sh
# Chains of Lisp equal libunwind's, each of them; and so does the profile that they make.

# Hash tables by address, and what is printed of addresses, are to be the same in two runs.
if [ -z "${SAME_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
    SAME_ADDRESSES=yes exec setarch -R "$0" "$@"
fi

. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

MPROF_MODULE=$top/lisp/mprof.fas
export MPROF_MODULE
cp "$src/tests/ecl/interpreted-chains.lisp" "$src/tests/ecl/chains-run.lisp" .

# checked TEXT LEAST: so many chains were compared, and all equal
checked()
{
    # shellcheck disable=SC2046
    set -- "$1" "$2" $(awk '$1 == "checked" { n = $2; wrong = $4 } END { print n, wrong }' check)
    at_least "$1: chains compared with libunwind's" "${3:-0}" "$2"
    is "$1: chains that differ" "${4:-none}" 0
    [ "${4:-1}" = 0 ] || sed 's/^/# /' check
    rm -f check
}

# figures FILE: objects, bytes, type and chain, of all
figures()
{
    "$mprof" dump --lisp --frames="$1" "$2" | awk -F'\t' '{
        n = split($1, column, " ")
        type = column[11]
        for (i = 12; i <= n; i++)
            type = type " " column[i]
        print column[1], column[2], type "\t" $2 }' | sort
}

# Recorded from inside, when all is warm: nothing but what the program does.
ok "compile" compiled chains
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check "$ecl" --norc --shell chains-run.lisp >"$tmp/out" 2>&1 </dev/null
is "status" "$?" 0
checked "recorded from inside" 40000
figures lisp warm.live >by-rules
figures all warm.live >by-rules-all
is "no chain was cut" "$(total cut warm.live)" 0
is "nothing was dropped" "$(total dropped warm.live)" 0

# The same profile with another unwinder.
MPROF_UNWINDER=libunwind "$ecl" --norc --shell chains-run.lisp >"$tmp/out" 2>&1 </dev/null
is "with libunwind: status" "$?" 0
figures lisp warm.live >by-libunwind
figures all warm.live >by-libunwind-all
at_least "chains by type" "$(wc -l <by-rules)" 500
ok "with libunwind: the same profile" diff by-rules by-libunwind
ok "with libunwind: the same profile with all frames" diff by-rules-all by-libunwind-all

# Shapes that must be there.
sed 's/^[^	]*	//' by-rules >chains
has "compiled recursion is whole" chains '^(.*;)?ALL(;RECURSE){201};CONS-HERE$'
has "interpreted recursion is whole" chains '^(.*;)?INT-ALL(;INT-RECURSE){31};CONS-HERE$'
has "compiled functions in turn" chains 'ALL;EVEN-WAY;ODD-WAY;EVEN-WAY;ODD-WAY;EVEN-WAY;CONS-HERE$'
has "interpreted and compiled functions in turn" chains \
    'INT-ALL;INT-MIXED;INT-THROUGH;REDUCE;[^;]*;INT-MIXED;INT-THROUGH;REDUCE;[^;]*;INT-MIXED;'
has "a method and the next three" chains \
    ':AROUND \(C T\)\)(;APPLY)?;\(METHOD VISIT \(C T\)\)(;APPLY)?;\(METHOD VISIT \(B T\)\)(;APPLY)?;\(METHOD VISIT \(A T\)\);CONS-HERE$'
has "a callback of a callback" chains 'EVEN-WAY;ODD-WAY;[^;]*;INT-RECURSE;INT-RECURSE;INT-RECURSE;CONS-HERE$'
has "what runs while unwinding" chains 'WITH-CLEANUP;RECURSE;RECURSE;RECURSE;CONS-HERE$'
hasnt "no frame of a call that was left" chains 'WITH-CLEANUP;.*DEEP-THROW.*RECURSE'

# From the first object on.
compiled names
printf '(load "names.fas")\n(all)\n' >start.lisp
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=$tmp/start.live \
    "$ecl" --norc --shell start.lisp >"$tmp/out" 2>&1 </dev/null
checked "from the start" 100000
plan
