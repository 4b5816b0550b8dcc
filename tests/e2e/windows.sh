#!/bin/sh
# Windows of time in the outputs other than the report, of a program in which it is known what each phase allocates
# and frees.
. "${srcdir:-.}/tests/e2e/lib.sh"

returns "runs" 0 "$mprof" run -q -o data "$programs/checkpoints" phases

# Errors of all commands that accept points in time.
for command in "flamegraph -o x.svg" "annotate beta" findings "html -o x.html"; do
    # shellcheck disable=SC2086
    set -- $command
    run "$mprof" "$@" --from=one --to=three data
    is "$1: no such moment" "$status $(wc -l <err) $(find . -name "x.svg" -o -name "x.html" | wc -l)" "1 1 0"
    has "$1: which there are" err '^mprof: three: there is no such checkpoint, but nothing, one, two, one'
    returns "$1: a moment and a time" 2 "$mprof" "$@" --from=one --at=two data
done

run "$mprof" report --no-pager --at=999 data
ok "no moment after the end: status, and when that is" test "$status $(grep -cE \
    '^mprof: 999: the recording is [0-9]+\.[0-9]{3} s long: no such moment$' err) $(wc -c <out)" = "1 1 0"
says "an empty name" "1 mprof: the name is empty: no such moment" "$mprof" report --no-pager --from= data

# ------------------------------------------------------------------ source
returns "annotate: status" 0 "$mprof" annotate --no-pager --source="$src" --from=one --to=two checkpoints.c data
has "annotate: says between what" out '^Only what happened between checkpoint one \([0-9.]+ s\) and checkpoint two \('
has "annotate: calls it grown" out 'allocs bytes grown line source$'
has "annotate: what shrank is less than nothing" out '^ *0 +0 +0 +-40000 +[0-9]+ +kept\[i\] = malloc\(100\);$'
has "annotate: what grew" out '^ *15000 \(100\) +15000 +300 +15000 +[0-9]+ +kept\[i\] = malloc\(50\);$'
has "annotate: a line above both" out '^ *15000 \(100\) +300 +-25000 +[0-9]+ +phases\(\);$'
has "annotate: the sum" out '^ *15000 \(100\) +15000 +300 +-25000 +<TOTAL>$'
run "$mprof" annotate --no-pager --source="$src" --at=two checkpoints.c data
has "annotate: a moment" out '^Only what was alive at checkpoint two \([0-9.]+ s\): 75,000 bytes in 900 blocks$'
has "annotate: its lines" out '^ *60000 +\(80\) +60000 +600 +[0-9]+ +kept\[i\] = malloc\(100\);$'
hasnt "annotate: nothing is kept of it" out 'kept +line|grown'

# ------------------------------------------------------------------ tables for engines
# cells OPTION...: prints allocs, bytes, frees and freed bytes of alpha in the window.
cells()
{
    "$mprof" export -F ndjson "$@" data | jq -r 'select(.frames[-1].function == "alpha") |
        "\(.allocs) \(.bytes) \(.frees) \(.freed_bytes)"'
}
is "export: what was freed between two checkpoints" "$(cells --from=one --to=two)" "0 0 400 40000"
is "export: until the end" "$(cells --from=one)" "0 0 400 40000"
is "export: from the peak on it is not known" "$(cells --from=peak | cut -d ' ' -f 3-)" "null null"
is "export: nor of a moment" "$(cells --at=two)" "null null null null"

