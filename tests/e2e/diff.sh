#!/bin/sh
# mprof diff of programs with known differences, in different builds; of real programs; noise; windows; and errors.
. "${srcdir:-.}/tests/e2e/lib.sh"

cc=${CC:-gcc}
flags="-fno-builtin -fno-optimize-sibling-calls"

# rows TABLE: prints the rows of a table in `out`, each as "CHANGE WORD NAME...".
rows()
{
    awk -v title="CHANGES BY $1" '
        $0 == title { inside = 1; next }
        /^$/ && seen { exit }
        inside && /^ *change / { seen = 1; next }
        inside && match($0, / (new|gone|grown|shrunk) /) { print $1, substr($0, RSTART + 1) }' out | tr -s ' '
}

# same TEXT TABLE: tests that the rows of TABLE are those on standard input.
same()
{
    rows "$2" | LC_ALL=C sort >got
    LC_ALL=C sort >expected
    ok "$1" diff got expected
}

# ------------------------------------------------------- known by construction
# The program is built with and without debug information, optimised and not, so that build-ids, inlining and
# addresses differ.
# shellcheck disable=SC2086
{
    $cc $flags -g -O0 -o before "$src/tests/programs/changed.c"
    $cc $flags -O2 -DAFTER -o after "$src/tests/programs/changed.c"
}
profile before.data ./before 10
profile after.data ./after 40
says "two builds: status" "0 " "$mprof" diff before.data after.data
same "by function" FUNCTION <<'END'
+1500 grown grown
-2100 shrunk shrunk
+2000 new fresh
-1000 gone gone
END
same "by chain: what moved is gone there and new here" CHAIN <<'END'
+1500 grown || > main > grown
-2100 shrunk || > main > shrunk
+2000 new || > main > fresh
-1000 gone || > main > gone
+3000 new || > main > other_caller > moved
-3000 gone || > main > one_caller > moved
END
has "in words: the sum" out '^The sum of bytes allocated grew by 400 \(3\.[0-9] %\), from 12,[0-9]{3} to 1[23],[0-9]{3}\.$'
has "... what is new" out '^New: 2 chains, \+5,000 in all: main > other_caller > moved \(\+3,000\), main > fresh \(\+2,000\)\.$'
has "... what is gone" out '^Gone: 2 chains, -4,000 in all: '
has "... what grew" out '^Grown: main > grown \(\+1,500\)\.$'
has "... what shrank" out '^Shrunk: main > shrunk \(-2,100\)\.$'
has "... the other figures" out '^Besides: '
has "the head has both" out '^Before +before\.data: \./before 10 \(exit status 0\)$'
has "... by their names" out '^Programs +before before, after after; functions are matched'
has "what is as before is a row" out ' \(3 functions as before\)$'

run "$mprof" diff after.data before.data
same "the other way round" FUNCTION <<'END'
-1500 shrunk grown
+2100 grown shrunk
-2000 gone fresh
+1000 new gone
END
run "$mprof" diff --by=all before.data before.data
is "nothing differs from itself" "$status $(grep -cE ' (new|gone|grown|shrunk) ' out)" "0 0"
has "... which is said" out '^No chain has more or less bytes allocated than before: '

run "$mprof" diff --cost=allocs before.data after.data
same "by allocations" FUNCTION <<'END'
+30 grown grown
-30 shrunk shrunk
+1 new fresh
-1 gone gone
END
run "$mprof" diff --cost=temporary --by=function before.data after.data
same "by temporaries" FUNCTION <<'END'
-30 shrunk shrunk
END
run "$mprof" diff --cost=kept --by=function -v before.data after.data
same "by what is kept" FUNCTION <<'END'
+1500 grown grown
+2000 new fresh
-1000 gone gone
END
run "$mprof" diff --by=size before.data after.data
same "by size" SIZE <<'END'
+1500 grown 50
-2100 shrunk 70
+2000 grown > 1024
-1000 gone 1000
END
run "$mprof" diff --by=module,type before.data after.data
same "by module: the program, whatever it is called" MODULE <<'END'
+400 grown the program
END
same "by type: blocks" TYPE <<'END'
+400 grown malloc
END
hasnt "... and no other table" out '^CHANGES BY (FUNCTION|CHAIN|SIZE)'

