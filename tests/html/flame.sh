#!/bin/sh
# Overview and flame graph in Chromium: figures, zoom by clicks and by keys, links, search, chains from their
# inner ends, folded recursion, moments; names that would like to be more than names; looks.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record costs "$programs/costs"
page costs
"$mprof" totals "$tmp/costs.data" >"$tmp/costs.txt"
record trees "$programs/trees" 10 1
page trees

# Names of as many bytes as those that they take the place of.
escape=$(printf '\342\200\256')
sed -e 's/odd_name_escape/<\/script><b>Q"'"'"'/g' -e 's/odd_name_fields/<img src=x:y z>/g' \
    -e "s/odd_name_letter/a${escape}b\\&amp;\`\${x}/g" "$programs/odd_names" >"$tmp/odd"
chmod +x "$tmp/odd"
record odd "$tmp/odd"
page odd

# What lives changes, for as long as it takes to be seen.
cat >"$tmp/waves.pl" <<'END'
for my $round (1 .. 4) {
    my @kept = map { "x" x 1000 } 1 .. 2000;
    select undef, undef, undef, .1;
}
END
waves=
if command -v perl >/dev/null 2>&1; then
    record waves perl "$tmp/waves.pl"
    page waves
    waves=waves
fi
browse view_flame.py "$tmp" $waves
