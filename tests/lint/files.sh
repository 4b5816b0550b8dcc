#!/bin/sh
# Checks of the files' text: lengths, blanks, unwanted words.
. "${srcdir:-.}/tests/e2e/tap.sh"

cd "$src" || exit 99
COLUMNS_OF_C=120               # the style says 100; this is where it hurts

# The project's files: those that git tracks, or all of these types in a tarball.
if ! git ls-files >"$tmp/files" 2>/dev/null || [ ! -s "$tmp/files" ]; then
    find . -type f | sed 's|^\./||' | grep -vE '^(build-aux|autom4te.cache|m4)/|^(configure|aclocal|Makefile\.in)' |
        tr '\n' '\0' | xargs -0 grep -L '^/\* Made by [a-z/-]*\.[a-z]*\. \*/$' >"$tmp/files"
fi
grep -E '\.[ch]$|\.cc$' "$tmp/files" >"$tmp/sources"
grep -E '\.sh$|^bootstrap$|^\.ci/run$' "$tmp/files" >"$tmp/scripts"
grep -E '\.([ch]|cc|sh|py|mk|am|ac|md|lisp|asd|txt|[1-8])(\.in)?$|^bootstrap$|^\.ci/run$|^NEWS$' "$tmp/files" |
    grep -vE '^tests/(data|golden|fuzz)/' >"$tmp/texts"

# none LIST: returns whether the check of the files in LIST, which is not empty, found nothing wrong, and prints it if not.
none()
{
    [ -s "$1" ] || echo "nothing was checked" >>"$tmp/wrong"
    cat "$tmp/wrong"
    [ ! -s "$tmp/wrong" ]
}

long_lines()
{
    xargs awk -v most=$COLUMNS_OF_C 'length > most { print FILENAME ":" FNR ": " length " columns" }' \
        <"$tmp/sources" >"$tmp/wrong" 2>&1
    none "$tmp/sources"
}

# lines_like PATTERN LIST: returns whether no line of the files in LIST matches PATTERN.
lines_like()
{
    xargs grep -nE -e "$1" /dev/null <"$2" >"$tmp/wrong" 2>&1
    none "$2"
}

# Files that nobody wrote: programs, and what tests leave behind.
left_over()
{
    grep -v '^tests/\(data\|fuzz/corpus\)/' "$tmp/files" | tr '\n' '\0' >"$tmp/names"
    {
        xargs -0 grep -laP '\A\x7fELF' <"$tmp/names" | sed 's/$/ is a program/'
        # shellcheck disable=SC2016
        xargs -0 sh -c 'find "$@" -maxdepth 0 -size +400000c -printf "%p has %s bytes\n"' sh <"$tmp/names"
    } >"$tmp/wrong" 2>&1
    none "$tmp/files"
}

# named_paths TEXT DIRECTORY: returns whether each path in backticks in TEXT exists, relative to the top or to
# DIRECTORY.
named_paths()
{
    tr '`' '\n' <"$1" | grep -E '^[a-z0-9_-]+/[A-Za-z0-9_./-]*$' | grep -v NAME | sort -u >"$tmp/paths"
    while read -r path; do
        [ -e "$path" ] || [ -e "$2/$path" ] || echo "$1 names $path"
    done <"$tmp/paths" >"$tmp/wrong"
    none "$tmp/paths"
}

tab=$(printf '\t')
if git ls-files --error-unmatch configure.ac >/dev/null 2>&1; then
    ok "nothing is committed that nobody wrote" left_over
else
    skip "nothing is committed that nobody wrote" "git does not know these files"
fi
ok "lines of C are short" long_lines
ok "no tabs in C" lines_like "$tab" "$tmp/sources"
ok "no blanks at line ends" lines_like "[ $tab]\$" "$tmp/texts"
grep -v '^tests/lint/files.sh$' "$tmp/texts" >"$tmp/others"
ok "nothing is left to do" lines_like '\<(TODO|FIXME|XXX|HACK)\>' "$tmp/others"
# (objects.h has ECL's own types under ECL's own names)
grep -E '^(runtime|c-bridge|lisp-bridge|reporter)/' "$tmp/sources" |
    grep -v '^lisp-bridge/objects.h$' >"$tmp/product"
guards_differ()
{
    grep '\.h$' "$tmp/files" | xargs sed -n 's/^#ifndef \(MP_[A-Z0-9_]*_H\)$/\1/p' | sort >"$tmp/guards"
    uniq -d "$tmp/guards" >"$tmp/wrong"
    none "$tmp/guards"
}

ok "no two headers have the same guard" guards_differ
names_differ()
{
    sed 's|.*/||' "$tmp/product" | sort | uniq -d >"$tmp/wrong"
    none "$tmp/product"
}

ok "no two files of the product have the same name" names_differ
ok "no typedef of a struct" lines_like '^ *typedef (struct|union|enum)' "$tmp/product"
grep -E '^(runtime|c-bridge)/.*\.c$' "$tmp/sources" >"$tmp/target"
ok "the target prints nothing by itself and ends nothing" \
    lines_like '(^|[^a-z_.>])(printf|fprintf|puts|perror|abort|exit|assert) ?\(' "$tmp/target"
grep -E '^(reporter|lisp)/' "$tmp/sources" >"$tmp/reporter"
ok "the reporter copies no text without a bound" \
    lines_like '(^|[^a-z_])(v?sprintf|strcpy|strcat|stpcpy|gets) ?\(' "$tmp/reporter"
grep '\.c$' "$tmp/product" >"$tmp/product.c"
ok "names of functions begin a line" \
    lines_like '^[a-z][a-z_0-9 ]*[ *]mp_[a-z_0-9]+\([^;=]*$' "$tmp/product.c"
ok "files that ARCHITECTURE.md names exist" named_paths ARCHITECTURE.md .
ok "files that CONCURRENCY.md names exist" named_paths runtime/CONCURRENCY.md runtime
syntax()
{
    while read -r file; do
        sh -n "$file"
    done <"$tmp/scripts" >"$tmp/wrong" 2>&1
    none "$tmp/scripts"
}

ok "the syntax of scripts" syntax
if command -v mandoc >/dev/null 2>&1; then
    ok "manual pages by mandoc" mandoc -T lint -W warning man/*.[1-8]
else
    skip "manual pages by mandoc" "mandoc is not installed"
fi
plan
# SPDX-License-Identifier: MIT
