# shellcheck shell=sh disable=SC2154,SC2034
# (the variables come from tap.sh and lib.sh, or scripts use them)
#
# ecl_lib.sh -- functions for tests that record ECL. A script sources this file instead of lib.sh.
#
#   $ecl                   the ECL that mprof was built for
#   lisp FILE PROGRAM      records the Lisp program PROGRAM to FILE; sets $status, $tmp/out and $tmp/err
#   compiled NAME          compiles a copy of tests/ecl/NAME.lisp in $tmp
#   objects TYPE FUNCTION FILE   prints how many objects of TYPE, which may be a class, have FUNCTION on their chain
#   lisp_sum COLUMN FUNCTION FILE   prints the sum of COLUMN of `mprof export -F chains --lisp` over chains with
#                          FUNCTION, for all types
#   checked TEXT LEAST     tests that at least LEAST chains were compared with libunwind's, which the monitor noted in
#                          $tmp/check, and that all were equal
#
# The script is skipped if mprof was built without ECL.
. "${srcdir:-.}/tests/e2e/lib.sh"

if ! grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    echo "1..0 # SKIP configured --without-ecl"
    exit 0
fi
ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")

lisp()
{
    "$mprof" run -o "$1" -- "$ecl" --norc --shell "$2" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

compiled()
{
    cp "$src/tests/ecl/$1.lisp" . &&
        "$ecl" --norc --eval "(progn (compile-file \"$1.lisp\") (ext:quit 0))" >"$tmp/log" 2>&1
}

# lisp_table FILE: prints the chains of FILE. The export of a sealed file is kept for the next call.
lisp_table()
{
    exported=$tmp/.chains.$(echo "${frames:-lisp} $1 $(stat -c '%i %s %y' "$1")" | cksum | tr ' ' .)
    if [ ! -e "$exported" ] || [ "$(head -c 8 "$1")" != MPROFDAT ]; then
        "$mprof" export -F chains --lisp --frames="${frames:-lisp}" "$1" >"$exported.new" || return
        mv "$exported.new" "$exported"
    fi
    cat "$exported"
}

objects()
{
    if ! lisp_table "$3" >"$tmp/lisp.table"; then
        echo "no table"
        return
    fi
    awk -F'\t' -v type="$1" -v name="$2" '
        {
            n = split($1, column, " ")
            of = column[11]
            for (i = 12; i <= n; i++)
                of = of " " column[i]
            if (of == type && index(";" $2 ";", ";" name ";"))
                sum += column[1]
        }
        END { print sum + 0 }' "$tmp/lisp.table"
}

lisp_sum()
{
    if ! lisp_table "$3" >"$tmp/lisp.table"; then
        echo "no table"
        return
    fi
    awk -F'\t' -v column="$1" -v name="$2" '
        index(";" $2 ";", ";" name ";") { split($1, number, " "); sum += number[column] }
        END { print sum + 0 }' "$tmp/lisp.table"
}

# exact_heap TEXT FILE: tests that the recorded Lisp bytes differ by at most 0.1 % from those that the collector counted.
exact_heap()
{
    recorded=$(total lisp-bytes "$2")
    heap=$(total heap "$2")
    at_least "$1: there is a heap" "$heap" 1
    within "$1: 99.9 % to 100.1 % of the heap" "$recorded" $((heap - heap / 1000)) $((heap + heap / 1000))
}

checked()
{
    # shellcheck disable=SC2046
    set -- "$1" "$2" $(awk '$1 == "checked" { n = $2; wrong = $4 } END { print n, wrong }' check)
    at_least "$1: chains compared with libunwind's" "${3:-0}" "$2"
    is "$1: chains that differ" "${4:-none}" 0
    [ "${4:-1}" = 0 ] || sed 's/^/# /' check
    rm -f check
}
# SPDX-License-Identifier: MIT
