#!/bin/sh
# The manual pages and the help contain all commands, all options, and all keys of mprof totals, and nothing else.
. "${srcdir:-.}/tests/e2e/lib.sh"

man=$src/man

# sorted WORDS...: prints the words one a line, each once.
sorted()
{
    printf '%s\n' "$@" | LC_ALL=C sort -u
}

# section NAME FILE: prints the lines of a section.
section()
{
    awk -v name="$1" '/^\.Sh / { inside = $0 == ".Sh " name } inside' "$2"
}

# ------------------------------------------------------------------ commands
# the commands in the table that --help prints
"$mprof" --help >help
commands=$(listed Commands)
at_once=$(echo "$commands" | grep -vx help)
ok "--help lists commands" test -n "$at_once"
# shellcheck disable=SC2086
is "the synopsis of --help has them" \
    "$(sed -n 's/^\(usage:\|      \) mprof \([a-z]\{1,\}\) .*/\2/p' help | LC_ALL=C sort -u)" "$(sorted $at_once)"
# shellcheck disable=SC2086
is "the synopsis of mprof(1) has them" \
    "$(section SYNOPSIS "$man/mprof.1" | sed -n 's/^\.Cm //p' | LC_ALL=C sort -u)" "$(sorted $commands)"
# shellcheck disable=SC2086
is "mprof(1) explains them" \
    "$(section DESCRIPTION "$man/mprof.1" | sed -n 's/^\.It Cm //p' | sed 's/ , Cm /\n/g' | LC_ALL=C sort)" \
    "$(sorted $commands)"

# ------------------------------------------------------------------- options
# page COMMAND: prints the manual page that explains its options.
page()
{
    case $1 in
    stop | start | checkpoint) echo "$man/mprof-snapshot.1" ;;
    *) echo "$man/mprof-$1.1" ;;
    esac
}

for command in $at_once; do
    "$mprof" "$command" --help >help
    missing=
    for option in $(grep -oE -e '--[a-z-]+' help | LC_ALL=C sort -u); do
        grep -qE "Fl ${option#-}( |\$)" "$(page "$command")" "$man/mprof.1" || missing="$missing $option"
    done
    is "the manual of $command has its options" "$missing" ""
done

# ------------------------------------------------------------------ wrappers
sed -n '/mp_wrappers\[\] = {/,/NULL};/p' "$src/reporter/view/skip.c" | grep -oE '"[^"]+"' | tr -d '"' \
    >"$tmp/wrappers"
section "ALLOCATION WRAPPERS" "$man/mprof-names.7" | sed -n '/^\.Bl/,/^\.El/{ /^\./!p; }' |
    sed 's/\\ / /g; s/\.$/,/' | tr '\n' ' ' | sed 's/, /\n/g' >"$tmp/listed"
is "mprof-names(7) lists all wrappers, and no others" "$(LC_ALL=C sort "$tmp/listed" | grep .)" \
    "$(LC_ALL=C sort "$tmp/wrappers")"
ok "there are wrappers" test "$(wc -l <"$tmp/wrappers")" -gt 100

# ------------------------------------------------------------- what they look like
# lint PAGE: prints the warnings of mandoc, except those about style and missing pages.
lint()
{
    mandoc -Tlint -Wwarning "$1" 2>&1
}

# odd PAGE: prints lines of its text that show a misread macro: a list of arguments that continues on the next line,
# ordinary words as options, files or headers, a blank before a bar.
odd()
{
    mandoc -Tutf8 -Owidth=200 "$1" | col -bx | grep -nE '\]\]\]|--\.\.|^ +<[a-z ]+>$|[a-z] \|[a-z]|, -(if|it|is|not|or|and) '
}

# see_also PAGE: prints the manuals in its section SEE ALSO. mentioned PAGE: prints the manuals of mprof to which its
# text refers.
see_also()
{
    section "SEE ALSO" "$1" | sed -n 's/^\.Xr \([^ ]*\) \([0-9]\).*/\2 \1/p'
}
mentioned()
{
    sed '/^\.Sh SEE ALSO/,$d' "$1" | sed -n 's/.*Xr \(mprof[a-z-]*\) \([0-9]\).*/\2 \1/p' |
        sed -E 's/mprof-(start|stop|checkpoint)$/mprof-snapshot/' | LC_ALL=C sort -u
}

