#!/bin/sh
# Pages of mprof diff --html: two builds with known differences, several runs of each side, a real program, two points in
# time, a sampled and an exact run, and names that look like elements of HTML.
# With KEEP=FOLDER, pictures of the pages stay in FOLDER.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

flags="-fno-builtin -fno-optimize-sibling-calls"
# shellcheck disable=SC2086
{
    ${CC:-gcc} $flags -g -O0 -o before "$src/tests/programs/changed.c"
    ${CC:-gcc} $flags -O2 -DAFTER -o after "$src/tests/programs/changed.c"
}
odd='<img src=x:y z>'
objcopy --redefine-sym fresh="$odd" after odd
chmod +x odd

# difference NAME ARGUMENT...: writes the page of mprof diff to NAME.html
difference()
{
    page=$1
    shift
    if ! "$mprof" diff --html -o "$page.html" "$@" 2>"$page.err"; then
        echo "Bail out! no page of $page: $(cat "$page.err")"
        exit 99
    fi
}

record before ./before 10
record after ./after 40
difference two before.data after.data
difference same before.data before.data
difference kept --cost=kept --function='^(grown|gone)$' before.data after.data
for i in 1 2 3; do
    record "few$i" ./before "$((10 * i))"
    record "more$i" ./after "$((50 + 10 * i))"
done
difference several few1.data few3.data few2.data -- more3.data more2.data more1.data
record sampled --depth=2 --sample=64 ./after 40
difference sampled before.data sampled.data
record phases "$programs/checkpoints"
difference moments phases.data --from=one --to=two
record odd ./odd 10 '</pre><script>document.title = "run"</script>'
mv odd.data '<b onclick=x>.data'
difference odd before.data '<b onclick=x>.data'
more=
if need perl; then
    for n in 1000 2000; do
        # shellcheck disable=SC2016
        record "perl$n" perl -e 'my %h; $h{$_} = "x" x 100 for 1 .. $ARGV[0]; print scalar keys %h' "$n"
    done
    difference perl perl1000.data perl2000.data
    more=$(($(total bytes perl2000.data) - $(total bytes perl1000.data)))
fi
mkdir -p "${KEEP:-$tmp/pictures}"
browse view_diff.py "$tmp" "${KEEP:-$tmp/pictures}" $more
# SPDX-License-Identifier: MIT
