#!/bin/sh
# Lisp functions that gcc inlined are shown where they were called, if the file has debug information, which ECL's
# compiler writes by default.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled inlined
cp "$src/tests/ecl/inlined-run.lisp" .
entries=$(nm inlined.fas | grep -c '_va$')      # 0 unless ECL compiles a function into an entry and a body

# chain HOW FILE CHAIN CONSES: tests how many conses were made by chains that end with CHAIN.
chain()
{
    is "$1: $3" "$(lisp_table "$2" | awk -F'\t' -v end=";$3" '
        {
            split($1, column, " ")
            if (column[11] == "CONS" && substr(";" $2, length($2) + 2 - length(end)) == end)
                sum += column[1]
        }
        END { print sum + 0 }')" "$4"
}

# same HOW FILE: tests what does not depend on debug information.
same()
{
    chain "$1" "$2" "ALL;APART-USER;APART" 100
    lisp_table "$2" | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u >names
    hasnt "$1: none by its name in C" names '^LC?[0-9]+'
    hasnt "$1: no local function of another's" names '^(FIRST-ONE in EQUAL-USER-[AB]|SECOND-ONE.*)$'
}

# inlined HOW FILE: tests what debug information shows.
inlined()
{
    chain "$1" "$2" "ALL;MK-USER;MK" 10
    chain "$1" "$2" "ALL;TWO-USER;TWO" 20
    chain "$1" "$2" "ALL;TWO-USER;TWO;MK" 20
    chain "$1" "$2" "ALL;NAMES-USER;OTHER::HIDDEN" 30
    chain "$1" "$2" "ALL;NAMES-USER;OTHER:SHOWN" 30
    chain "$1" "$2" "ALL;NAMES-USER;|odd Name|" 30
    chain "$1" "$2" "ALL;LOCAL-USER;KEEP in LOCAL-USER" 40
    chain "$1" "$2" "(METHOD VISIT (INTEGER T));HELPER in (METHOD VISIT (INTEGER T))" $((2 * 60))
    is "$1: equal local functions, called from one" \
        "$(objects CONS "FIRST-ONE in EQUAL-USER-A or 1 more" "$2")" $((2 * (70 + 80)))
    same "$1" "$2"
    if [ "$entries" -eq 0 ]; then
        is "$1: equal functions, called directly" "$(objects VECTOR "SAME-A or SAME-B" "$2")" $((2 * 90))
    else
        hasnt "$1: equal bodies have no name" names '^SAME-[AB]'
    fi
}

lisp run.mprof inlined-run.lisp
is "status" "$status" 0
inlined "mprof run" run.mprof

inside()
{
    MPROF_MODULE=$top/lisp/mprof.fas "$ecl" --norc --shell inlined-run.lisp >out 2>&1 </dev/null
    is "$1: status" "$?" 0
}

inside "from inside"
inlined "from inside" inside.live

# The functions are shown in every view. The report seals the file, so a copy is kept.
cp inside.live unsealed.live
prints "direct allocation" ' 30 MK$' "$mprof" report --lisp --no-pager --table=direct inside.live
prints "the call graph" ' 20/30 +\[[0-9]+\] +MK$' "$mprof" report --lisp --no-pager --table=graph inside.live
has "the call graph: those that are copied, too" out ' 20/20 +\[[0-9]+\] +TWO$'
frames=all
chain "all frames" inside.live "MK-USER;MK;ecl_cons" 10
frames=c
lisp_table inside.live >c-names
has "frames in C" c-names ';L[0-9]+mk_user(_va)?;L[0-9]+mk;ecl_cons'
frames=lisp

# Without debug information, inlined functions count as the function that contains them.
rm inlined.fas
mv unsealed.live inside.live
chain "without the file" inside.live "ALL;MK-USER" 10
same "without the file" inside.live
ok "compile" compiled inlined
ok "strip -g" strip -g inlined.fas
inside "without debug information"
chain "without debug information" inside.live "ALL;MK-USER" 10
is "without debug information: all are there" "$(objects CONS TWO-USER inside.live)" $((2 * 20))
same "without debug information" inside.live
plan
# SPDX-License-Identifier: MIT
