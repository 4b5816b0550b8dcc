#!/bin/sh
# What a sealed file contains, its maximum size, and that sealing loses nothing.
. "${srcdir:-.}/tests/e2e/lib.sh"

# record NAME COMMAND...: makes a sealed file NAME.data, whose reports must be those of the live file.
record()
{
    name=$1
    shift
    LD_PRELOAD=$library MPROF_FILE=$tmp/$name.live "$@" >"$name.out" 2>"$name.err"
    cp "$name.live" "$name.data"
    "$mprof" seal --sections "$name.data" >"$name.sections" 2>"$name.err"
    is "$name: is sealed, with one line" "$? $(wc -l <"$name.err")" "0 1"
    for view in "export -F ids" "export -F chains --lisp --frames=all" "report --no-pager" totals; do
        cp "$name.live" either
        # shellcheck disable=SC2086
        "$mprof" $view either >live 2>&1        # mprof report prints, and then seals the file
        cp "$name.data" either
        # shellcheck disable=SC2086
        "$mprof" $view either >sealed 2>&1
        if [ "$view" = totals ]; then       # names restore callers and distinguish operations of ECL
            sed -i '/^contexts /d; /^depth /d' live sealed
        fi
        ok "$name: $view, the same as of the live file" cmp live sealed
    done
    size=$(wc -c <"$name.data")
    bits=$((8 * size / $(total contexts "$name.data")))
}

# section NAME COLUMN: prints the size of a section; column 1: in bytes, 2: compressed.
section()
{
    awk -v name="$1" -v column="$2" 'index($0, name " ") == 1 { print $(NF - 2 + column) }' "$name.sections"
}

record widgets "$top/examples/widgets" 20000
at_most "widgets: the example takes no kilobyte" "$size" 1023
is "widgets: the sections that every file has" "$(head -10 widgets.sections | sed 's/  .*//' | tr '\n' ' ')" \
    "strings process modules functions locations frames contexts cells types bins "
"$mprof" seal --sections widgets.data >again
ok "widgets: a sealed file tells the same" cmp again widgets.sections

# Each context calls one of two functions, and each allocation has one of 240 sizes.
record deep "$programs/deep" 20000
at_most "deep: bits a context in the file" "$bits" 7
at_most "deep: and in its section" "$((8 * $(section contexts 2) / $(total contexts deep.data)))" 3

# Trees of calls. Each context takes one step down and one up in the file; repeated steps compress to almost nothing.
record trees "$programs/trees" 14 2
at_most "trees: bits a context" "$bits" 1
is "trees: bytes of contexts before they are deflated" "$(($(section contexts 1) / $(total contexts trees.data)))" 2

if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    record ecl "$(sed -n 's/^ECL = //p' "$top/Makefile")" --norc --eval '(quit)'
    at_most "ecl: bits a context" "$bits" 4
    at_most "ecl: the file of a process that does nothing" "$size" 70000
else
    echo "# no ECL: configured --without-ecl"
fi
plan
# SPDX-License-Identifier: MIT
