#!/bin/sh
# Libraries of others, from Debian: as many bytes as the collector counts.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

for library in cl-ppcre cl-csv yason salza2 chipz; do
    if [ ! -d /usr/share/common-lisp/source/$library ]; then
        echo "1..0 # SKIP $library is not installed"
        exit 0
    fi
done
# Compiled once for all runs of the tests.
ECL_CACHE=$top/tests/ecl/cache/
export ECL_CACHE
cp "$src/tests/ecl/libraries.lisp" .
"$ecl" --norc --shell libraries.lisp >native 2>"$tmp/err" </dev/null
is "without mprof" "$?" 0
lisp libraries.mprof libraries.lisp
is "with it" "$status" 0
ok "the same output" cmp native "$tmp/out"
exact_heap "libraries" libraries.mprof
at_least "more than 100 MB" "$(total heap libraries.mprof)" 100000000
at_most "data of unknown owner, bytes" "$(lisp_table libraries.mprof |
    awk -F'\t' '$1 ~ /unknown owner/ { split($1, n, " "); sum += n[2] } END { print sum + 0 }')" \
    $((heap / 1000))
is "nothing was dropped" "$(total dropped libraries.mprof)" 0
is "no chain was cut" "$(total cut libraries.mprof)" 0
plan
