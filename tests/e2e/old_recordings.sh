#!/bin/sh
# Recordings that earlier releases wrote are read with the same figures and chains: mprof-data(5) promises this.
# tests/data/RELEASE has them. FILE.expected has lines that the release printed of FILE.data.
. "${srcdir:-.}/tests/e2e/lib.sh"

# shown FILE: prints what mprof totals and mprof export -F chains print of FILE; the tables of a snapshot of a heap.
shown()
{
    case $1 in
    *.heap) "$mprof" heap "$1" ;;
    *) "$mprof" totals "$1" && "$mprof" export -F chains "$1" ;;
    esac
}

# as_expected FILE EXPECTED: returns whether all lines of EXPECTED are printed of FILE.
as_expected()
{
    shown "$1" | LC_ALL=C sort >lines || return
    LC_ALL=C sort "$2" | LC_ALL=C comm -23 - lines >missing
    cat missing
    [ -s "$2" ] && [ ! -s missing ]
}

for folder in "$src"/tests/data/[1-9]*.[0-9]*; do
    release=${folder##*/}
    # live files, which killed programs left behind; in the second, of ECL, only the blocks of C are samples
    gzip -dc "$folder/killed.data.gz" >killed.data
    gzip -dc "$folder/lisp-sampled.data.gz" >lisp-sampled.data
    for file in "$folder/c.data" "$folder/lisp.data" "$folder/merged.data" "$folder/c.heap" killed.data lisp-sampled.data; do
        name=${file##*/}
        ok "release $release: $name" as_expected "$file" "$folder/${name%.data}.expected"
    done
    has "release $release: it was not sealed" killed.data '^MPROFLIV'
    returns "release $release: it can still be sealed" 0 "$mprof" seal killed.data
    has "... that is done" killed.data '^MPROFDAT'
    ok "... with the same figures" as_expected killed.data "$folder/killed.expected"
    "$mprof" totals lisp-sampled.data >totals
    hasnt "release $release: objects that were all recorded are not estimated" totals '^lisp-.*\.(low|high)'
    returns "release $release: a sampled recording of ECL can be sealed" 0 "$mprof" seal lisp-sampled.data
    ok "... with the same figures" as_expected lisp-sampled.data "$folder/lisp-sampled.expected"
    returns "release $release: it cannot be merged with sampled objects" 1 \
        "$mprof" merge -o merged.data lisp-sampled.data "$src/tests/data/sealed-objects.data"
    has "... which is said" "$tmp/err" "^mprof: of lisp-sampled\.data all objects of Lisp were recorded, of .*sealed-objects\.data samples"
done
plan
# SPDX-License-Identifier: MIT
