#!/bin/sh
# mprof run -f --only=NAME profiles some of the started programs; the summary states each of them, and the sum.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >both <<END
#!/bin/sh
"$top/examples/widgets"
exec "$programs/costs" 'two words' three
END
cat >last <<END
#!/bin/sh
"$programs/costs" "\$1"
:
END
chmod +x both last

returns "all: status" 0 "$mprof" run -f -o all.data ./both 'two words'
has "all: the program that the script becomes" err '^mprof:   allocations +13,022 +484,988 bytes'
has "all: the script, with its arguments" err "^mprof:   [a-z]*sh\\[[0-9]*\\] .* allocations \\(.*\\)  \\./both 'two words'\$"
has "all: one without" err '^mprof:   widgets\[[0-9]+\] .* 10,000 allocations \(2\.0 MB\)$'
sum=$(for file in all.data*; do total allocs "$file"; done | awk '{ sum += $1 } END { print sum }')
is "all: together" "$(sed -n 's/^mprof:   all of them: \([0-9,]*\) allocations, .*/\1/p' err | tr -d ,)" "$sum"

"$mprof" totals all.data* >out
is "all: totals of all files" "$(awk '$1 == "files" || $1 == "allocs" { print $2 }' out | tr '\n' ' ')" \
    "$(find . -name 'all.data*' | wc -l) $sum "
hasnt "all: ... without a peak, of which each has its own" out peak
has "all: ... what is kept" out "^kept $(for file in all.data*; do total kept "$file"; done |
    awk '{ sum += $1 } END { print sum }')\$"
run "$mprof" totals all.data nothing.data
is "totals of a file that is not there" "$status $(wc -c <out) $(wc -l <err)" "1 0 1"

returns "one: status" 0 "$mprof" run -f --only=costs -o one.data ./both
is "one: nothing else is recorded" "$(find . -name 'one.data*' | wc -l)" 1
is "one: what it allocated" "$(total allocs one.data.*)" 13022
has "one: the summary is of it" err '^mprof: costs: exit status 0, after '
has "one: how to see it" err '^mprof report one\.data\.[0-9]+$'
hasnt "one: no other process is named" err 'another process|more process|together'
run "$mprof" run -f --only=widgets,costs -o two.data ./both
is "two: both are recorded" "$(echo two.data* | sed 's/[0-9][0-9]*/N/g')" "two.data.N two.data.N.children"
is "two: what they allocated" "$(for file in two.data*; do total allocs "$file"; done | sort -n | tr '\n' ' ')" \
    "10000 13022 "
run "$mprof" run -f --only=costs -o inner.data ./last "$(printf 'x%.0s' $(seq 100))"
is "one that is not the first process: status" "$status" 0
is "... is recorded" "$(total allocs inner.data.*)" 13022
has "... its end is its own" err '^mprof: costs: exit status '
run "$mprof" run -f -o long.data ./last "$(printf 'x%.0s' $(seq 100))"
has "long arguments are cut" err '^mprof:   costs\[[0-9]+\]  .*  x{60}\.\.\.$'
returns "none: the status is the program's" 0 "$mprof" run -f --only=nobody -o none.data ./both
is "none: one line" "$(cat err)" \
    "mprof: nothing was recorded: no program called nobody allocated anything"
is "none: no file" "$(find . -name 'none.data*' | wc -l)" 0
for bad in --only= '--only=,' --only=a,,b --only=bin/a; do
    refuses "$bad" 2 "^mprof: $bad: " "$mprof" run -f "$bad" true
done
refuses "without --follow" 2 '^mprof: ' "$mprof" run --only=a true
plan
# SPDX-License-Identifier: MIT