# The rows and what is left out add up to the total.
run "$mprof" diff --by=function --max=2 before.data after.data
is "what is left out is said" "$(grep ' left out' out)" "2 functions left out: +500 bytes"
same "... and the largest are shown" FUNCTION <<'END'
-2100 shrunk shrunk
+2000 new fresh
END
run "$mprof" diff --by=function --min=2000 before.data after.data
is "--min: of which size" "$(grep ' left out' out)" "2 functions of less than 2,000 bytes left out: +500 bytes"

# ------------------------------------------------------------------ a part
run "$mprof" diff --function='^(grown|fresh)$' --by=function before.data after.data
same "--function" FUNCTION <<'END'
+1500 grown grown
+2000 new fresh
END
has "... says so" out '^Shown +only what was allocated of --function='
run "$mprof" diff --function=nobody before.data after.data
is "a part that is nothing" "$status $(cat err)" "1 mprof: --function=nobody: nothing of it was allocated"

# ------------------------------------------ what a compiler has made two functions of
# Debug information shows that gcc inlined the test into a caller. Without it, only the split-off part is visible.
for how in -O -g; do
    # shellcheck disable=SC2086
    {
        $cc $flags $how -O0 -o whole "$src/tests/programs/split.c"
        $cc $flags $how -O2 -o split "$src/tests/programs/split.c"
    }
    if ! nm split | grep -q ' t many\.part\.0$'; then
        skip "a part of a function: $how" "$cc -O2 does not split many()"
        continue
    fi
    profile whole.data ./whole
    profile split.data ./split
    run "$mprof" diff whole.data split.data
    is "a part of a function, $how: as before" "$status $(rows FUNCTION)$(rows CHAIN)" "0 "
    has "... its chains are one" out ' \(2 chains as before\)$'
done

# ------------------------------------------- a library that has another version
cat >part.c <<'END'
#include <stdlib.h>
void *volatile sink;
static void helper(void) { sink = malloc(SIZE); }
void part(void) { helper(); sink = NULL; }
END
cat >whole.c <<'END'
void part(void);
static void helper(void) { part(); }
int main(void) { helper(); return 0; }
END
for version in 1 2; do
    # shellcheck disable=SC2086
    {
        $cc $flags -g -O1 -fno-inline -shared -fPIC -DSIZE=${version}00 -Wl,-soname,libpart.so.$version \
            -o libpart.so.$version part.c
        $cc $flags -g -O1 -fno-inline -o whole$version whole.c ./libpart.so.$version
    }
    LD_LIBRARY_PATH=. profile part$version.data ./whole$version
done
run "$mprof" diff --by=function,chain,module part1.data part2.data
same "a library is the same in another version" MODULE <<'END'
+100 grown libpart.so
END
same "two functions of one name are told apart" CHAIN <<'END'
+100 grown || > main > helper@whole.c > part > helper@part.c
END

# --------------------------------------------------------------- several runs
for i in 1 2 3; do
    profile "few$i.data" ./before "$((9 + i))"
    profile "more$i.data" ./before "$((29 + i))"
    profile "near$i.data" ./before "$((10 + i))"
done
run "$mprof" diff --by=function few1.data few2.data few3.data -- more1.data more2.data more3.data
same "medians of three runs" FUNCTION <<'END'
+1000 grown grown
-1400 shrunk shrunk
END
has "... and the noise" out '^ *\+1000 +100 .* grown +grown$'
has "... whose rule is said" out '^Noise +medians of 3 and 3 runs; in 1 of 10 rows or fewer'
run "$mprof" diff --by=function --before=few1.data --after=near1.data --before=few2.data --after=near2.data \
    --before=few3.data --after=near3.data
has "within the noise" out '^ *\+50 .* grown +within the noise +grown$'
hasnt "... nothing is said to have grown" out '^Grown:'
has "... but that" out '^The difference of 2 chains \(\+50, -70\) is within the noise between runs of one side\.$'

