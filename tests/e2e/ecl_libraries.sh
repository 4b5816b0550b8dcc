#!/bin/sh
# Lisp libraries of Debian: the recorded bytes are those that the collector counts; and what a document of cxml, and
# packages, retain.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ECL_CACHE=$kept/libraries/
export ECL_CACHE
cp "$src/tests/ecl/libraries.lisp" .

# unknown WHAT COLUMN FILE: prints the sum of COLUMN over objects with unknown owner or type.
unknown()
{
    lisp_table "$3" | awk -F'\t' -v what="unknown $1" -v column="$2" \
        'index($1, what) { split($1, n, " "); sum += n[column] } END { print sum + 0 }'
}

echo '(ext:quit 0)' >start.lisp
lisp start.mprof start.lisp
at_start=$(unknown owner 2 start.mprof)
at_most "data of unknown owner that ECL makes when it starts, bytes" "$at_start" 64

# at_work LIBRARY PACKAGE...: records what LIBRARY of libraries.lisp does, and checks the recording. Debian's PACKAGEs
# are needed.
at_work()
{
    LIBRARY=$1
    export LIBRARY
    shift
    for package; do
        if [ ! -d "/usr/share/common-lisp/source/$package" ]; then
            skip "$LIBRARY" "$package is not installed"
            return
        fi
    done
    "$ecl" --norc --shell libraries.lisp >native 2>"$tmp/err" </dev/null    # the first run also compiles
    native=$?
    if [ $native -ne 0 ]; then
        skip "$LIBRARY" "it fails without mprof, too: status $native"
        return
    fi
    lisp library.mprof libraries.lisp
    is "$LIBRARY: status" "$status" 0
    ok "$LIBRARY: the same output" cmp native "$tmp/out"
    ok "$LIBRARY: some output" grep -qi "^$LIBRARY (" native
    at_least "$LIBRARY: more than 100 MB" "$(total heap library.mprof)" 100000000
    exact_heap "$LIBRARY" library.mprof
    is "$LIBRARY: data of unknown owner, bytes" "$(unknown owner 2 library.mprof)" "$at_start"
    is "$LIBRARY: objects of unknown type" "$(unknown type 1 library.mprof)" 0
    is "$LIBRARY: dropped" "$(total dropped library.mprof)" 0
    is "$LIBRARY: cut" "$(total cut library.mprof)" 0
}

at_work ppcre cl-ppcre
at_work json yason
at_work squeeze salza2 chipz
at_work xml cxml

if [ -d /usr/share/common-lisp/source/cxml ]; then
    PYTHONDONTWRITEBYTECODE=1 SNAPSHOT=$tmp/document.heap
    export PYTHONDONTWRITEBYTECODE SNAPSHOT
    cp "$src/tests/ecl/document.lisp" .
    run "$ecl" --norc --load "$top/lisp/mprof.fas" --shell document.lisp
    is "a document: status" "$status" 0
    # shellcheck disable=SC2046     # its figures
    ok "what it holds, and packages" python3 "$src/tests/e2e/ecl_heap_document.py" "$mprof" document.heap \
        $(tail -n 1 out)
else
    skip "what a document holds" "cxml is not installed"
fi
plan
# SPDX-License-Identifier: MIT
