#!/bin/sh
# Data of heaptrack are read like mprof's own: recordings that heaptrack made of real programs, with the figures of
# heaptrack_print; exports of mprof, with the original figures; and damaged files.
. "${srcdir:-.}/tests/e2e/lib.sh"

unset DEBUGINFOD_URLS DISPLAY WAYLAND_DISPLAY
built_with_zstd=
if grep -q '^#define MP_HAVE_ZSTD 1' "$top/config.h"; then
    built_with_zstd=1
fi

# figures DATA: prints all figures in one line.
all_figures="allocs bytes frees freed kept kept-blocks peak peak-blocks temporary"
figures()
{
    for figure in $all_figures; do
        total "$figure" "$1"
    done | paste -sd ' '
}

# ------------------------------------------------- round trip, and how files are packed
profile costs "$programs/costs"
profile cycles "$programs/cycles"
profile deep "$programs/deep" 60
profile threads "$programs/threads"
profile jq jq -n '[range(2000) | tostring] | length'
for data in costs cycles deep threads jq; do
    # With several threads, the shares of chains in the peak add up to it only within a bound, and the copy's peak is
    # their sum.
    all_figures="allocs bytes frees freed kept kept-blocks$([ $data = threads ] || echo " peak peak-blocks") temporary"
    "$mprof" export -F heaptrack -o $data.ht --full-names --no-skip $data
    is "$data: the same figures" "$(figures $data.ht)" "$(figures $data)"
    "$mprof" export -F chains $data | LC_ALL=C sort >expected
    "$mprof" export -F chains $data.ht | LC_ALL=C sort >found
    # Contexts that differ only by the places of calls may be one context in the imported file. So sum equal chains.
    for file in expected found; do
        awk '{ chain = $0; for (i = 1; i <= 7; i++) sub(/^[^ ]+ /, "", chain)
               for (i = 1; i <= 7; i++) sum[chain, i] += $i
               seen[chain] = 1 }
             END { for (chain in seen) {
                       for (i = 1; i <= 7; i++) printf "%.0f ", sum[chain, i]
                       print chain } }' $file | LC_ALL=C sort >$file.sums
    done
    ok "... of $(wc -l <expected.sums) chains" cmp expected.sums found.sums
done
"$mprof" report --no-pager --table=leaks --lines costs.ht >out
has "source lines come along" out 'main \(costs\.c:[0-9]+\) > keep \(costs\.c:[0-9]+\)$'
gzip -c costs.ht >costs.ht.gz
is "packed by gzip" "$(figures costs.ht.gz)" "$(figures costs)"
if [ -n "$built_with_zstd" ]; then
    "$mprof" export -F heaptrack -o costs.ht.zst costs
    is "packed by zstd" "$(figures costs.ht.zst)" "$(figures costs)"
else
    printf '\050\265\057\375 and more' >costs.ht.zst
    says "packed by zstd: one line" "1 mprof: costs.ht.zst: packed by zstd, without which this mprof was built" \
        "$mprof" report costs.ht.zst
fi

# --------------------------------------------------------- what heaptrack recorded
# heaptrack_of NAME COMMAND...: records COMMAND with heaptrack to NAME.zst.
heaptrack_of()
{
    name=$1
    shift
    heaptrack -o "$tmp/$name" "$@" >heaptrack.out 2>&1 </dev/null
    [ -s "$name.zst" ] || { sed 's/^/# /' heaptrack.out; echo "Bail out! heaptrack does not record $name"; exit 99; }
}

# more_temporary FILE: prints how many frees only heaptrack counts as temporary: if a free follows another free, and its
# block has the first allocation record.
more_temporary()
{
    zstd -dc "$1" | awk '$1 == "+" { freed = 0 }
        $1 == "-" { n += freed && $2 == "0"; freed = 1 }
        END { print n + 0 }'
}

if [ -z "$built_with_zstd" ]; then
    skip "what heaptrack recorded" "built without zstd"
elif ! need heaptrack heaptrack_print zstd python3; then
    skip "what heaptrack recorded" "$missing"