# -------------------------------------------------------------------- moments
profile costs.data "$programs/costs"
kept=$(total kept costs.data)
says "from nothing to the end: status" "0 " "$mprof" diff --by=function costs.data@start costs.data@end
has "... is what was kept" out "^bytes alive +0 +$kept +\\+$kept"
rows FUNCTION >first
run "$mprof" diff --by=function costs.data --from=start --to=end
same "--from, --to are the same" FUNCTION <first
refuses "no such moment" 1 '^mprof: ' "$mprof" diff costs.data@nowhere costs.data
cp costs.data odd@name
run "$mprof" diff --by=function odd@name costs.data
is "a file goes before a moment" "$status $(grep -cE ' (new|gone|grown|shrunk) ' out)" "0 0"
run "$mprof" diff costs.data@start.. costs.data
has "a time and all are not the same figures" out \
    '^Not comparable +before a part of the time, after all that was recorded'

# -------------------------------------------------------------- not comparable
MPROF_DEPTH=2 profile shallow.data ./before 10
prints "depth" '^Not comparable +before whole chains, after the last 2 callers; ' "$mprof" diff before.data shallow.data
MPROF_SAMPLE=1024 profile sampled.data ./before 10
run "$mprof" diff -v --by=function before.data sampled.data
has "exact and sampled" out '^Estimates +before exact, after one sample for each 1024 bytes; '
has "... what is allocated in all is exact all the same" out '^bytes allocated +([0-9]+) +\1 +0 '

# ---------------------------------------------------------------------- noise
if need python3; then
    cat >sets.py <<'END'
import sys
names = {"name%d" % (i * 7919) for i in range(int(sys.argv[1]))}
print(len(sorted(names)), hash("a") & 1)
END
    for seed in 1 2 3; do
        PYTHONHASHSEED=$seed profile "old$seed.data" "$python" sets.py 3000
        PYTHONHASHSEED=$((seed + 10)) profile "again$seed.data" "$python" sets.py 3000
        PYTHONHASHSEED=$((seed + 20)) profile "large$seed.data" "$python" sets.py 6000
    done
    run "$mprof" diff --by=function old1.data old2.data old3.data -- large1.data large2.data large3.data
    has "python: twice as many names exceed the noise of hash seeds" out \
        '^The sum of bytes allocated grew by [0-9,]+ \([0-9.]+ %\), from [0-9,]+ to [0-9,]+\.$'
    run "$mprof" diff -v --by=function old1.data old2.data old3.data -- again1.data again2.data again3.data
    is "python: the same program again: status" "$status" 0
    # By chance a few rows exceed the noise, as the head says. Their sum is a small part of all bytes.
    awk '/^ *[+-][0-9]+ .* (new|gone|grown|shrunk) / && !/within the noise/ { sum += $1 < 0 ? -$1 : $1 }
        $1 == "bytes" && $2 == "allocated" { all = $3 }
        END { print (all > 0 && sum * 50 < all ? "small" : "large: " sum " of " all) }' out >sum
    is "... what exceeds the noise is less than 2 %" "$(cat sum)" small
else
    skip "noise" "$missing"
fi

# ------------------------------------------------------------- real programs
if need perl; then
    for n in 1000 2000; do
        # shellcheck disable=SC2016
        profile "perl$n.data" perl -e 'my %h; $h{$_} = "x" x 100 for 1 .. $ARGV[0]; print scalar keys %h' "$n"
    done
    says "perl: status" "0 " "$mprof" diff perl1000.data perl2000.data
    more=$(($(total bytes perl2000.data) - $(total bytes perl1000.data)))
    has "... the total is that of the files" out "^ *\\+$more .* <TOTAL>\$"
    run "$mprof" diff -v --by=function perl1000.data perl2000.data
    is "... and rows add up to it" \
        "$(awk '/ (new|gone|grown|shrunk) / && /^ *[+-][0-9]/ { sum += $1 } END { printf "%d", sum }' out)" "$more"
    returns "different programs: status" 0 "$mprof" diff --by=function perl1000.data before.data
