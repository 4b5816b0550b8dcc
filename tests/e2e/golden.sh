#!/bin/sh
# Figures 1 to 6 of the report of 1988: the numbers are the same.
. "${srcdir:-.}/tests/e2e/lib.sh"

returns "the example runs" 0 "$mprof" run -q -o widgets.data "$top/examples/widgets"
empty "it prints nothing" out
is "allocations" "$(total allocs widgets.data)" 10000
is "bytes" "$(total bytes widgets.data)" 2040000
is "frees" "$(total frees widgets.data)" 4981
is "bytes kept" "$(total kept widgets.data)" 1023876
is "nothing dropped" "$(total dropped widgets.data)" 0
is "nothing cut" "$(total cut widgets.data)" 0

red=$(books inclusive make_red_widget widgets.data)
is "red widgets are never freed" "${red% * * *}" "5019 1023876 0 0"
blue=$(books inclusive make_blue_widget widgets.data)
is "blue widgets all are" "${blue% * * *}" "4981 1016124 4981 1016124"
is "make_widget allocates all" "$(books self make_widget widgets.data | cut -d' ' -f1,2)" \
    "10000 2040000"
is "no other function is between" "$("$mprof" export -F chains widgets.data | wc -l)" 2

# table NAME: writes one table (that of leaks in today's format) to the file `table`, with single blanks, because the
# layout does not matter here.
table()
{
    if [ "$1" = leaks ]; then
        run "$mprof" report --no-pager --no-lines --table="$1" widgets.data
    else
        run "$mprof" --no-pager --table="$1" "$top/examples/widgets" widgets.data
    fi
    is "table of $1: status" "$status" 0
    sed 's/|/ /g; s/  */ /g; s/^ //; s/ $//' out >table
}

# The legacy format has its own columns and no others.
returns "Figure 2: status" 0 "$mprof" widgets.data --no-pager --table=leaks
has "Figure 2: the leak" out '^  5019 1023876 \(100\) \|\| > main > make_red_widget > make_widget$'
is "Figure 2: no other leak" "$(grep -c 'make_' out)" 1

table leaks
has "the leak, and what is kept of it" table \
    '^5019 1023876 5019 1023876 \(100\) > main > make_red_widget > make_widget$'
is "no other leak" "$(grep -c 'make_' table)" 1

table bins
has "Figure 3: the bin" table '^204 10000 2040000 \(100\) 4981 1023876 \(100\) .*widget'
has "Figure 3: the total" table '^<(total|TOTAL)> 10000 2040000.* 4981 1023876'

table direct
has "Figure 4: the total" table '2040000 100 1023876 100 10000 <TOTAL>$'
has "Figure 4: make_widget" table '^100.0 2040000 100 1023876 100 10000 make_widget$'

table graph
for line in \
    '^\[0\] 100.0 0 \(0\) .*main \[0\]$' \
    '^\[1\] 100.0 2040000 \(100\) 100 .*10000 make_widget \[1\]$' \
    '^\[2\] 50.2 0 \(0\) .*5019 make_red_widget \[2\]$' \
    '^\[3\] 49.8 0 \(0\) .*4981 make_blue_widget \[3\]$' \
    '^1023876 \(50\) 100 50 5019/5019 make_red_widget \[2\]$' \
    '^1016124 \(49\) 100 49 4981/4981 make_blue_widget \[3\]$' \
    '^1023876 \(100\) 100 100 5019/10000 main \[0\]$' \
    '^1016124 \(100\) 100 100 4981/10000 main \[0\]$' \
    '^1023876 \(100\) 100 100 5019/10000 make_widget \[1\]$' \
    '^1016124 \(100\) 100 100 4981/10000 make_widget \[1\]$' \
    '^all 2040000 100$'
do
    has "Figure 5: $line" table "$line"
done

profile figure6.data "$programs/figure6"
is "Figure 6: bytes" "$(total bytes figure6.data)" 10
is "Figure 6: main has 10 bytes" "$(books inclusive main figure6.data | cut -d' ' -f2)" 10
is "Figure 6: F has 10 bytes, not 20" "$(books inclusive F figure6.data | cut -d' ' -f2)" 10
returns "Figure 6: status" 0 "$mprof" report figure6.data --no-pager --table=graph
has "Figure 6: F and G are a cycle" out '<cycle 1 as a whole>'
sed -n '/ancestors$/,/^MPROF:/p' out >table
hasnt "Figure 6: nobody asked for 20 bytes" table '(^|[^0-9])20([^0-9]|$)'
plan
# SPDX-License-Identifier: MIT
