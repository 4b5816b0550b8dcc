#!/bin/sh
# mprof run --sentinel finds blocks that were overrun, in a program that knows how many, and none in other programs.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

overruns=$programs/overruns
MPROF_SENTINEL=1
export MPROF_SENTINEL

# counted FILE...: prints "FUNCTION N" for each function of the program that allocated N overrun blocks.
counted()
{
    for file; do
        "$mprof" report --no-pager --table=bins "$file"
    done | awk '/^Overruns .* allocated by: / {
            n = $2
            gsub(/,/, "", n)
            for (i = NF; i > 0 && $i !~ /^(by_|regrow|shrink)/; i--)
                continue
            sum[$i] += n
        }
        END { for (name in sum) print name, sum[name] }' | LC_ALL=C sort
}

# overruns FILE: prints the number of overrun blocks, or null if they were not looked for.
overruns()
{
    "$mprof" report --json "$1" | sed -n 's/.*"overruns":\([a-z0-9]*\).*/\1/p'
}

# Without the sentinel, all of these except the first two would damage the heap.
for what in none usable one many resized refused threads stopped forked kept; do
    rm -f second.data event.data*
    case $what in
    none | usable) same $what "$overruns" $what ;;
    *) profile event.data "$overruns" $what ;;
    esac
    is "$what: it goes on" "$status" 0
    set -- event.data*
    [ ! -f second.data ] || set -- "$@" second.data
    awk '$1 == "overruns" && $3 > 0 { print $2, $3 }' out | LC_ALL=C sort >known
    counted "$@" >found
    ok "$what: who allocated them" diff known found
    is "$what: how many" "$(for file; do overruns "$file"; done | awk '{ n += $1 } END { print n }')" \
        "$(awk '{ n += $2 } END { print n + 0 }' known)"
    whole $what "$@"
    hasnt "$what: no other fault" amiss.report '^(Freed|Dropped records *[1-9])'
done

cat >new.cc <<'ENDC'
static __attribute__((noinline)) char *by_new(unsigned long n) { return new char[n]; }
int main()
{
    char *volatile one = by_new(13), *volatile two = by_new(24);

    one[13] = 0;
    two[23] = 0;
    delete[] one;
    delete[] two;
}
ENDC
# shellcheck disable=SC2086
ok "C++: compiles" ${CXX:-g++} -g -fno-builtin -o new new.cc
profile new.data ./new
is "C++: operator new" "$(counted new.data)" "by_new 1"

# ------------------------------------------------------------------ where they are shown
unset MPROF_SENTINEL
returns "one: status" 0 "$mprof" run -q --sentinel -o one.data "$overruns" one
"$mprof" report --no-pager --table=bins one.data >sealed
has "the head" sealed \
    '^Overruns  *208  of blocks that were written beyond their end, allocated by: main .*overruns\.c:[0-9]+\) > by_valloc \(overruns\.c:[0-9]+\)$'
LD_PRELOAD=$library MPROF_SENTINEL=1 MPROF_FILE=live.data "$overruns" one >out
"$mprof" report --no-pager --table=bins live.data >live
ok "of a live file, the same" test "$(grep '^Overruns' live)" = "$(grep '^Overruns' sealed)"
"$mprof" findings one.data >findings
has "a finding" findings '208 blocks that by_calloc allocated were written beyond their end\.'
run "$mprof" check --max-bytes=1G one.data
has "mprof check" out '^faulty: 208 frees of blocks that were written beyond their end, allocated by: main .*by_pvalloc'
LD_PRELOAD=$library MPROF_FILE=plain.data "$overruns" none >out
is "sizes are those asked for" "$(books self by_malloc one.data | cut -d' ' -f1,2)" \
    "$(books self by_malloc plain.data | cut -d' ' -f1,2)"
is "not looked for" "$(overruns plain.data)" null
"$mprof" report --no-pager --table=bins plain.data >out
hasnt "not looked for: no row" out '^Overruns'
"$mprof" run -q --sentinel -o none.data "$overruns" none >out
"$mprof" report --no-pager --table=bins none.data >out
has "none found" out '^Overruns  *0  of blocks that were written beyond their end$'

"$mprof" run -q --sentinel -o again.data "$overruns" one >out
"$mprof" merge -o sum.data one.data again.data 2>err
is "merged" "$(overruns sum.data)" $((2 * $(overruns one.data)))
ok "merged: their chains" test "$(counted sum.data)" = "$(counted one.data again.data)"
"$mprof" merge -o some.data one.data plain.data 2>err
"$mprof" report --no-pager --table=bins some.data >out
has "merged with a recording without a sentinel" out '^Overruns  *not looked for in all processes$'

# ------------------------------------------------------------------ with other options
complains "--sample: refused" '^mprof: --sentinel cannot be combined with --sample' "$mprof" run -q --sentinel --sample -o no.data true
is "--sample: status" "$status" 2
LD_PRELOAD=$library MPROF_SENTINEL=1 MPROF_SAMPLE=1 MPROF_FILE=sampled.data "$overruns" one >out
"$mprof" report --no-pager --table=bins sampled.data >out
has "a sampled recording" out '^Overruns  *not looked for'
is "a sampled recording: in JSON" "$(overruns sampled.data)" null
"$mprof" run -q --sentinel --lifetimes -o both.data "$overruns" resized >out
ok "--lifetimes" test "$(counted both.data | tr '\n' ' ')" = "by_malloc 100 regrow 100 shrink 100 "
"$mprof" run -q --sentinel -f -o follow.data sh -c "exec $overruns resized" >out
ok "-f" test "$(counted follow.data | tr '\n' ' ')" = "by_malloc 100 regrow 100 shrink 100 "
also=$programs/.libs/event_log.so
LD_PRELOAD="$library $also" EVENT_LOG=/dev/null MPROF_SENTINEL=1 MPROF_FILE=other.data "$overruns" none >out
also=
"$mprof" report --no-pager --table=bins other.data >out
has "another allocator" out '^Overruns  *not looked for: the allocator is not glibc'
is "another allocator: in JSON" "$(overruns other.data)" null

# ------------------------------------------------------------------ programs without overruns
MPROF_SENTINEL=1
export MPROF_SENTINEL

# sound NAME COMMAND...: tests that the program is not disturbed, and has no overruns.
sound()
{
    same "$@"
    is "$1: no overruns" "$(overruns event.data)" 0
}

sound family "$programs/family"
sound "far ends" "$programs/allocator_abuse" semantics
sound huge "$programs/allocator_abuse" huge
sound realloc "$programs/realloc"
sound torture "$programs/torture" 5 3
same "double free" "$programs/allocator_abuse" unnoticed
"$mprof" report --no-pager --table=bins event.data >out
has "a double free is counted as one" out '^Freed again  *1 '
for tool in jq perl sqlite3; do
    if ! need $tool; then
        skip "$tool" "$missing"
        continue
    fi
    case $tool in
    jq) sound jq jq -n '[range(2000) | {a: ., b: tostring}] | group_by(.a % 7) | map(length)' ;;
    perl) sound perl perl -e '$h{$_ % 997} .= "$_," for 1 .. 30000; print length(join "", sort values %h), "\n"' ;;
    sqlite3) sound sqlite3 sqlite3 :memory: "create table t(a, b); with recursive n(i) as
        (select 1 union all select i + 1 from n where i < 5000) insert into t select i, hex(i) from n;
        create index x on t(b); select count(*), sum(a) from t where b like '3%';" ;;
    esac
    at_least "$tool: allocations" "$(total allocs event.data)" 1000
done
plan
# SPDX-License-Identifier: MIT