else
    skip "real programs" "$missing"
fi

# ----------------------------------------------------------------------- JSON
if "$python" -c 'import jsonschema' 2>/dev/null; then
    n=0
    # json OPTION... FILE...: writes one more document, and validates it.
    json()
    {
        n=$((n + 1))
        "$mprof" diff --json -o "$n.json" "$@" 2>err || echo "failed: $*" >>err
        ok "JSON: $*" "$python" -B "$src/tests/e2e/diff_json.py" "$src/doc/mprof-diff.schema.json" "$n.json"
        empty "... without complaint" err
    }
    json --by=all before.data after.data
    json --by=all --max=2 before.data after.data
    json --by=all -v few1.data few2.data few3.data -- more1.data more2.data more3.data
    json --by=all before.data sampled.data
    json --by=all costs.data --to=end
    json --by=all --cost=allocs --function=grown before.data after.data
    json before.data before.data
    "$python" -c '
import json
rows = json.load(open("1.json"))["tables"]["function"]["rows"]
for row in rows:
    if row["values"]["became"]:
        print("%+d" % row["values"]["change"], row["values"]["became"], row["values"]["function"]["function"])
' | LC_ALL=C sort >got
    printf '%s\n' "+1500 grown grown" "+2000 new fresh" "-1000 gone gone" "-2100 shrunk shrunk" | LC_ALL=C sort >expected
    ok "JSON: what became of functions" cmp got expected
else
    skip "JSON" "python3-jsonschema is not installed"
fi

# ----------------------------------------------------------------------- page
run "$mprof" diff --html before.data after.data
is "--html: what it wrote" "$status $(cat err)$(cat out)" "0 mprof: diff.html"
run "$mprof" diff --html -o page.html before.data after.data
is "--html -o: nothing to say" "$status $(cat err)$(cat out)" "0 "
ok "... the same page" cmp diff.html page.html
"$mprof" diff --html -o - before.data after.data >out
ok "... on standard output, too" cmp out page.html
has "without scripts it has the text" page.html '^The function that changed most by itself is shrunk: -2,100 '
run "$mprof" diff --html --json before.data after.data
is "--html --json" "$status $(cat err)" "2 mprof: --json and --html cannot be combined; see mprof diff --help"

# ---------------------------------------------------------------------- files
run "$mprof" diff -o new.txt before.data after.data
is "-o: status" "$status $(cat err)$(cat out)" "0 "
has "... has it" new.txt '^CHANGES BY FUNCTION'
says "one file" "2 mprof: before.data: no file to compare it with is given; see mprof diff --help" "$mprof" diff before.data
says "no file" "2 mprof: no files to compare are given; see mprof diff --help" "$mprof" diff
says "three files" "2 mprof: 3 files: write -- between the files before and the files after; see mprof diff --help" \
    "$mprof" diff before.data after.data before.data
says "an unknown table" "2 mprof: --by=colour: function, chain, type, module, size or all; see mprof diff --help" \
    "$mprof" diff --by=colour before.data after.data
refuses "a cost that is not known of a part" 2 '^mprof: ' "$mprof" diff --cost=peak before.data@start.. after.data
head -c 100 before.data >cut.data
refuses "a damaged file: one line" 1 '^mprof: cut.data' "$mprof" diff -o kept.txt before.data cut.data
ok "... and nothing is written" test ! -e kept.txt
refuses "... a page: status" 1 '^mprof: ' "$mprof" diff --html -o kept.html before.data cut.data
ok "... nor is that written" test ! -e kept.html
refuses "no such file: one line" 1 '^mprof: .*nowhere.data' "$mprof" diff before.data nowhere.data
for file in "$src"/tests/data/*.data; do
    run "$mprof" diff --by=all "$file" "$file"
    is "$(basename "$file") does not differ from itself" \
        "$status $(grep -cE ' (new|gone|grown|shrunk) +[^ ]' out)" "0 0"
done
plan
# SPDX-License-Identifier: MIT
