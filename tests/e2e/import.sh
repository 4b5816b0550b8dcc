#!/bin/sh
# Files of other tools: every command reads them, with the figures that the tools' own readers find; figures that they
# lack are unknown; damaged files lead to one line.
. "${srcdir:-.}/tests/e2e/lib.sh"

HOME=$tmp
export HOME
corpus=$src/tests/fuzz/corpus/import

# ------------------------------------------------------------------ exported, then imported
profile data "$programs/costs"
"$mprof" export -F pprof --full-names --no-skip --all-frames -o costs.pb.gz data
"$mprof" export -F chains --all-frames data | sort >before
"$mprof" export -F chains --all-frames costs.pb.gz | sort >after
ok "what mprof wrote has the same chains and figures" cmp before after
zcat costs.pb.gz >costs.pb
"$mprof" export -F chains --all-frames costs.pb | sort >after
ok "also when it is not packed" cmp before after
"$mprof" report costs.pb.gz >report
has "it says who wrote it" report '^Imported +pprof profile by mprof '
has "what is missing is not known" report '^Missing +not known$'
"$mprof" report --table=direct data | sed -n '/TABLE 3/,/^MPROF/p' >before
"$mprof" report --table=direct costs.pb.gz | sed -n '/TABLE 3/,/^MPROF/p' >after
ok "a table is the same" cmp before after
for command in report findings html flamegraph totals export; do
    case $command in
    html) set -- -o page.html ;;
    export) set -- -F speedscope ;;
    *) set -- ;;
    esac
    says "mprof $command" "0 " "$mprof" "$command" "$@" costs.pb.gz
done
for file in "$src"/tests/data/sealed-widgets.data "$src"/tests/data/sealed-lisp.data "$src"/tests/data/sealed-merged.data; do
    "$mprof" export -F pprof -o again.pb.gz "$file"
    run "$mprof" report again.pb.gz
    is "back from $(basename "$file")" "$status $(cat err)" "0 "
done

# ------------------------------------------------------------------ Go's own
go_profile=$corpus/go.pb.gz
"$mprof" report "$go_profile" >report
has "Go: estimates are said to be" report '^Imported +pprof profile; its figures are estimates, of one sample for each 524,288 bytes$'
has "Go: the peak is not known" report '^Peak +not known$'
has "Go: nor what was temporary" report '^Temporary +not known$'
hasnt "Go: nothing is said of cut chains" report '^Cut chains'
run "$mprof" report --sort=peak "$go_profile"
is "Go: not by the peak" "$status $(cat err)" "1 mprof: bytes alive at the peak, of what another tool wrote: not known"
run "$mprof" flamegraph --cost=temporary "$go_profile"
is "Go: no picture of it" "$status $(cat err)" "1 mprof: temporary allocations, of what another tool wrote: not known"
says "Go: no window at it" "1 mprof: the peak, of what another tool wrote: not known" "$mprof" report --at=peak "$go_profile"
is "Go: totals have what is known" "$("$mprof" totals "$go_profile" | cut -d' ' -f1 | tr '\n' ' ')" \
    "allocs bytes frees freed kept kept-blocks contexts depth "