# missing PAGE: prints what is in the file `wanted`, but not in its SEE ALSO.
missing()
{
    see_also "$1" | LC_ALL=C sort >listed
    grep -vx "$(basename "$1" | sed -E 's/(.*)\.(.)$/\2 \1/')" wanted | LC_ALL=C comm -23 - listed | tr '\n' ','
}

for page in "$man"/*.[1-9]; do
    name=$(basename "$page")
    printf '%s %s\n' "${name##*.}" "${name%.*}"
done | LC_ALL=C sort >pages
for page in "$man"/*.[1-9]; do
    name=$(basename "$page")
    if command -v mandoc >/dev/null 2>&1; then
        is "$name: no warnings" "$(lint "$page")" ""
        is "$name: no macro is misread" "$(odd "$page")" ""
    else
        skip "$name: warnings" "mandoc is not installed"
    fi
    case $name in
    mprof.1) cat pages >wanted ;;
    *) { echo "1 mprof" && mentioned "$page"; } | LC_ALL=C sort -u >wanted ;;
    esac
    is "$name: SEE ALSO has the pages that it mentions" "$(missing "$page")" ""
    see_also "$page" >order
    ok "$name: they are in order" env LC_ALL=C sort -c order
    is "$name: they are there" "$(grep ' mprof' order | grep -vxF -f pages)" ""
    case $name in
    mprof*.1) ok "$name: EXIT STATUS" grep -qx '\.Sh EXIT STATUS' "$page" ;;
    esac
done
is "each command has a line of its own in the synopsis" \
    "$(section SYNOPSIS "$man/mprof.1" | awk '/^\.Cm/ && before !~ /^\.(Nm|Fl)/ { print } { before = $0 }')" ""

# ----------------------------------------------------------------- of functions
# Each function of mprof(3) can be found by its name.
sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([a-z_]*\).*/\1/p' "$man/mprof.3" | LC_ALL=C sort >functions
is "mprof(3) names the functions of mprof.h" \
    "$(sed -n 's/^MPROF_WEAK [a-z0-9_ ]*[ *]\([a-z_]*\)(.*/\1/p' "$src/runtime/mprof.h" | LC_ALL=C sort)" "$(cat functions)"
is "each of them has a manual page" \
    "$(sed -n '/^man3_functions/,/[^\\]$/p' "$man/local.mk" | sed 's/.*=//; s/\\$//' | tr -s ' \t' '\n\n' | grep . | LC_ALL=C sort)" \
    "$(cat functions)"

# --------------------------------------------------------------------- sections
# In the sealed form, sections are numbered from 1 in the order of the enumeration; enumerators with a value are not
# sections.
is "mprof-data(5) has all sections of the sealed form" \
    "$(section "SEALED FORM" "$man/mprof-data.5" | grep -cE '^\.It [0-9]+ [a-z]')" \
    "$(sed -n '/MP_SEC_STRINGS = 1/,/MP_SEC_END/p' "$src/runtime/format.h" | grep -cE '^    MP_SEC_([A-Z_]+,|STRINGS)')"

# ---------------------------------------------------------------------- keys
# keys LISTS: prints the keys in the first LISTS lists of the section TOTALS.
keys()
{
    section TOTALS "$man/mprof-totals.1" | awk -v lists="$1" '/^\.Bl / { n++ } n <= lists && sub(/^\.It Cm /, "")' | LC_ALL=C sort
}

# printed FILE: prints the keys of mprof totals.
printed()
{
    "$mprof" totals "$src/tests/data/$1" | cut -d' ' -f1 | LC_ALL=C sort
}

is "mprof-totals(1) has the keys" "$(keys 1)" "$(printed sealed-widgets.data)"
is "and those of a program with Lisp in it" "$(keys 2)" "$(printed sealed-lisp.data)"
# The totals of a sampled recording have interval ends, whose keys are the figure's key and .low or .high.
section TOTALS "$man/mprof-totals.1" | grep -oE '^\.Cm [a-z-]+' | cut -d' ' -f2 >"$tmp/named"
keys 1 >>"$tmp/named"
is "and those of a sampled recording" \
    "$(printed sealed-sampled.data | sed -E 's/\.(low|high)$//' | sort -u | grep -vxF -f "$tmp/named")" ""
plan
# SPDX-License-Identifier: MIT
