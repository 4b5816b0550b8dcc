#!/bin/sh
# Tables sorted by bytes, kept, peak, allocs or temporary; and what was live at the peak. In tests/programs/costs.c,
# each figure is largest for another function. All of them allocate through get, a wrapper, which is skipped.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile data "$programs/costs"
is "runs" "$status" 0

# report OPTION...: writes the report to the file `out`.
report()
{
    "$mprof" report --no-pager --no-lines "$@" data
}

# first: prints "FUNCTION < CALLER" from the first row of the only table.
first()
{
    sed -n '/^TABLE/,$p' out | sed -n '/ malloc /{ s/.* malloc *//p; q; }'
}

for key in bytes:spend kept:keep peak:phase allocs:gather objects:gather temporary:churn; do
    run report --sort="${key%:*}" --table=sites
    is "sites by ${key%:*}" "$status $(first)" "0 ${key#*:} < main"
    has "... the head says so" out '^Sorted by  '
done
run report --table=sites
hasnt "by itself nothing is said" out 'Sorted by|peak .%|temporary .%'
is "... and rows come by bytes" "$(first)" "spend < main"

# The figure by which a table is sorted has a column, with its share, and limits apply to it.
prints "the peak of a row" '^150000 +\(30\) +1 +0 +0 +150000 +\(93\) malloc' report --sort=peak --table=sites
has "... of all" out '^484988.* 160000 \(100\) <TOTAL>'
hasnt "... what has no share is left out" out 'gather'
has "... and summed up" out 'left out: .*, 0 bytes at the peak$'
prints "temporaries of a row" '^ *80000 +\(16\) +5000 +0 +0 +5000 +\(99\) malloc' report --sort=temporary --table=sites
prints "the share of what is kept" '^ *10000 +\(2\) +10 +10000 +10 +91.0 malloc' report --sort=kept --table=sites
prints "the share of allocations" '^ *64000 +\(13\) +8000 +0 +0 +61.4 malloc' report --sort=allocs --table=sites

# The other tables.
prints "bins by the peak" '^ *> 1024 +4 +330000 .* 150000 +\(93\)$' report --sort=peak --table=bins
is "... in its order" "$(awk '$1 == "size:" { getline; print $2 }' out)" 1024
run report --sort=allocs --table=bins
is "bins by allocations" "$(awk '$1 == "size:" { getline; print $1, $2 }' out)" "8 8000"
run report --table=bins
is "bins by size" "$(awk '$1 == "size:" { getline; print $1, $2 }' out)" "8 8000"
prints "leaks by allocations" '^ *10 +10000 +10 +10000 +\(91\) +55\.6 \|\| > main > keep$' report --sort=allocs --table=leaks
prints "direct allocation: the peak" ' 1 150000 +\(93\) phase$' report --sort=peak --table=direct
prints "functions: temporaries" '^ *80000 +\(16\) +5000 +0 +5000 +\(99\) +80000 +\(16\) churn$' report --sort=temporary --table=flat
run report --sort=with-callees --table=flat
is "functions with what they call" "$(awk '$NF == "main" || $NF == "gather" || $NF == "work" { print $1, $NF }' out | head -n 2 | tr '\n' ' ')" "0 main 64000 gather "
has "... main has all" out '^ *0 +0 +0 +[0-9]+ +\((99|100)\) main$'
has "... the head says so" out '^Sorted by  +bytes allocated; functions with what they call$'
returns "... not without that table" 2 report --sort=with-callees
has "... which is named" err '^mprof: --sort=with-callees is for --table=flat'

# The call graph contains only the selected bytes.
prints "the call graph says of what it is" '^All figures are of bytes alive at the peak\.$' report --sort=peak --table=graph
has "... an entry" out '^\[1\] +93\.8 +150000 +\(100\).* 1 +\[1\] +phase$'
hasnt "... what has no share has none" out 'gather'
prints "... of temporaries" '^\[1\] +99\.9 +5000 +\(100\).* 5000 +\[1\] +churn$' report --sort=temporary --table=graph
prints "... of allocations" '^\[1\] +61\.4 +8000 +\(100\).* 8000 +\[1\] +gather$' report --sort=allocs --table=graph
prints "... with the wrapper, an entry of a caller" '^\[2\] +61\.4 +0 +\(0\).* 8000 +\[2\] +gather$' \
    report --sort=allocs --table=graph --no-skip

# The option --at=peak.
returns "--at=peak" 0 report --at=peak
has "says what it is" out '^Only what was alive at the peak: 160,000 bytes in 11 blocks$'
has "table 1" out '^ *1000 +10 +10000 +\(6\)$'
has "... the large ones" out '^ *> 1024 +1 +150000 +\(93\)$'
hasnt "... without what became of them" out 'size:.*(frees|kept)'
has "table 2 is of what was alive" out '^TABLE 2: ALIVE AT THAT MOMENT$'
has "... a chain" out '^ +1 +150000 +\(93\) \|\| > main > phase$'
has "table 3" out '^ *93\.8 +150000 .* 1 phase$'
has "table 4" out '^\[1\] +93\.8 .* 1 +\[1\] +phase$'
hasnt "... nothing else" out 'gather|churn|> work'
run report --at=peak --sort=allocs --table=sites
is "... by blocks" "$(first)" "keep < main"

# The overview: a few rows with the largest figures.
prints "who keeps most" '^kept +10000 +\(91\) +10 +\(55\) keep \(costs\.c:[0-9]+\)$' report --table=overview
has "who holds the peak" out '^alive at the peak +150000 +\(93\) +1 +\(9\) phase \(costs\.c:[0-9]+\)$'
has "who allocates most often" out '^allocations +64000 +\(13\) +8000 +\(61\) gather \(costs\.c:[0-9]+\)$'
has "who has most temporaries" out '^temporary +5000 +\(99\) churn \(costs\.c:[0-9]+\)$'
prints "with the wrapper: who keeps most" '^kept +10700 +\(97\) +17 +\(94\) get \(costs\.c:[0-9]+\)$' \
    report --table=overview --no-skip
has "... who has most temporaries" out '^temporary +5003 +\(100\) get \(costs\.c:[0-9]+\)$'
run report
has "it is there by itself" out '^WHERE MOST'

# In sampled recordings, each figure has its interval in these columns, too.
run "$mprof" run -q --sample=4K -o sampled.data "$programs/costs"
prints "sampled: the peak has an interval" 'peak +\+- +\(%\) type' "$mprof" report --no-pager --sort=peak --table=sites sampled.data
prints "... and temporaries" 'temporary +\+- +\(%\) name' "$mprof" report --no-pager --sort=temporary --table=direct sampled.data

# Keys that make no sense are refused.
for bad in --sort=size --sort= ; do
    refuses "$bad" 2 '^mprof: ' report "$bad"
done
for bad in --sort=temporary --gc --table=gc; do
    refuses "--at=peak $bad" 2 '^mprof: ' report --at=peak "$bad"
done
plan
# SPDX-License-Identifier: MIT
