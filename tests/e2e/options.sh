#!/bin/sh
# The option --depth, the legacy "mprof-", and the unwinders: counts stay the same, and the report says that chains
# are cut.
. "${srcdir:-.}/tests/e2e/lib.sh"

# depth_of FILE: prints the number of frames of the longest chain.
depth_of()
{
    "$mprof" export -F chains "$1" | awk '{ n = split($0, f, ";"); if (n > most) most = n } END { print most + 0 }'
}

profile whole.data "$programs/deep" 2000
is "whole: status" "$status" 0
allocs=$(total allocs whole.data)
bytes=$(total bytes whole.data)
is "whole: allocations" "$allocs" 2000
is "whole: nothing cut" "$(total cut whole.data)" 0
at_least "whole: depth" "$(depth_of whole.data)" 500

for engine in libunwind fp; do
    MPROF_UNWINDER=$engine profile engine.data "$programs/deep" 2000
    is "$engine: status" "$status" 0
    is "$engine: allocations, bytes" "$(total allocs engine.data) $(total bytes engine.data)" \
        "$allocs $bytes"
done
MPROF_UNWINDER=libunwind profile engine.data "$programs/deep" 500
profile rules.data "$programs/deep" 500
"$mprof" export -F chains engine.data | sort >engine.txt
"$mprof" export -F chains rules.data | sort >rules.txt
ok "libunwind and rules give the same contexts" cmp engine.txt rules.txt

MPROF_DEPTH=20 profile cut.data "$programs/deep" 2000
is "depth 20: status" "$status" 0
is "depth 20: allocations, bytes" "$(total allocs cut.data) $(total bytes cut.data)" "$allocs $bytes"
is "depth 20: cut by request" "$(total depth-cut cut.data)" 2000
at_most "depth 20: depth" "$(depth_of cut.data)" 21

MPROF_CALL_GRAPH=0 profile five.data "$top/examples/widgets"
is "no call graph: status" "$status" 0
is "no call graph: allocations" "$(total allocs five.data)" 10000
at_most "no call graph: depth" "$(depth_of five.data)" 6
is "no call graph: the leak" "$(books inclusive make_red_widget five.data | cut -d' ' -f1-4)" \
    "5019 1023876 0 0"
returns "no call graph: report" 0 "$mprof" report five.data --no-pager --no-lines
has "no call graph: leaks begin with main" out ' \|\| > main > make_red_widget > make_widget$'
hasnt "no call graph: what starts main is not shown" out '__libc_start'
prints "no call graph: but with --all-frames" '__libc_start' "$mprof" report five.data --no-pager --all-frames

run "$mprof" run -q --depth=3 -o three.data "$top/examples/widgets"
at_most "run --depth=3" "$(depth_of three.data)" 4
"$mprof" report --no-pager --table=graph three.data >graph
has "run --depth=3: a graph of shortened chains is left out" graph '^Left out: of most chains only the last callers'
hasnt "run --depth=3: and has no entries" graph 'cut: depth'
run "$mprof" run -q --unwinder=libunwind -o three.data "$top/examples/widgets"
is "run --unwinder=libunwind" "$(total allocs three.data)" 10000

# A symbolic link is not followed, so no recording begins.
ln -s three.data link.data
ln -s nowhere dangling.data
for link in link dangling; do
    returns "-o a symbolic link, $link: status" 1 "$mprof" run -o $link.data "$programs/killme" 10 exit
    is "-o a symbolic link, $link: one line" "$(cat out err)" \
        "mprof: $tmp/$link.data: is a symbolic link; choose another with -o"
done
is "-o a symbolic link: what it names is as it was" "$(total allocs three.data)" 10000

# A reader that closes the pipe early is no error.
profile long.data perl -e 'print 1'
{ "$mprof" report -verbose long.data 2>err; echo $? >status; } | sed 1q >out
is "the reader of a report goes: status" "$(cat status)" 0
empty "the reader of a report goes: nothing is said" err
has "the reader of a report goes: it got what it wanted" out '^[a-z]*: peak '

# starts FILE [OPTION]: prints the outermost function of each chain, each once.
starts()
{
    "$mprof" export -F chains "$@" | sed 's/^[-0-9 ]* //; s/;.*//' | sort -u | tr '\n' ' '
}

run "$mprof" run -q -o all.data "$top/examples/widgets"
is "dump begins with main" "$(starts all.data)" "main "
is "chains of --all-frames with _start" "$(starts --all-frames all.data)" "_start "

# Selected tables, and --focus on a function.
table()
{
    run "$mprof" report --no-pager --no-lines -verbose "$@" all.data
}
table --table=sites
has "sites: blocks by chain" out '5019 .* malloc +make_widget < make_red_widget < main$'
table --table=sites --chain=1
has "sites: as much of chains as is wanted" out ' 10000 .* malloc +make_widget < \.\.\.$'
table --table=flat
has "flat: what a function is charged for" out '^2040000 +\(100\) +10000 +1023876 +2040000 +\(100\) +make_widget$'
table --table=function-types
has "functions and types" out '^2040000 +\(100\) +10000 +1023876 +malloc +make_widget$'
titles()
{
    grep -oE '^TABLE [0-9]+' out | cut -d' ' -f2 | tr '\n' ' '
}
table --table=sites,bins
is "--table: in the order that is asked for" "$(titles)" "6 1 "
table --table=leaks --table=bins,leaks
is "--table: again, which adds to the first" "$(titles)" "2 1 "
run "$mprof" report --json --table=leaks --table=bins all.data
is "--table: also as JSON" "$(grep -oE '"(bins|leaks|sites)":' out | tr -d '\n')" '"leaks":"bins":'
table --table=flat --focus=make_red_widget
has "focus: its part of all" out '^Only what was allocated through make_red_widget: 1,023,876 of 2,040,000 bytes \(50\.2 %\)$'
has "focus: nothing else" out '^1023876 +\(100\) +5019 .* make_widget$'
table --focus=nobody
is "focus: a function that there is not: status" "$status" 1
is "focus: a function that there is not: one line" "$(cat err)" "mprof: 'nobody' is on no chain: no such function"
if need strip; then
    strip -o bare "$top/examples/widgets"
    run "$mprof" run -q -o bare.data ./bare
    is "a stripped main stands where main does" "$(starts bare.data | wc -w)" 1
    "$mprof" export -F chains --all-frames bare.data >all.txt
    ok "and that is who libc called" \
        grep -qE ";__libc_start_main[^;]*(;[^;]*)?;$(starts bare.data | tr -d ' ' | tr + .);" all.txt
else
    skip "a stripped program" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