else
    heaptrack_of h-costs "$programs/costs"
    heaptrack_of h-jq jq -n '[range(20000) | tostring] | length'
    heaptrack_of h-sqlite sqlite3 :memory: 'create table t(a); insert into t values (1), (2); select sum(a) from t'
    heaptrack_of h-xml xmllint --version
    for data in h-costs h-jq h-sqlite h-xml; do
        heaptrack_print --disable-builtin-suppressions "$data.zst" >printed 2>complaints
        has "$data: allocations" printed "^calls to allocation functions: $(total allocs $data.zst) "
        has "$data: temporary" printed \
            "^temporary memory allocations: $(($(total temporary $data.zst) + $(more_temporary $data.zst))) "
        for cost in allocations:allocs leaked:kept peak:peak; do
            heaptrack_print --disable-builtin-suppressions --flamegraph-cost-type="${cost%:*}" -F folded $data.zst \
                >printed 2>complaints
            awk '{ sum += $NF } END { printf "%.0f\n", sum }' folded >found
            is "$data: ${cost%:*}, by chain together" "$(total "${cost#*:}" $data.zst)" "$(cat found)"
        done
    done
    heaptrack_print --disable-builtin-suppressions --flamegraph-cost-type=peak -F folded h-costs.zst >printed 2>&1
    "$mprof" export -F collapsed --full-names --no-skip --cost=peak --all-frames h-costs.zst >dump
    has "a chain of the peak" dump '^(_start;.*;)?main;phase;get 150000$'
    has "... is heaptrack's, too" folded 'main \(costs\.c\);phase \(costs\.c\);get \(costs\.c\); 150000$'
    says "report: status" "0 " "$mprof" report --no-pager h-jq.zst
    heaptrack --raw -o "$tmp/raw" "$programs/costs" >heaptrack.out 2>&1 </dev/null
    run "$mprof" report raw.raw.zst
    is "raw data: one line, which says what to do" "$status $(sed 's/.*: raw data/raw data/' err)" \
        "1 raw data of heaptrack, which heaptrack_interpret makes readable: zstd -dc FILE | heaptrack_interpret | zstd > NEW"
fi

# ------------------------------------------------------------------------- damaged
# bad LINE...: makes the file `bad`, with these lines after the first one.
bad()
{
    printf 'v 10400 3\n' >bad
    printf '%s\n' "$@" >>bad
}

bad 's 4 main' 'i 1 0 1' 't 1 0' 'a 10 1' '+ 1'
says "an event of nothing" "1 mprof: bad: an allocation of which nothing is known: damaged file, at byte 40" "$mprof" report bad
bad 't 1 0'
says "a chain of no address" "1 mprof: bad: refers to what is not there: damaged file, at byte 10" "$mprof" report bad
bad 's 5 main'
says "a text that is too short" "1 mprof: bad: a text that has another length: damaged file, at byte 10" "$mprof" report bad
bad 's 4 main' 'i 1 0 1' 't 1 0' 'a 10 1' '+ 0' '- 0' '- 0'
says "a free too many" "1 mprof: bad: more frees than allocations: damaged file, at byte 48" "$mprof" report bad
bad 's 4 main' 'i 1 0 1' 't 1 0' 'a 7fffffffffffffff 1' '+ 0' '+ 0'
says "too large" "1 mprof: bad: sizes beyond all bounds: damaged file, at byte 58" "$mprof" report bad
bad 'c 5' 'c 4'
says "time that goes backwards" "1 mprof: bad: time goes backwards: damaged file, at byte 14" "$mprof" report bad
bad '? 1'
says "a line of another sort" "1 mprof: bad: a line of an unknown sort: damaged file, at byte 10" "$mprof" report bad
bad 'a 10 0' '+ g'
says "a number that is none" "1 mprof: bad: not a number: damaged file, at byte 17" "$mprof" report bad
printf 'v 10400 9\n' >bad
says "a later format" "1 mprof: bad: heaptrack's format 9, of which mprof reads 1 to 3" "$mprof" report bad
printf 'v 10400 3\na 10 0\n+' >bad
says "the end of a line is missing" "1 mprof: bad: file ends too early" "$mprof" report bad
for packed in costs.ht.gz costs.ht.zst; do
    [ -n "$built_with_zstd" ] || [ $packed = costs.ht.gz ] || continue
    size=$(stat -c %s $packed)
    for part in 20 50 90; do
        head -c $((size * part / 100)) $packed >bad
        refuses "$packed, its first $part %" 1 '^mprof: bad: ' "$mprof" report bad
    done
done

# ------------------------------------------------- equal names of functions, and small files that unpack to large ones
printf '%s\n' 'v 10500 2' 'X prog' 's a' 's a#2' 's m1' 's m2' 'i 1 3 1' 'i 2 3 2' 'i 3 4 1' 't 3 0' 'a 10 1' '+ 0' >twice
returns "two functions of a name, and one that is called as one would be" 0 "$mprof" report --no-pager --table=direct twice
awk 'BEGIN { print "v 10400 2"; print "X prog"; for (i = 0; i < 200000; i++) print "i 1 0"; }' | gzip -9 >bomb.gz
complains "far more definitions than bytes" '^mprof: bomb\.gz: too much to be a profile when it is unpacked' "$mprof" report bomb.gz
awk 'BEGIN { print "v 10400 2"; print "X prog"; for (i = 0; i < 20000000; i++) print "" }' | gzip -9 >empty.gz
complains "nothing, but a lot of it" '^mprof: empty\.gz: too much to be a profile when it is unpacked' "$mprof" report empty.gz
plan
# SPDX-License-Identifier: MIT
