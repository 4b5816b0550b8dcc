#!/bin/sh
# Every source file has a line with its license: SPDX-License-Identifier: MIT. It is the first line, or the second one of
# a script. In tests/ and examples/ it is the last line, because recordings and documents have line numbers of these.
# Documents, data and texts of others have none; debian/copyright has their licenses.
#
#     tests/lint/spdx.sh --add     adds the lines that are missing to the files that git tracks
if [ "${1-}" = --add ]; then
    src=${srcdir:-.}
    tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
else
    . "${srcdir:-.}/tests/e2e/tap.sh"
fi
cd "$src" || exit 99

line='SPDX-License-Identifier: MIT'
if ! git ls-files >"$tmp/all" 2>/dev/null || [ ! -s "$tmp/all" ]; then
    find . -type f | sed 's|^\./||' | grep -vE '^(build-aux|autom4te.cache|m4)/|^(configure|config\.h|aclocal|Makefile\.in)' |
        tr '\n' '\0' | xargs -0 grep -L '^/\* Made by [a-z/-]*\.[a-z]*\. \*/$' >"$tmp/all"
fi
grep -E '\.(c|h|cc|def|sh|py|js|css|lisp|asd|el|mk|am|ac|map|go|gnuplot|fish|bash|[1-8](\.in)?)$|^bootstrap$|/_mprof$|^\.ci/run$|^debian/(rules|tests/[a-z]*)$' \
    "$tmp/all" | grep -vE '^tests/(data|golden|fuzz/corpus|lisp/lines)/|^debian/tests/control$|/changelog$' >"$tmp/files"
xargs grep -L "$line" <"$tmp/files" >"$tmp/without"

# The line as a comment of FILE.
comment()
{
    case $1 in
    *.[1-8] | *.[1-8].in) echo ".\\\" $line" ;;
    *.lisp | *.asd) echo ";;;; $line" ;;
    *.el) echo ";; $line" ;;
    *.ac) echo "dnl $line" ;;
    *.c | *.h | *.cc | *.def | *.js | *.css | *.map | *.go) echo "/* $line */" ;;
    *) echo "# $line" ;;
    esac
}

if [ "${1-}" = --add ]; then
    while read -r file; do
        case $file in
        tests/* | examples/*) comment "$file" >>"$file" ;;
        *)
            { { head -n 1 "$file" | grep -E '^#!|^#compdef|-\*-'; } || :
                comment "$file"
                sed '1{/^#!/d;/^#compdef/d;/-\*-/d;}' "$file"; } >"$tmp/new" && cat "$tmp/new" >"$file" ;;
        esac
    done <"$tmp/without"
    exit
fi
ok "there are files" test "$(grep -c . "$tmp/files")" -gt 1000
cat "$tmp/without"
ok "each has a line with its license" test ! -s "$tmp/without"
plan
