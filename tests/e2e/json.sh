#!/bin/sh
# mprof ... --json: documents are valid by doc/mprof-report.schema.json and contain what the text contains; the manual
# contains all of their names; jq reads them with the commands of the manual.
. "${srcdir:-.}/tests/e2e/lib.sh"

LC_ALL=C.UTF-8
made=$top                       # a tarball contains what the build would make
[ -f "$made/man/mprof-json.5" ] || made=$src
schema=$made/doc/mprof-report.schema.json
manual=$made/man/mprof-json.5
if ! need jq || ! "$python" -c 'import jsonschema' 2>/dev/null; then
    skip_all "JSON" "jq and python3-jsonschema are not both installed"
fi

check()
{
    "$python" -B "$src/tests/e2e/json_check.py" "$@"
}

# Documents and texts are checked together at the end. The file `todo` collects what to check.
# valid NAME FILE...: notes documents for validation.
valid()
{
    name=$1
    shift
    echo "$name: as the schema says|valid $*" >>todo
}

all=findings,overview,bins,leaks,direct,graph,sites,flat,function-types,tree
lisp=overview,types,leaks,direct,graph,gc,sites,flat,function-types,tree

# same NAME TABLES OPTION... FILE: notes the report as JSON and as text for comparison.
same()
{
    name=$1
    tables=$2
    shift 2
    returns "$name: status" 0 "$mprof" report --json --table="$tables" "$@"
    cp out report.json
    mv out "report$tests.json"
    valid "$name" "report$tests.json"
    "$mprof" report --no-pager --head --no-lines --table="$tables" "$@" >"report$tests.txt"
    echo "$name: what the text has|text report$tests.json report$tests.txt" >>todo
}

# ------------------------------------------------------------------ all sorts of profiles
"$mprof" run -q -o widgets.data "$top/examples/widgets"
# shellcheck disable=SC2016
"$mprof" run -q -o perl.data perl -e '$h{$_ % 997} .= "$_," for 1 .. 5000; print sort values %h' >printed
"$mprof" run -q --sample=4k -o sampled.data perl -e 'print sort map { $_ x 9 } 1 .. 5000' >printed
"$mprof" run -q -o window.data "$programs/checkpoints" phases
same widgets $all widgets.data
same "perl" $all perl.data
same "perl, all rows" $all -v perl.data
same "perl, some rows" $all --max=5 perl.data
same "perl, large rows" $all --min=10K perl.data
same "perl, a part" leaks,direct,flat,tree --function=hv_common perl.data
same "perl, lines and places" leaks,sites,tree --lines=full --offsets --full-names --no-skip --chain=all perl.data
same "sampled" $all sampled.data
for types in alloc_space inuse_space alloc_space,inuse_space alloc_objects,alloc_space; do
    "$python" -B "$src/tests/e2e/make_pprof.py" "$types.pb" $types "$(echo $types | sed 's/[a-z_][a-z_]*/48/g')"
    same "pprof: $types" bins,leaks,direct,graph,flat,tree,overview $types.pb
done
"$mprof" run -q --lifetimes -o lifetimes.data "$programs/lifetimes" >printed
same "lifetimes" lifetimes lifetimes.data
same "lifetimes, all rows, with chains" lifetimes -v --chain=3 lifetimes.data
same "lifetimes that were not recorded" lifetimes widgets.data
same "between two moments" $all --from=one --to=two window.data
same "at a moment" $all --at=one window.data
same "at the peak" $all --at=peak window.data
is "every table that there is" "$(jq -r '.tables | keys_unsorted | join(",")' report.json)" "$all"
if need ecl; then
    cat >work.lisp <<'END'
(defstruct point x y)
(defvar *kept* (list (make-point :x 1.5d0 :y (list 1 2 3))))
(dotimes (i 5)
  (push (make-point :x (* i 1.5d0) :y (make-list 1000)) *kept*)
  (make-string 1000)
  (ext:gc t))
(ext:quit)
END
    "$mprof" run -q -o lisp.data ecl --norc --load work.lisp >printed
    same "Lisp" $lisp --lisp lisp.data
    same "Lisp, sites of survival" gc,sites --lisp --chain=4 lisp.data
    same "Lisp, lifetimes" lifetimes -v lisp.data
    same "Lisp and C" overview,bins,types,leaks,direct,graph,sites,flat lisp.data
else
    skip "Lisp" "$missing"
fi

# Merged recordings, and recordings of other tools.
"$mprof" merge -o merged.data widgets.data perl.data 2>merged.err
same "merged" $all merged.data
is "merged: both processes" "$(jq -c '[.process, .totals.peak, [.processes[] | [(.program | sub(".*/"; "")), .bytes, .peak_bytes]]]' report.json)" \
    "[null,null,[[\"widgets\",$(total bytes widgets.data),$(total peak widgets.data)],[\"perl\",$(total bytes perl.data),$(total peak perl.data)]]]"
