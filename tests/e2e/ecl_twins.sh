#!/bin/sh
# Functions of a Lisp file that gcc found to be equal and merged have the names of all of them, and no others.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled twins
cp "$src/tests/ecl/twins-run.lisp" .
entries=$(nm twins.fas | grep -c '_va$')        # 0 unless ECL compiles a function into an entry and a body

# twins HOW FILE MORE-EARLY SMALL-A SMALL-B: tests who made the conses of FILE. MORE-EARLY conses were made while the
# Lisp file was loaded.
twins()
{
    is "$1: a jump is left" "$(objects CONS "EARLY-A or EARLY-B" "$2")" $((100 + 200 + $3))
    is "$1: of many, the first are shown" \
        "$(objects CONS "MANY-A or MANY-B or MANY-C or 2 more" "$2")" $((10 + 20 + 30 + 40 + 50))
    is "$1: methods" \
        "$(objects CONS "(METHOD VISIT (INTEGER T)) or (METHOD VISIT (SYMBOL T))" "$2")" \
        $((2 * (30 + 40)))
    is "$1: what is equal to nothing has its own name, also under another" \
        "$(objects CONS ALONE "$2")" $((2 * (50 + 60)))
    lisp_table "$2" | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u >names
    hasnt "$1: none is shown alone" names '^((EARLY|MANY)-.|\(METHOD VISIT \([A-Z]* T\)\))$'
}

# own_names HOW FILE: tests functions whose equal bodies have no names, so that each call has the name of the entry.
own_names()
{
    is "$1: each of two has its own name" "$(objects CONS EARLY-A "$2") $(objects CONS EARLY-B "$2")" "100 200"
    is "$1: and of many" "$(objects CONS MANY-A "$2") $(objects CONS MANY-E "$2")" "10 50"
    is "$1: and methods" \
        "$(objects CONS "(METHOD VISIT (INTEGER T))" "$2") $(objects CONS "(METHOD VISIT (SYMBOL T))" "$2")" \
        "$((2 * 30)) $((2 * 40))"
    lisp_table "$2" | sed 's/^[^	]*	//' | tr ';' '\n' | sort -u >names
    hasnt "$1: none has several" names ' or '
}

# with_symbols HOW FILE: tests names that follow from symbols.
with_symbols()
{
    is "$1: local functions" "$(objects CONS "STEP-DOWN in OUTER-B or WALK in OUTER-A" "$2")" \
        $((11 + 21))
    hasnt "$1: no local function is shown alone" names '^(WALK in OUTER-A|STEP-DOWN in OUTER-B)$'
}

# with_debug HOW FILE: tests names that follow from debug information.
with_debug()
{
    is "$1: a copy of the one kept is told apart: the one" "$(objects CONS SMALL-A "$2")" 1
    is "$1: and the other" "$(objects CONS SMALL-B "$2")" 2
    is "$1: who is jumped to by another function is no twin" "$(objects CONS BASE "$2")" \
        $((2 * (10 + 20)))
}

lisp run.mprof twins-run.lisp
is "status" "$status" 0
twins "mprof run" run.mprof 5
with_symbols "mprof run" run.mprof
with_debug "mprof run" run.mprof

# inside HOW [NAMES]: records with the Lisp module, after everything was loaded and called once. The function NAMES
# tests the names.
inside()
{
    MPROF_MODULE=$top/lisp/mprof.fas "$ecl" --norc --shell twins-run.lisp >out 2>&1 </dev/null
    is "$1: status" "$?" 0
    ${2:-twins} "$1" inside.live 0
}

inside "from inside"
with_symbols "from inside" inside.live
with_debug "from inside" inside.live

ok "strip -g" strip -g twins.fas
inside "without debug information"
with_symbols "without debug information" inside.live
if [ "$entries" -eq 0 ]; then
    is "without debug information: who is jumped to may be a twin" \
        "$(objects CONS "BASE or JUMPER" inside.live)" $((2 * (10 + 20)))
else
    is "without debug information: who is called by another's entry is no twin" \
        "$(objects CONS BASE inside.live)" $((2 * (10 + 20)))
fi

ok "strip" strip twins.fas
if [ "$entries" -eq 0 ]; then
    inside "stripped"
else
    inside "stripped" own_names
fi
hasnt "stripped: no function without a name" names '\.fas\+0x'
is "stripped: local functions count as those that call them" \
    "$(objects CONS OUTER-A inside.live) $(objects CONS OUTER-B inside.live)" "11 21"
frames=all
lisp_table inside.live >all-names
has "stripped: they are there among all frames" all-names ';OUTER-A;twins\.fas\+0x'
plan
# SPDX-License-Identifier: MIT
