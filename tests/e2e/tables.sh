#!/bin/sh
# All numbers of tables 1 to 4 follow from the recorded chains by the definitions: tables.py computes them
# independently, for real programs and for GRAPHS random call graphs.
. "${srcdir:-.}/tests/e2e/lib.sh"

[ -x "$python" ] || skip_all "tables 1 to 4" "$python is not installed"

tables()
{
    "$python" -B "$src/tests/e2e/tables.py" "$@"
}

# check NAME FUNCTIONS CYCLES [OPTION...] -- COMMAND...: checks the tables of COMMAND, which has at least so many
# functions and cycles.
check()
{
    name=$1
    least=$2
    cycles=$3
    shift 3
    returns "$name: status" 0 "$mprof" run -q -o tables.data "$@"
    run tables "$mprof" tables.data
    is "$name: tables 1 to 4" "$(tail -n 1 err)" ""
    # tables.py printed "C chains, F functions, Y cycles".
    at_least "$name: functions" "$(cut -d' ' -f3 out)" "$least"
    at_least "$name: cycles" "$(cut -d' ' -f5 out)" "$cycles"
}

check widgets 4 0 -- "$top/examples/widgets"
check cycles 8 3 -- "$programs/cycles"
check "Figure 6" 3 1 -- "$programs/figure6"
check threads 3 0 -- "$programs/threads"
check "long names" 3 0 -- "$programs/odd_names"
check "deep recursion" 5 0 -- "$programs/abyss" 3000 2
# shellcheck disable=SC2016
check perl 50 1 -- perl -e '$h{$_ % 997} .= "$_," for 1 .. 5000; print sort values %h'
check "perl, --depth" 50 0 --depth=12 -- perl -e 'print sort map { $_ x 3 } 1 .. 1000'
check python 100 1 -- "$python" -S -c 'import json; print(json.dumps([1, {"a": "b"}]))'
check "python, --fold-recursion" 100 1 --fold-recursion -- "$python" -S -c 'import json'
check_if_there()
{
    if need "$1"; then
        check "$1" 50 0 -- "$@"
    else
        skip "$1" "$missing"
    fi
}
check_if_there sqlite3 :memory: 'create table t(a); insert into t values(1); select * from t;'
check_if_there jq -n '[range(500)] | map(tostring) | join(",")'
check_if_there lua5.4 -e 'for i = 1, 999 do x = {i} end'

: "${GRAPHS:=24}"

# Various graphs: with and without cycles, wide and deep.
bad=
none=0
one=0
several=0
for seed in $(seq "$GRAPHS"); do
    "$mprof" run -q -o random.data "$programs/random_calls" "$seed"
    tables "$mprof" random.data >out 2>err || bad="$bad $seed: $(tail -n 1 err | cut -c1-300)"
    case $(cut -d' ' -f5 out) in
    0) none=$((none + 1)) ;;
    1) one=$((one + 1)) ;;
    *) several=$((several + 1)) ;;
    esac
done
is "$GRAPHS random graphs" "$bad" ""
at_least "... of them without cycles" $none $((GRAPHS / 8))
at_least "... with one" $one $((GRAPHS / 8))
at_least "... with several" $several $((GRAPHS / 8))

# The check finds a single wrong digit in any of the tables.
for program in widgets cycles "random_calls 3"; do
    # shellcheck disable=SC2086
    case $program in
    widgets) run "$mprof" run -q -o wrong.data "$top/examples/widgets" ;;
    *) run "$mprof" run -q -o wrong.data "$programs"/$program ;;
    esac
    run tables --wrong "$mprof" wrong.data
    is "$program: each wrong digit is found" "$status $(tail -n 1 err)" "0 "
done
plan
# SPDX-License-Identifier: MIT