"$mprof" report --json --table=processes merged.data >processes.json
valid "merged: the table of processes" processes.json
"$mprof" report --json --program=widgets merged.data >part.json
valid "merged: one of them" part.json
is "merged: one of them" "$(jq -c '[.shown.filters[0].by, .shown.totals.bytes]' part.json)" "[\"program\",$(total bytes widgets.data)]"
"$mprof" export -F pprof -o perl.pb.gz perl.data
same "by another tool" leaks,direct,flat,tree perl.pb.gz
has "by another tool: which" report.json '"source":"pprof profile'
"$python" - >allocs.pb <<'END'
import sys
strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "work"]
def number(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)
def field(tag, value):
    return number(tag << 3) + number(value) if isinstance(value, int) else number(tag << 3 | 2) + number(len(value)) + value
sys.stdout.buffer.write(
    field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4)) +
    field(2, field(1, number(1)) + field(2, number(5) + number(500))) +
    field(4, field(1, 1) + field(4, field(1, 1) + field(2, 7))) + field(5, field(1, 1) + field(2, 5)) +
    b"".join(field(6, text.encode()) for text in strings))
END
"$mprof" report --json --table=flat,leaks allocs.pb >allocs.json
valid "allocations only" allocs.json
is "what it has not is null" "$(jq -c '[.totals.bytes, .totals.c.kept_bytes, .totals.c.temporary, .totals.peak, .tables.flat.rows[0].values.temporary, .tables.flat.rows[0].values.kept_bytes]' allocs.json)" \
    '[500,null,null,null,null,null]'

# A running process.
LD_PRELOAD=$library MPROF_FILE=live.data "$programs/killme" 2000 sleep >started &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
until_true 60 test -s started
"$mprof" report --json live.data >live.json
kill $pid
wait $pid
valid "a process that runs" live.json
is "it runs" "$(jq -r .process.ended.how live.json)" running
"$mprof" report --json live.data >killed.json
is "it does not any more" "$(jq -c '[.process.ended.how, .process.ended.status]' killed.json)" '["killed",null]'

# ------------------------------------------------------------------ the other commands
"$mprof" findings --json perl.data >findings.json
"$mprof" findings --json --all perl.data >findings-all.json
"$mprof" totals --json perl.data >totals.json
"$mprof" totals --json=file.json perl.data >out
is "totals --json=FILE" "$(wc -c <out) $(cmp file.json totals.json 2>&1)" "0 "
"$mprof" totals --json perl.data sampled.data >both.json
"$mprof" annotate --json make_widget widgets.data >annotate.json
valid "findings, totals, annotate" findings.json findings-all.json totals.json both.json annotate.json
is "the commands say who they are" "$(jq -r .command findings.json totals.json annotate.json | paste -sd' ' -)" \
    "findings totals annotate"
"$mprof" totals perl.data >totals
is "totals" "$(jq -r '.totals | "allocs \(.allocs)", "bytes \(.bytes)", "frees \(.c.frees)",
    "freed \(.c.freed_bytes)", "kept \(.c.kept_bytes)", "kept-blocks \(.c.kept)", "peak \(.peak.bytes)",
    "peak-blocks \(.peak.blocks)", "peak-slack \(.peak.slack_bytes)", "temporary \(.c.temporary)",
    "contexts \(.contexts)", "depth \(.deepest)", "threads \(.threads)"' totals.json | sort)" \
    "$(grep -E '^(allocs|bytes|frees|freed|kept|kept-blocks|peak|peak-blocks|peak-slack|temporary|contexts|depth|threads) ' totals | sort)"
is "of two files there is no process, and no peak" "$(jq -c '[.process, .totals.peak, .sampling.period_bytes]' both.json)" \
    '[null,null,null]'
is "the sum of two" "$(jq .totals.allocs both.json)" $(($(total allocs perl.data) + $(total allocs sampled.data)))
"$mprof" annotate make_widget widgets.data >annotate.txt
jq -r '.sections[].table.rows[] | select(.values.bytes and .is == "item") | .values |
    "\(.bytes) \(.allocs) \(.kept_bytes) \(.line)"' annotate.json >lines
at_least "annotated lines" "$(wc -l <lines)" 1
while read -r bytes allocs kept line; do
    has "annotated line $line" annotate.txt "^ *$bytes .* $allocs +$kept +$line "
done <lines

# shellcheck disable=SC2016
"$mprof" run -q -o time.data perl -e '$x[$_] = "x" x 5000 for 1 .. 2000; select undef, undef, undef, .4'
returns "plot: status" 0 "$mprof" plot --json=plot.json --by=module time.data
valid "plot" plot.json
"$mprof" plot --data --by=module time.data >plot.txt
is "plot: as many points and moments as there are lines" \
    "$(jq '(.timeline.points | length) + ([.timeline.moments[] | select(.live_bytes)] | length)' plot.json)" \
    "$(grep -c '^[0-9]' plot.txt)"
is "plot: the same bytes" "$(jq '[.timeline.points[].live_bytes] | add' plot.json)" \
    "$(awk '/^seconds moment/ { exit } /^[0-9]/ { sum += $2 } END { printf "%.0f", sum }' plot.txt)"

