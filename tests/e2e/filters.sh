#!/bin/sh
# Filters by function, module, file, thread and size; the tree; limits by bytes. tests/programs/costs.c states what
# each of its functions allocates; all do that through the wrapper get, which is skipped.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile data "$programs/costs"
is "runs" "$status" 0

# report OPTION...: writes the report to the file `out`.
report()
{
    "$mprof" report --no-pager --no-lines "$@" data
}

# functions: prints the allocating functions of the program in the table of sites.
functions()
{
    sed -n '/^TABLE/,$p' out | sed -n 's/.* malloc  *\([^ ]*\).*/\1/p' |
        grep -xE 'get|keep|spend|gather|churn|phase|work|run_thread|main' | sort | tr '\n' ' '
}

# part OPTION BYTES FUNCTION...: tests the remaining bytes, and that they belong to these functions of the program.
part()
{
    option=$1
    bytes=$2
    shift 2
    returns "$option: status" 0 report --table=sites -v "$option"
    is "$option: says so" "$(sed -n 's/^Only what was allocated of \(.*\) of 484,988 bytes .*/\1/p' out)" \
        "$option: $bytes"
    is "$option: functions" "$(functions)" "$(for f; do printf '%s ' "$f"; done)"
}

part --function=churn 80,000 churn
part '--function=^(keep|phase)$' 160,000 keep phase
part --root=spend 180,000 spend
part --file=costs 484,700 churn gather keep phase spend work
part --thread=work 700 work
part --size=8 64,000 gather
part --size=16-1000 90,988 churn keep work
part --size=60000- 330,000 phase spend
part --size=-16 144,000 churn gather
returns "--module" 0 report -v --table=sites --module='/costs$'
is "... nothing of libraries" "$(grep -c ' malloc ' out): $(functions)" "6: churn gather keep phase spend work "
prints "--module of others" 'pthread_create < run_thread' report --table=sites --module='ld-linux|libc'
is "... not what the program allocates itself" "$(grep -c ' malloc ' out): $(functions)" "1: "

# Several filters are combined with "and".
run report --table=sites --function=main --size=16 --file=costs
is "several" "$(functions)" "churn "
says "nothing of both" "1 mprof: --function=keep: nothing of it was allocated" report --function=churn --function=keep

# The other tables are filtered, too.
prints "table 1" '^ *16 +5000 +80000 +\(100\) +5000 +0$' report --function=churn
has "... its total" out '^<TOTAL> +5000 +80000 +5000 +0$'
has "table 2" out '^No leaks: every block was freed\.$'
has "table 3" out '^100\.0 +80000 .* 5000 churn$'
has "table 4" out '^\[0\] +100\.0 .*\[0\] +main$'
prints "from the function inwards" '^\[0\] +100\.0 .* \[0\] +churn$' report --root=churn --table=graph
hasnt "... without its callers" out '[] ] main( |$)'
prints "--focus has its bins, too" '^<TOTAL> +5000 +80000 +5000 +0$' report --focus=churn --table=bins

# The report says what cannot be separated.
if need perl; then
    run "$mprof" run -q -o perl.data perl -e '@a = map { "x" x ($_ % 200) } 1 .. 2000'
    run "$mprof" report --no-pager --table=bins -v --size=100-2000 perl.data
    has "sizes that are not told apart" out '^Not shown, as their chains allocated other sizes, too: [0-9,]+ bytes in [0-9,]+ allocations$'
    run "$mprof" report --no-pager --table=bins -v --function=. perl.data
    has "... have rows of their own in table 1" out '^ *<= 256 +[0-9]+ +[0-9]+'
    is "... and the total is whole" "$(awk '$1 == "<TOTAL>" { print $2, $3 }' out)" \
        "$(total allocs perl.data) $(total bytes perl.data)"
else
    skip "sizes that are not told apart" "$missing"
fi

# The tree of callers.
prints "tree" '^484288 +\(99\) +13015 +10288 main$' report --table=tree
has "... a branch" out '^180000 +\(37\) 180000 +3 +0   spend$'
has "... another" out '^ 10000 +\(2\) +10000 +10 +10000   keep$'
has "... the rest" out '^ +288 +1 +288   \(1 other\)$'
has "... the total" out '^484988 \(100\) +13022 +10988 <TOTAL>$'
says "from a function that is skipped" \
    "1 mprof: --root=^get\$ (get is skipped as an allocation wrapper; see --no-skip): nothing of it was allocated" \
    report --table=tree --root='^get$'
prints "tree from a function" '^484700 \(100\) 484700 +13021 +10700 get$' report --table=tree --root=get --no-skip
prints "sorted" '^ *80000 +\(16\) +80000 +5000 +0 +5000 +\(99\)   churn$' report --table=tree --sort=temporary --max=2
has "... and limited" out '5 others'
run report --table=tree --lines --function=phase
has "with lines" out 'main \(costs.c:[0-9]+\) > phase \(costs.c:[0-9]+\)$'
run "$mprof" run -q -o deep.data "$programs/abyss" 20000 2
returns "a deep tree" 0 timeout 60 "$mprof" report --no-pager --table=tree deep.data
has "... has its total" out '<TOTAL>$'

# Rows can be limited by bytes.
run report --table=sites --min=80000
is "--min=80000" "$(functions)" "churn phase spend "
has "... says so" out 'of less than 80,000 bytes left out'
run report --table=sites --min=70K
is "--min=70K" "$(functions)" "churn phase spend "
run report --table=sites --min=30%
is "--min=30%" "$(functions)" "phase spend "
run report --table=leaks --min=1000
is "--min=1000, leaks" "$(sed -n 's/^ .* > \([^ ]*\)$/\1/p' out)" keep
run report --table=bins --min=60001
is "--min=60001, bins" "$(awk '/^MPROF/ { exit } /^TABLE/ { on = 1 } on && $2 ~ /^[0-9]+$/ { print $1 }' out | tr '\n' ' ')" "8 16 > <TOTAL> "
run report --table=sites --sort=allocs --min=5001
is "--min of allocations" "$(functions)" "gather "

# Filters that make no sense are refused.
for bad in '--function=(' --function= --module= --size= --size=- --size=9-8 --size=x --size=1k \
    --size=99999999999 --min=0 --min=0% --min=101% --min=-1 --min=x; do
    run report "$bad"
    is "$bad" "$status $(grep -c '^mprof: --' err) $(wc -l <err)" "2 1 1"
done
says "nobody" "1 mprof: --thread=nobody: nothing of it was allocated" report --thread=nobody
plan
# SPDX-License-Identifier: MIT
