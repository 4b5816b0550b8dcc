#!/bin/sh
# Lisp sources: only one file contains C, and none uses internal symbols of other packages.
. "${srcdir:-.}/tests/e2e/tap.sh"

cd "$src" || exit 99
find lisp tests/lisp -name '*.lisp' -o -name '*.asd' | LC_ALL=C sort >"$tmp/files"
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
ok "no tabs" none "$tab" "$tmp/files"
ok "lines are short" none '.{101}' "$tmp/files"
ok "all that is exported is in the manual" exported
is "the version is that of configure.ac" \
    "$(sed -n 's/.*:version "\(.*\)".*/\1/p' lisp/mprof.asd | sort -u)" \
    "$(sed -n 's/^AC_INIT(\[mprof\], \[\([^]]*\)\].*/\1/p' configure.ac)"
plan