# ------------------------------------------------------------------ figures that are not numbers
is "an estimate has its interval" \
    "$("$mprof" report --json --table=flat sampled.data |
        jq '.tables.flat.rows[1] | .values.bytes as $b | .estimates.bytes | .low < $b and $b < .high')" true
"$mprof" report --json --table=leaks --from=one --to=two window.data >growth.json
is "what shrank is less than 0" "$(jq -c '[.tables.leaks.rows[].values.kept_bytes]' growth.json)" '[-40000,15000]'
"$mprof" report --json --table=leaks --at=one window.data >moment.json
is "what came later is not known" "$(jq -c '.tables.leaks.rows[0].values | [.bytes, .kept_bytes, .frees]' moment.json)" \
    '[100000,null,null]'
is "chains are frames, outermost first" \
    "$("$mprof" report --json --lines --table=leaks widgets.data |
        jq -c '.tables.leaks.rows[0].values.chain | [.whole, [.frames[] | .function, (.file | sub(".*/"; "")), .line > 0, .inlined]]')" \
    '[true,["main","widgets.c",true,false,"make_red_widget","widgets.c",true,false,"make_widget","widgets.c",true,false]]'
is "of lines that were not asked for nothing is said" \
    "$("$mprof" report --json --table=leaks widgets.data | jq -c '[.tables.leaks.rows[0].values.chain.frames[].line]')" \
    '[null,null,null]'
is "all numbers are whole" "$(jq '[.. | numbers | select(. != floor)] | length' report.json growth.json)" "0
0"

# ------------------------------------------------------------------ hostile names
cp "$programs/odd_names" odd
LC_ALL=C sed -i -e 's/odd_name_escape/odd\x1b[31m\nescape/g' -e 's/odd_name_fields/odd"\\{\x09\xc3]fields/g' odd
odd=$(printf 'odd"\\\377\033.data')
"$mprof" run -q -o "$odd" ./odd "$(printf 'a"\\\303\nb')" "</script>"
returns "hostile names: status" 0 "$mprof" report --json --table=$all -v --function='odd|main' "$odd"
mv out odd.json
valid "hostile names" odd.json
# shellcheck disable=SC1003
is "hostile names: arguments" "$(jq -r '.process.arguments[1:][]' odd.json)" 'a"\\xc3\x0ab
</script>'
is "hostile names: functions" "$(jq -r '[.tables.flat.rows[].values.function.function? | select(. and test("fields"))][0]' odd.json)" \
    'odd"\{\x09\xc3]fields'
is "hostile names: files" "$(jq -r '.files[0]' odd.json)" 'odd"\\xff\x1b.data'

# ------------------------------------------------------------------ what cannot be
returns "no such file: status" 1 "$mprof" report --json nowhere.data
is "... nothing is written" "$(wc -c <out)" 0
is "... one line" "$(wc -l <err)" 1
run sh -c "'$mprof' report --json -v perl.data | head -c 100 >/dev/null"
empty "a reader that goes away is no error" err
if [ -c /dev/full ]; then
    "$mprof" report --json perl.data >/dev/full 2>err
    is "a full disk: status" $? 1
    has "a full disk: said" err '^mprof: .*No space left on device'
fi

# ------------------------------------------------------------------ manual, schema and output
missing=
check keys "$schema" >keys
for key in $(cat keys); do
    grep -qE "^\.(.* )?Cm (.* )?$key( |\$)" "$manual" || missing="$missing $key"
done
is "the manual has all names of the schema" "$missing" ""
grep -hoE '^\.It .*Cm .*' "$manual" | sed 's/^\.It //; s/Cm//g; s/ , /\n/g' | tr -d ' ' | sort -u >said
is "and no others" "$(sort -u keys | comm -13 - said | paste -sd' ' -)" ""
is "they speak of one version" "$(jq -r .schema.version totals.json)" \
    "$(sed -n 's/^This is version \([0-9.]*\)\.$/\1/p' "$manual")"
is "which is one that the schema takes" "$(jq -r '."$id"' "$schema")" \
    "urn:mprof:report:$(jq -r '.schema.version | sub("\\..*"; "")' totals.json)"

# The commands after "$ " in the manual are executed, with perl.data under the name that the manual uses.
cp perl.data mprof.data
cp time.data run.data
sed -n 's/^\$ //p' "$manual" | sed 's/\\e/\\/g; s/\\-/-/g; s/\\(aq/'"'"'/g' >commands
at_least "the manual has examples" "$(wc -l <commands)" 6
PATH=$(dirname "$mprof"):$PATH
while read -r command; do
    says "$command: status" "0 " sh -c "$command"
    at_least "... it prints something" "$(wc -l <out)" 1
done <commands

# ------------------------------------------------------------------ what was collected
check all "$schema" <todo >checked 2>check.err
is "all were checked" "$(wc -l <checked)" "$(wc -l <todo)"
while IFS='|' read -r name wrong; do
    is "$name" "$wrong" ""
done <checked
plan
# SPDX-License-Identifier: MIT
