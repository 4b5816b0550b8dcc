#!/bin/sh
# Lisp sources: only one file contains C, none names internal symbols of other packages, and only one finds those of ECL's
# compiler when it runs. tests/lisp/lines/ has inputs of a test.
. "${srcdir:-.}/tests/e2e/tap.sh"

cd "$src" || exit 99
find lisp tests/lisp -path tests/lisp/lines -prune -o \( -name '*.lisp' -o -name '*.asd' \) -print | LC_ALL=C sort >"$tmp/files"
grep -v '^lisp/ffi.lisp$' "$tmp/files" >"$tmp/others"
grep -v '^lisp/build.lisp$' "$tmp/files" >"$tmp/product"

# none PATTERN LIST: returns whether no line of the files in LIST matches PATTERN.
none()
{
    xargs grep -nE -e "$1" /dev/null <"$2" >"$tmp/wrong" 2>&1
    cat "$tmp/wrong"
    [ -s "$2" ] && [ ! -s "$tmp/wrong" ]
}

# Every function, macro and condition that mprof exports is documented in the manual.
exported()
{
    sed -n 's/;.*//; s/.*/&/p' lisp/package.lisp | grep -oE '#:[a-z-]+' | sed 's/#://' |
        grep -vE '^(mprof|common-lisp)$' >"$tmp/symbols"
    while read -r symbol; do
        cat man/mprof-lisp.7 man/mprof-heap-lisp.7 | grep -qF -e "$symbol" || echo "$symbol is in no manual"
    done <"$tmp/symbols" >"$tmp/wrong"
    cat "$tmp/wrong"
    [ -s "$tmp/symbols" ] && [ ! -s "$tmp/wrong" ]
}

ok "C is in ffi.lisp only" none '\(ffi:' "$tmp/others"
ok "no symbol of another package that is not exported" none '[a-z]::' "$tmp/product"
tab=$(printf '\t')
grep -v '^lisp/lines.lisp$' "$tmp/product" >"$tmp/others"
ok "symbols of ECL's compiler are found in lines.lisp only" none \
    'compiler-symbol|find-(symbol|package).*"(C|COMPILER)"|find-(symbol|package).*:(c|compiler)[ )]|require :cmp' "$tmp/others"
ok "no tabs" none "$tab" "$tmp/files"
ok "lines are short" none '.{101}' "$tmp/files"
ok "all that is exported is in the manual" exported
is "the version is that of configure.ac" \
    "$(sed -n 's/.*:version "\(.*\)".*/\1/p' lisp/mprof.asd | sort -u)" \
    "$(sed -n 's/^AC_INIT(\[mprof\], \[\([^]]*\)\].*/\1/p' configure.ac)"
plan
# SPDX-License-Identifier: MIT