if need go; then
    if go_build -o heap "$src/tests/programs/heap.go" 2>go.err && ./heap heap.pb.gz; then
        "$mprof" report heap.pb.gz >report
        "$mprof" export -F chains heap.pb.gz >dump
        is "Go: blocks that are kept" "$(awk '/grow$/ { a += $1; b += $2; f += $3 } END { print a, b, f }' dump)" "1023 65472 0"
        is "Go: blocks that are not" "$(awk '/churn$/ { a += $1; b += $2; f += $4 } END { print a, b, f }' dump)" "1000 112000 112000"
        hasnt "Go: all was recorded, so nothing is an estimate" report 'estimate'
        for type in alloc_space:bytes alloc_objects:allocs inuse_space:kept inuse_objects:kept-blocks; do
            is "Go: ${type#*:}, as go tool pprof has them" "$(total "${type#*:}" heap.pb.gz)" \
                "$(go tool pprof -raw heap.pb.gz 2>/dev/null | awk -v type="${type%%:*}" '
                    /^alloc_objects/ { for (i = 1; i <= NF; i++) if (index($i, type "/") == 1) column = i; next }
                    /^Locations/ { exit }
                    column && /^ *-?[0-9 -]+: / { sub(/:.*/, ""); sum += $column }
                    END { printf "%.0f\n", sum }')"
        done
        "$mprof" export -F pprof -o again.pb.gz --no-skip --full-names --all-frames heap.pb.gz
        "$mprof" export -F chains again.pb.gz | sort >after
        sort dump >before
        ok "Go: there and back" cmp before after
    else
        skip "Go: a program of its own" "go cannot build it: $(head -n 1 go.err)"
    fi
else
    skip "Go: a program of its own" "$missing"
fi

# ------------------------------------------------------------------ other files
# made FILE TYPE,... VALUE,... [gzip]: makes a profile FILE of one sample.
made()
{
    "$python" -B "$src/tests/e2e/make_pprof.py" "$@"
}

if need python3; then
    made alive.pb objects,space 3,48
    "$mprof" report alive.pb >report
    has "what lives, and no more: one moment" report '^Only what was alive at the moment of the profile: 48 bytes in 3 blocks$'
    has "... what was allocated is not known" report '^Allocations +not known$'
    has "... what is kept is" report '^Kept +3 +48 bytes'
    is "... totals" "$("$mprof" totals alive.pb | head -n 2 | tr '\n' ' ')" "kept 48 kept-blocks 3 "
    is "... and an export has that only" "$("$mprof" export -F speedscope alive.pb | grep -o '"name":"bytes[^"]*"')" '"name":"bytes kept"'
    # A profile without numbers of blocks.
    made bytes.pb alloc_space 48
    "$mprof" report --table=bins,leaks,direct,graph,overview bytes.pb >report
    has "only bytes: no sizes" report '^The sizes of blocks are not known\.$'
    has "... nothing is said of leaks" report '^What was never freed is not known\.$'
    has "... no column of blocks" report '^% mem bytes name$'
    hasnt "... nor in the graph" report 'called|size-func'
    has "... only a row of the bytes" report '^allocated +48 \(100\) '
    is "... totals" "$("$mprof" totals bytes.pb | head -n 1)" "bytes 48"
    made kept.pb alloc_space,inuse_space 48,16
    "$mprof" report --table=leaks kept.pb >report
    has "bytes, and those in use: how many were freed" report '^Frees +32 bytes  '
    has "... and not kept" report '^bytes bytes kept +\(%\) path$'
    made cpu.pb samples,cpu 3,48
    refuses "a profile of time" 1 '^mprof: cpu\.pb: a pprof profile of samples, cpu: not a profile of memory$' "$mprof" report cpu.pb
    made less.pb alloc_objects,alloc_space,inuse_objects,inuse_space 1,10,2,20
    refuses "more in use than there was" 1 'less\.pb: pprof profile: a sample is negative, or more is in use .*: damaged file, at byte' "$mprof" report less.pb
    made minus.pb space " -48"
    refuses "a difference" 1 'a sample is negative' "$mprof" report minus.pb
    made few.pb objects,space 3
    refuses "values are missing" 1 'not as many values as there are types' "$mprof" report few.pb
else
    skip "profiles made by hand" "$missing"
fi

# ------------------------------------------------------------------ damaged files
size=$(wc -c <costs.pb.gz)
head -c $((size - 20)) costs.pb.gz >cut.pb.gz
refuses "packed, and cut" 1 '^mprof: cut\.pb\.gz: ends within what is packed by gzip: damaged file$' "$mprof" report cut.pb.gz
head -c $((size / 2)) costs.pb.gz >cut.pb.gz
refuses "packed, and cut in two" 1 'ends within what is packed by gzip: damaged file$' "$mprof" report cut.pb.gz
head -c 1500 costs.pb >cut.pb
refuses "not packed, and cut" 1 '^mprof: cut\.pb: pprof profile: .*: (file ends too early|damaged file), at byte [0-9]+$' "$mprof" report cut.pb
head -c 100000000 /dev/zero | gzip -9 >zeros.gz
refuses "much that is nothing" 1 '^mprof: zeros\.gz: too much to be a profile when it is unpacked: damaged file$' "$mprof" report zeros.gz
echo "a text, packed" | gzip >text.gz
refuses "a text" 1 '^mprof: text\.gz: not an mprof data file$' "$mprof" report text.gz
echo "a text that is no profile" >text
refuses "a text that is not packed" 1 '^mprof: text: not an mprof data file$' "$mprof" report text
plan
# SPDX-License-Identifier: MIT
