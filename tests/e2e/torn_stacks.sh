#!/bin/sh
# If the walk of a stack reaches unreadable memory or would never end, the program goes on, with the output and status
# it has without mprof. With every unwinder, all allocations are counted, and the data file is whole.
. "${srcdir:-.}/tests/e2e/lib.sh"

program=$programs/torn_stacks
"$program" edge >native.out 2>native.err
if [ $? -eq 77 ]; then
    skip_all "torn stacks" "the stacks are made by instructions of x86-64"
fi

# torn CASE BLOCKS OPTION...: records CASE of the program, which makes BLOCKS allocations, behind a filter if $filter is
# set.
torn()
{
    name=$1
    blocks=$2
    shift 2
    how="$name${filter:+, filtered}${1:+, $1}"
    # shellcheck disable=SC2086     # an empty $filter is no argument
    set -- "$@" -o t.data -- "$program" "$name" $filter
    # shellcheck disable=SC2086
    "$program" "$name" $filter >native.out 2>native.err
    native=$?
    "$mprof" run -q "$@" >out 2>err </dev/null
    is "$how: status, output and errors" "$? $(cat out) $(cat err)" "$native $(cat native.out) "
    is "$how: blocks" "$(total allocs t.data)" "$blocks"
    rm -f t.data*
}

for filter in "" filtered signalless; do
    while read -r name blocks; do
        # memory that is unmapped meanwhile cannot be known without a fault
        case $filter,$name in signalless,unmapped | signalless,protected | signalless,truncated | signalless,race) continue ;; esac
        torn "$name" "$blocks"
        torn "$name" "$blocks" --depth=16
        torn "$name" "$blocks" --unwinder=libunwind
        torn "$name" "$blocks" --sample=1
        [ -z "$filter" ] || continue
        torn "$name" "$blocks" --unwinder=fp
        torn "$name" "$blocks" --no-call-graph
        torn "$name" "$blocks" --lifetimes
    done <<END
edge 61
wild 2381
wild-cfa 2381
circles 121
coroutine 2381
from-0 61
from-nowhere 241
null 61
unmapped 841
protected 841
truncated 841
race 6042
END
done

# A chain that ends at such memory is cut.
for name in edge unmapped protected truncated; do
    "$mprof" run -q -o t.data -- "$program" "$name" >out 2>err
    ok "$name: chains are cut" [ "$(total cut t.data)" -ge 20 ]
    rm -f t.data
done

# Behind a filter that forbids to return from a handler, only known memory is read; behind others, all memory.
for filter in filtered signalless; do
    "$mprof" run -q -o "$filter.data" -- "$program" wild "$filter" >out 2>err
done
ok "more chains are cut where no handler can return" \
    [ "$(total cut signalless.data)" -gt "$(total cut filtered.data)" ]

# Behind a filter, lifetimes that nobody asked for are not reported.
"$mprof" run -q -o t.data -- "$program" edge filtered >out 2>err
prints "no lifetimes behind a filter" 'was not recorded' "$mprof" report --table=lifetimes t.data
plan
# SPDX-License-Identifier: MIT