# ------------------------------------------------------------------ over time
is "plot: the last point is the end" "$("$mprof" plot --data data | sed -n '/^seconds live/,/^$/ { /^[0-9]/p }' | tail -n 1 |
    cut -d ' ' -f 2-6)" "$("$mprof" totals data | awk '
        { of[$1] = $2 }
        END { print of["bytes"] - of["freed"], 0, of["allocs"] - of["frees"], of["allocs"], of["bytes"] }')"

# ---------------------------------------------------------------- findings
is "findings: what grew" "$(rules data --from=nothing --to=one)" "grew alpha"
is "findings: what shrank, or grew by little" "$(rules data --from=one --to=two)" ""
prints "findings: the part is said" '^Only what happened between checkpoint nothing ' "$mprof" findings --from=nothing --to=one data
has "findings: the sentence has the moments" out ' 1\. More than before\. Between checkpoint nothing \([0-9.]+ s\) and checkpoint one \([0-9.]+ s\): what alpha allocates grew by 100\.0 kB in 1,000 blocks, 100 % of all that grew: it allocated 1,000 blocks, of 100 bytes, and none were freed\.$'
command=$(sed -n 's/^    mprof report //p' out)
eval "run '$mprof' report --no-pager $command"
has "findings: the command is of the same part" out '^Only what happened between checkpoint nothing '
has "findings: and shows it" out '^ +1000 100000 .*> alpha \(checkpoints\.c:[0-9]+\)$'
run "$mprof" findings --at=two data
has "findings: nothing to say of a moment" out '^None: no rule of mprof-findings\(1\) that speaks of a part of the time '
run "$mprof" run -q -o tiny.data "$programs/checkpoints" tiny
is "findings: tiny blocks at a moment" "$(rules tiny.data --at=full)" "tiny make_tiny"
is "findings: and when they were gone" "$(rules tiny.data --at=empty)" ""
"$mprof" findings --at=full tiny.data >out
has "findings: of a moment no peak is told" out 'At checkpoint full \([0-9.]+ s\): 70,000 blocks of 16 bytes that make_tiny allocated were alive\. malloc'
has "findings: the command has the moment" out 'mprof report --table=tree --lines --at=full '

# -------------------------------------------------------------------- page
if need python3; then
    # model OPTION...: prints the figures of the page's cells, sorted, and its sentence about the window.
    model()
    {
        "$mprof" html -o page.html "$@" data || echo "status $?"
        "$python" - page.html <<'END'
import base64, json, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
model = json.loads(zlib.decompress(base64.b64decode(re.search(r'id="model"[^>]*>([^<]*)<', page)[1])))
print(sorted(model["cells"]["bytes"]), sorted(model["cells"]["kept"]), model.get("window", {}).get("alive"))
print("\n".join(model.get("part", [])))
END
    }
    model --from=one --to=two >said
    is "page: growth" "$(head -n 1 said)" "[0, 15000] [-40000, 15000] False"
    has "page: says so" said '^Only what happened between checkpoint one '
    has "page: so do the tables for who runs no scripts" page.html '^TABLE 2: GROWTH$'
    model --at=two >said
    is "page: a moment" "$(head -n 1 said)" "[15000, 60000] [15000, 60000] True"
    has "page: says of which" said '^Only what was alive at checkpoint two '
    has "page: its tables, too" page.html '^TABLE 2: ALIVE AT THAT MOMENT$'
    model >said
    hasnt "page: of all it says nothing" said Only
    hasnt "page: nor do its tables" page.html '^Only what was allocated'
else
    skip "page" "$missing"
fi

# ------------------------------------------------------------- flame graphs
if need python3; then
    # draw OPTION...: writes the boxes to the file `boxes`, the texts to `texts`.
    draw()
    {
        run "$mprof" flamegraph -o picture.svg "$@" data
        grep '^<text\|<text' picture.svg >texts
        "$python" "$src/tests/e2e/flamegraph.py" picture.svg >boxes 2>problem || echo "wrong: $(tail -n 1 problem)" >boxes
    }
    draw --from=one --to=two --cost=kept
    is "growth: status" "$status" 0
    has "growth: all" boxes '^0 100 25,000 bytes less \(15,000 grew, 40,000 shrank\)'
    has "growth: a caller of both" boxes '^2 100 phases .* 25,000 bytes less \(15,000 grew, 40,000 shrank\) \(100\.0 % of all that changed\)$'
    has "growth: what shrank is as wide as that" boxes '^3 73 alpha .* 40,000 bytes less \(72\.7 %'
    has "growth: what grew" boxes '^3 27 beta .* 15,000 bytes more \(27\.3 %'
    has "growth: a sign" texts 'class="k1"/><text [^>]*>− alpha</text>'
    has "growth: and another" texts 'class="k0"/><text [^>]*>\+ beta</text>'
    is "growth: legend" "$(grep -o '>[a-z]* \(than\|as\) before<' texts | tr -d '\n')" ">more than before<>less than before<"
    has "growth: heading" texts '>checkpoints: change of bytes alive between checkpoint one \([0-9.]+ s\) and checkpoint two \('
    has "growth: how wide is said" texts 'A box is as wide as what grew or shrank there and further in\.'
    draw --from=one --to=two --cost=kept --reverse
    has "growth, reverse: who" boxes '^1 73 alpha .* 40,000 bytes less'
    has "growth, reverse: their caller" boxes '^2 27 phases .* 15,000 bytes more'
    draw --from=nothing --to=nothing --cost=kept
    has "nothing changed" texts '>Nothing changed\.<'
    draw --from=one --to=two
    has "bytes: only what was allocated" boxes '^3 100 beta .* 15,000 bytes allocated'
    draw --at=two --cost=kept
    has "a moment: all" boxes '^0 100 75,000 bytes alive \(100\.0 %\)$'
    has "a moment: a part" boxes '^3 80 alpha .* 60,000 bytes alive'
    draw --at=two --cost=allocs
    has "a moment: blocks" boxes '^3 67 alpha .* 600 blocks alive'
    draw --at=peak
    has "the peak" boxes '^3 100 alpha .* bytes alive'
else
    skip "flame graphs" "$missing"
fi
for option in --from=one\ --cost=peak --at=one\ --cost=temporary; do
    # shellcheck disable=SC2086
    refuses "flamegraph $option: not known" 2 '^mprof: ' "$mprof" flamegraph -o x.svg $option data
done

# ------------------------------------------------- a checkpoint named end, as is the last moment of every recording
cat >called.c <<'END'
#include <mprof.h>
#include <stdlib.h>
int main(void)
{
    static void *volatile keep[10];
    for (int i = 0; i < 10; i++) {
        keep[i] = malloc(1000);
        if (i == 3)
            MPROF(mprof_checkpoint("end"));
    }
    return 0;
}
END
gcc -I "$src/runtime" -o called called.c || exit 99
"$mprof" run -q -o called.data ./called
of_called()
{
    "$mprof" export -F collapsed --full-names --no-skip --cost=allocs --from=start "$@" called.data | awk '/main/ { n += $NF } END { print n }'
}
is "the end is the end, said or not" "$(of_called --to=end) $(of_called)" "10 10"
is "a checkpoint called end has a number" "$(of_called --to=end#1)" 4
plan
# SPDX-License-Identifier: MIT
