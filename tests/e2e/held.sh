#!/bin/sh
# The memory that malloc had from the system when the program ended is what malloc itself reports. The monitor does not
# ask malloc where that is unsafe.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile unasked.data "$programs/held" plain
MPROF_HELD=1
export MPROF_HELD

# ends HOW: records the program that ends by HOW in HOW.data, and writes its output to HOW.said.
ends()
{
    rm -f "$1.data" "$1.data".*
    profile "$1.data" "$programs/held" "$1"
    mv out "$1.said"
}

# figures FILE: prints held, mapped and free bytes as the program does.
figures()
{
    "$mprof" report --json --table=bins "$1" | jq -r '.totals.malloc | if . == null then "none" else
        "held \(.held_bytes)", "mapped \(.mapped_bytes)", "free \(.free_bytes)" end'
}

ends plain
if [ "$(figures plain.data)" = none ] && { [ "$(uname -m)" != x86_64 ] || grep -q none plain.said; }; then
    skip_all "what malloc held" "glibc before 2.33, or chains are not walked by rules"
fi
is "nobody asked: it is not known" "$(figures unasked.data)" none
"$mprof" report --table=bins --no-pager unasked.data >text
hasnt "... and nothing is said of it" text '^(Held|Used|Free|Resident) '
is "the main program's malloc" "$(figures plain.data)" "$(cat plain.said)"
at_least "the large block is a mapping" "$(expected mapped plain.said)" 3000000
"$mprof" report --table=bins --no-pager plain.data >text
has "held" text "^Held  .* by malloc when it ended$"
has "used, beside what was requested" text '^Used .* of which 3\.8 MB were requested and recorded$'
has "free, with its share" text '^Free .* in chunks of malloc, [0-9]+\.[0-9] % of what it held$'
has "resident" text '^Resident '
resident=$("$mprof" report --json --table=bins plain.data | jq .totals.malloc.resident_bytes)
at_least "more is resident than malloc uses" "$resident" 3400000
is "used and free are what is held" "$(tr -d , <text | awk '/^Held/ { held = $2 } /^(Used|Free) / { sum += $2 }
    END { print held - sum }')" 0
unset MPROF_HELD
"$mprof" run -q --held -o sealed.data "$programs/held" plain >said
MPROF_HELD=1
export MPROF_HELD
is "of a sealed file" "$(figures sealed.data)" "$(cat said)"
"$mprof" merge -o merged.data sealed.data plain.data
is "nor of several processes" "$(figures merged.data)" none

# ----------------------------------------------------------------- ends at which malloc is not asked
for how in _exit quick abort handler; do
    ends "$how"
    is "$how: it is not asked" "$(figures "$how.data")" none
done
is "handler: the program ends as it would" "$status" 0

ends fork
is "a child by fork: its malloc" "$(figures fork.data.*)" "$(tail -n 3 fork.said)"
ends _Fork
for file in _Fork.data*; do
    is "$file: a child whose malloc was not made usable is not asked" "$(figures "$file")" none
done

# ----------------------------------------------------------------- the finding
is "much is free: a finding" "$(rules plain.data)" "sparse fill"
"$mprof" findings plain.data >out
has "its sentence" out 'Most that was freed since the peak were blocks of fill: 39\.2 MB of 40\.0 MB'
ends whole
is "little is free: none" "$(rules whole.data | grep -c sparse)" 0
is "of objects of Lisp there is none" "$("$mprof" findings --lisp plain.data 2>&1 | grep -c 'malloc held')" 0
plan
# SPDX-License-Identifier: MIT
