#!/bin/sh
# Recordings that earlier releases wrote are read with the same figures and chains: mprof-data(5) promises this.
# tests/data/RELEASE has them. FILE.expected has lines that the release printed of FILE.data.
. "${srcdir:-.}/tests/e2e/lib.sh"

# shown FILE: prints what mprof totals and mprof export -F chains print of FILE, and what mprof replay prints of its log;
# the tables of a snapshot of a heap.
shown()
{
    case $1 in
    *.heap) "$mprof" heap "$1" ;;
    *) "$mprof" totals "$1" && "$mprof" export -F chains "$1" && logged "$1" ;;
    esac
}

# logged FILE: if FILE has a log, prints its figures, one in each line.
logged()
{
    [ ! -e "$1.log" ] || "$mprof" replay --json "$1" | sed -n 's/^"log":{//p' | tr ',}' '\n\n'
}

# as_expected FUNCTION FILE EXPECTED: returns whether FUNCTION, one of the above, prints all lines of EXPECTED of FILE.
as_expected()
{
    "$1" "$2" | LC_ALL=C sort >lines || return
    LC_ALL=C sort "$3" | LC_ALL=C comm -23 - lines >missing
    cat missing
    [ -s "$3" ] && [ ! -s missing ]
}

for folder in "$src"/tests/data/[1-9]*.[0-9]*; do
    release=${folder##*/}
    for file in "$folder/c.data" "$folder/lisp.data" "$folder/merged.data" "$folder/recorded.data" "$folder/c.heap"; do
        name=${file##*/}
        ok "release $release: $name" as_expected shown "$file" "$folder/${name%.data}.expected"
    done
    # Live files that killed programs left behind. One is a recording of ECL in which only the blocks of C are samples;
    # one contains a log, which sealing writes to a file of its own.
    for file in killed.data lisp-sampled.data killed-recorded.data; do
        gzip -dc "$folder/$file.gz" >$file
        ok "release $release: $file, of a killed program" as_expected shown $file "$folder/${file%.data}.expected"
        has "... was not sealed" $file '^MPROFLIV'
        returns "... can still be sealed" 0 "$mprof" seal $file
        has "... that is done" $file '^MPROFDAT'
        ok "... with the same figures" as_expected shown $file "$folder/${file%.data}.expected"
    done
    ok "... and with the log" as_expected logged killed-recorded.data "$folder/killed-recorded.log.expected"
    "$mprof" totals lisp-sampled.data >totals
    hasnt "release $release: objects that were all recorded are not estimated" totals '^lisp-.*\.(low|high)'
    returns "release $release: it cannot be merged with sampled objects" 1 \
        "$mprof" merge -o merged.data lisp-sampled.data "$src/tests/data/sealed-objects.data"
    has "... which is said" "$tmp/err" "^mprof: of lisp-sampled\.data all objects of Lisp were recorded, of .*sealed-objects\.data samples"
done
plan
# SPDX-License-Identifier: MIT
