# shellcheck shell=sh disable=SC2154,SC2034
# (variables come from tap.sh and lib.sh, or are for the tests)
#
# ecl_lib.sh -- what the tests of recording ECL share.  Source it instead of lib.sh.
#
#   $ecl                   the ECL that mprof was built for
#   lisp FILE PROGRAM      run PROGRAM of tests/ecl under mprof, data to FILE
#   compiled NAME          compile NAME.lisp of tests/ecl in $tmp
#   objects TYPE FUNCTION FILE   how many objects of TYPE (a class's name, too) are charged to what
#                          FUNCTION, and those it calls, do
#   lisp_sum COLUMN FUNCTION FILE   the sum of COLUMN of `mprof export -F chains --lisp` over the same, any type
#
# A build without ECL skips the whole file.
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

lisp_table()
{
    "$mprof" export -F chains --lisp --frames="${frames:-lisp}" "$1"
}

objects()
{
    lisp_table "$3" | awk -F'\t' -v type="$1" -v name="$2" '
        {
            n = split($1, column, " ")
            of = column[11]
            for (i = 12; i <= n; i++)
                of = of " " column[i]
            if (of == type && index(";" $2 ";", ";" name ";"))
                sum += column[1]
        }
        END { print sum + 0 }'
}

lisp_sum()
{
    lisp_table "$3" | awk -F'\t' -v column="$1" -v name="$2" '
        index(";" $2 ";", ";" name ";") { split($1, number, " "); sum += number[column] }
        END { print sum + 0 }'
}

# exact_heap TEXT FILE: Lisp bytes within 0.1 % of what the collector counted
exact_heap()
{
    recorded=$(total lisp-bytes "$2")
    heap=$(total heap "$2")
    within "$1: 99.9 % to 100.1 % of the heap" "$recorded" $((heap - heap / 1000)) $((heap + heap / 1000))
}
