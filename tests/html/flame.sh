#!/bin/sh
# Overview and flame graph: figures, zoom by clicks and by keys, links, search, chains from their inner ends, folded
# recursion, moments, names that look like HTML or change the direction of writing, and layout.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record costs "$programs/costs"
page costs
cp "$tmp/costs.data" "$tmp/wrapper.data"
page wrapper --no-skip
"$mprof" totals "$tmp/costs.data" >"$tmp/costs.txt"
record trees "$programs/trees" 10 1
page trees

# The new names have as many bytes as the names that they replace.
escape=$(printf '\342\200\256')
sed -e 's/odd_name_escape/<\/script><b>Q"'"'"'/g' -e 's/odd_name_fields/<img src=x:y z>/g' \
    -e "s/odd_name_letter/a${escape}b\\&amp;\`\${x}/g" "$programs/odd_names" >"$tmp/odd"
chmod +x "$tmp/odd"
record odd "$tmp/odd"
page odd

# The live bytes change, slowly enough for the observer.
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
# SPDX-License-Identifier: MIT
