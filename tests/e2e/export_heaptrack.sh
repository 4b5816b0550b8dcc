#!/bin/sh
# mprof export -F heaptrack, read by heaptrack_print: the figures of each chain, and the totals.
. "${srcdir:-.}/tests/e2e/lib.sh"

unset DEBUGINFOD_URLS
needs "exports for heaptrack" python3 heaptrack_print

ending=gz                       # of file names; heaptrack_print takes the compression from it
if grep -q '^#define MP_HAVE_ZSTD 1' "$top/config.h"; then
    ending=zst
fi

books()
{
    PYTHONDONTWRITEBYTECODE=1 "$python" "$src/tests/e2e/export_books.py" "$@"
}

# chains DATA COST FIGURE: tests that heaptrack's flame graph of COST has the chains and figures of mprof export -F
# chains.
chains()
{
    heaptrack_print --disable-builtin-suppressions --flamegraph-cost-type="$2" -F folded "$1.$ending" >printed 2>complaints
    is "$1, $2: heaptrack_print reads it" "$? $(grep -v '^reading file' complaints)" "0 "
    books dump chains "$3" >expected
    books dump folded "$3" folded >found
    ok "... and finds $(wc -l <expected) chains" cmp expected found
}

profile costs "$programs/costs"
profile cycles "$programs/cycles"
profile deep "$programs/deep" 60
profile threads "$programs/threads"
profile jq jq -n '[range(2000) | tostring] | length'
for data in costs cycles deep threads jq; do
    says "$data: is exported" "0 " "$mprof" export -F heaptrack -o $data.$ending --full-names --no-skip $data
    "$mprof" export -F ids $data >dump
    chains $data allocations allocs
    has "$data: allocations" printed "^calls to allocation functions: $(total allocs $data) "
    has "$data: temporary ones" printed "^temporary memory allocations: $(total temporary $data) "
    chains $data temporary temporary
    chains $data leaked kept
    chains $data peak peak
done

# ------------------------------------------------------------------- an unknown end
profile killed perl -e 'select(undef, undef, undef, 0.01); $x = "x" x 1000000; kill 9, $$'
"$mprof" export -F heaptrack -o killed.$ending killed
returns "killed: mprof can read it" 0 "$mprof" report --table=overview killed.$ending

# ------------------------------------------------------------------- forms
"$mprof" export -F heaptrack costs >plain
"$mprof" export -F heaptrack -o as.gz costs
gzip -dc <as.gz >from.gz
ok "a name in .gz is compressed by gzip" cmp plain from.gz
run "$mprof" export -F heaptrack -o as.zst costs
if [ $ending = gz ]; then
    is "a name in .zst, built without zstd: one line" "$status $(cat err) $(ls as.zst 2>/dev/null)" \
        "1 mprof: as.zst: this mprof was built without zstd "
elif need zstd; then
    zstd -qdc <as.zst >from.zst
    ok "a name in .zst is compressed by zstd" cmp plain from.zst
else
    skip "a name in .zst" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
