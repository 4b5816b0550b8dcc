#!/bin/sh
# The manual pages and the help say what the command has: all commands, all options, all keys of
# mprof totals; and nothing that it has not.
. "${srcdir:-.}/tests/e2e/tap.sh"

mprof=${MPROF:-$top/mprof}
man=$src/man
cd "$tmp" || exit 99

# sorted WORDS...: one a line, each once
sorted()
{
    printf '%s\n' "$@" | LC_ALL=C sort -u
}

# section NAME FILE: its lines
section()
{
    awk -v name="$1" '/^\.Sh / { inside = $0 == ".Sh " name } inside' "$2"
}

# ------------------------------------------------------------------ commands
# those of the table of commands, as --help has them
"$mprof" --help >help
commands=$(awk '/^Commands:/ { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }' help)
at_once=$(for command in $commands; do
    [ "$command" = help ] || echo "$command"
done)
ok "--help lists commands" test -n "$at_once"
# shellcheck disable=SC2086
is "the synopsis of --help has them" \
    "$(sed -n 's/^\(usage:\|      \) mprof \([a-z]\{1,\}\) .*/\2/p' help | LC_ALL=C sort -u)" "$(sorted $at_once)"
# shellcheck disable=SC2086
is "the synopsis of mprof(1) has them" \
    "$(section SYNOPSIS "$man/mprof.1" | sed -n 's/^\.Cm //p' | LC_ALL=C sort -u)" "$(sorted $commands)"
# shellcheck disable=SC2086
is "mprof(1) explains them" \
    "$(section DESCRIPTION "$man/mprof.1" | sed -n 's/^\.It Cm //p' | sed 's/ , Cm /\n/g' | LC_ALL=C sort -u)" \
    "$(sorted $commands)"

# ------------------------------------------------------------------- options
# page COMMAND: the manual page that explains its options
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
        grep -qE "Fl ${option#-}( |\$)" "$(page "$command")" || missing="$missing $option"
    done
    is "the manual of $command has its options" "$missing" ""
done

# ------------------------------------------------------------------ wrappers
sed -n '/mp_wrappers\[\] = {/,/NULL};/p' "$src/reporter/profile/wrappers.c" | grep -oE '"[^"]+"' | tr -d '"' \
    >"$tmp/wrappers"
section "ALLOCATION WRAPPERS" "$man/mprof-names.7" | sed -n '/^\.Bl/,/^\.El/{ /^\./!p; }' |
    sed 's/\\ / /g; s/\.$/,/' | tr '\n' ' ' | sed 's/, /\n/g' >"$tmp/listed"
is "mprof-names(7) lists all wrappers, and no others" "$(LC_ALL=C sort "$tmp/listed" | grep .)" \
    "$(LC_ALL=C sort "$tmp/wrappers")"
ok "there are wrappers" test "$(wc -l <"$tmp/wrappers")" -gt 100

# ---------------------------------------------------------------------- keys
# keys LISTS: of the first LISTS lists of the section TOTALS
keys()
{
    section TOTALS "$man/mprof-totals.1" | awk -v lists="$1" '/^\.Bl / { n++ } n <= lists && sub(/^\.It Cm /, "")' | LC_ALL=C sort
}

# printed FILE
printed()
{
    "$mprof" totals "$src/tests/data/$1" | cut -d' ' -f1 | LC_ALL=C sort
}

is "mprof-totals(1) has the keys" "$(keys 1)" "$(printed sealed-1.data)"
is "and those of a program with Lisp in it" "$(keys 2)" "$(printed sealed-2.data)"
# Of a sampled recording each key that is an interval's end has the key's name and .low or .high.
section TOTALS "$man/mprof-totals.1" | grep -oE '^\.Cm [a-z-]+' | cut -d' ' -f2 >"$tmp/named"
keys 1 >>"$tmp/named"
is "and those of a sampled recording" \
    "$(printed sealed-4.data | sed -E 's/\.(low|high)$//' | sort -u | grep -vxF -f "$tmp/named")" ""
plan
