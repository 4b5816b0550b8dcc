#!/bin/sh
# Sampled recordings of ECL: objects are samples, too. Their number and bytes by built-in type stay exact, estimates are
# marked, and their intervals are right.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

module=$top/lisp/mprof.fas
cp "$src/tests/ecl/sampled.lisp" .
returns "compile" 0 "$ecl" --norc --load "$module" --eval '(progn (compile-file "sampled.lisp") (ext:quit 0))'

# runs PREFIX COUNT [SAMPLE]: makes COUNT recordings of the same work, from a fixed seed, in one ECL.
runs()
{
    echo "(load \"$module\") (load \"sampled.fas\") (sampled:run \"$1\" $2 ${3:-}) (ext:quit 0)" >run.lisp
    MPROF_SAMPLE_SEED=1988 run "$ecl" --norc --shell run.lisp
}

runs exact 1
is "exact: status" "$status" 0
runs sampled 100 4096
is "sampled: status" "$status" 0
runs every 1 1
is "every object is a sample: status" "$status" 0
# The first command that reads a recording may seal it.
for name in sampled.1 exact.1; do
    cp "$name" "live-$name"
done
# live COMMAND ARGUMENT...: runs the command on a copy of sampled.1 in the live form.
live()
{
    cp live-sampled.1 live-copy
    "$@" live-copy
}
is "exact: nothing is sampled" "$(total sample-period exact.1)" no-sample-period
is "sampled: as asked" "$(total sample-period sampled.1)" 4096

# ------------------------------------------------------------------ what is exact

for name in lisp-objects lisp-bytes; do
    "$mprof" totals exact.1 | grep "^$name " >truth
    for i in 1 2 3 50 100; do
        "$mprof" totals "sampled.$i" | grep "^$name" >got
        is "run $i: $name is exact" "$(cat got)" "$(cat truth)"
    done
done
# of_types FILE: prints the objects of each built-in type, and the bytes of conses and floats, from table 1.
of_types()
{
    "$mprof" report -verbose --table=types "$1" | awk '
        $NF ~ /^(CONS|DOUBLE-FLOAT|STRUCTURE|INSTANCE|VECTOR|STRING|CLOSURE|<TOTAL>)$/ {
            print $NF, $1, $NF ~ /^(CONS|DOUBLE-FLOAT|<TOTAL>)$/ ? $2 : "" }' | sort
}
of_types exact.1 >truth
at_least "types" "$(wc -l <truth)" 8
has "conses, with those of instances" truth '^CONS 1[0-9]{4} [0-9]+'
has "structures" truth '^STRUCTURE 2000 '
has "vectors, with those of the large ones" truth '^VECTOR 520 '
for i in 1 2 3; do
    is "run $i: objects by built-in type are exact" "$(of_types "sampled.$i")" "$(cat truth)"
done
returns "part" 0 "$mprof" report -verbose --table=types --focus=SAMPLED::POINTS sampled.1
has "of a part, everything is estimated" "$tmp/out" '^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +\([0-9]+\) .* STRUCTURE$'

# ------------------------------------------------------------------ estimates

# chains FILE: prints lines "TYPE/CHAIN FIGURES" of the test's functions. Figures are objects, bytes, objects and bytes
# collected, objects and bytes kept.
chains()
{
    "$mprof" export -F chains --lisp "$1" | awk -F'\t' '
        match($2, /SAMPLED::[A-Z-]+/) {
            split($1, column, " ")
            chain = substr($2, RSTART)
            gsub(/ /, "_", chain)
            print column[11] "/" chain, column[1], column[2], column[4], column[5], column[6],
                column[7]
        }' | grep -v ' 0 0 0 0 0 0$'
}
chains exact.1 | sort >exact
at_least "exact: functions and types" "$(wc -l <exact)" 10
# An object that is collected one time may be found on the stack another time.
allocated()
{
    cut -d' ' -f1-3 "$1"
}
chains every.1 | sed 's/~[0-9]*//g' | sort >every
is "every object is a sample: as exact" "$(allocated every)" "$(allocated exact)"

# In how many of 100 runs is the truth within the interval? 95 % are 95; 86 allows for chance (four standard deviations).
# The means of the estimates have no bias: they differ from the truth by at most four of their standard deviations.
# Where functions keep nothing and everything is collected, both are compared with all that was allocated.
i=0
while [ $((i += 1)) -le 100 ]; do
    chains "sampled.$i" | sed "s/^/$i /"
done >runs
awk '
    BEGIN { split("objects bytes collected collected-bytes kept kept-bytes", names) }
    FILENAME == "exact" {
        for (f = 1; f <= 6; f++)
            truth[$1 " " names[f]] = $(f + 1)
        # a few objects that a register or the stack still refers to
        few[$1] = $6 < 10 ? $6 : 0
        next
    }
    $2 in few {
        for (f = 1; f <= 6; f++) {
            n = split($(f + 2), part, "~")
            what = $2 " " names[f]
            if ((f > 4 && truth[what] < 1000) || truth[what] == 0)
                continue
            low = n == 1 ? part[1] : part[2]
            high = n == 1 ? part[1] : part[3]
            met[what]++
            sum[what] += part[1]
            squares[what] += (part[1] - truth[what]) ^ 2
            covered[what] += low <= truth[what] * 1.01 && truth[what] * 0.99 <= high
        }
    }
    END {
        for (what in met) {
            missed = 100 - met[what]
            print what, met[what], covered[what] + missed, truth[what], sum[what] / 100,
                sqrt((squares[what] + missed * truth[what] ^ 2) / 100 / 100)
        }
    }' exact runs | sort >figures
at_least "figures" "$(wc -l <figures)" 40
echo "# least covered: $(sort -k4,4n figures | head -1)"
awk '{ n += $4; all += 100 } END { printf "# covered altogether: %.1f %%\n", 100 * n / all }' figures
is "the truth is in the interval, for each figure" "$(awk '$4 < 86' figures)" ""
is "no bias" "$(awk '{ d = $6 - $5; if (d < 0) d = -d; if (d > 4 * $7 + $5 / 100) print }' figures)" ""

# ------------------------------------------------------------------ marks

"$mprof" report --lisp sampled.1 >report
has "head: objects are exact" report '^Objects +[0-9,]+ +[0-9,]+ bytes +\([0-9.]+ .B\)$'
for row in 'By samples' Collected 'Objects kept' 'Not yet examined'; do
    has "head: $row is estimated" report "^$row .*estimated, \+- [0-9,]+ and [0-9,]+ bytes"
done
"$mprof" report --lisp exact.1 >report
hasnt "exact: nothing is estimated" report 'estimated|By samples'
has "exact: what was requested is known" report '^Requested +[0-9,]+ bytes'
"$mprof" report --table=gc,sites,flat sampled.1 >report
has "table 5" report '^ *objects +\+- +bytes +\+- +0 +\(%\)'
has "table 6" report '^ *bytes +\+- +\(%\) +objects +\+- '
"$mprof" totals sampled.1 >totals
for name in lisp-frees lisp-freed lisp-kept-objects lisp-kept lisp-new; do
    has "totals: $name.low" totals "^$name\.low [0-9]+$"
    has "totals: $name.high" totals "^$name\.high [0-9]+$"
done
"$mprof" report --json --lisp sampled.1 >json
has "JSON: estimates" json '"collected_bytes": ?\{"low"'

# ------------------------------------------------------------------ files

# The sealed form has everything, in version 2, which earlier releases refuse. Complete recordings have version 1.
version()
{
    od -An -tu4 -j8 -N4 "$1" | tr -d ' '
}
is "live: version" "$(version live-sampled.1) $(version live-exact.1)" "2 1"
is "sealed: version" "$(version sampled.1) $(version exact.1)" "2 1"
is "sealed: totals" "$("$mprof" totals sampled.1)" "$(live "$mprof" totals)"
is "sealed: chains" "$(chains sampled.1)" "$(live chains)"
is "sealed: types" "$(of_types sampled.1)" "$(live of_types)"
is "sealed: survival" "$("$mprof" report --table=gc sampled.1 | sed '/^MPROF/,$d')" \
    "$(live "$mprof" report --table=gc | sed '/^MPROF/,$d')"

# A header that the program overwrote loses the version, but not that objects are samples.
cp live-sampled.1 damaged
dd if=/dev/zero of=damaged bs=600 count=1 conv=notrunc 2>err
for name in sample-period samples lisp-objects lisp-bytes lisp-frees lisp-kept.high; do
    is "damaged: $name" "$(total "$name" damaged)" "$(total "$name" sampled.1)"
done

# Merged recordings have the sums, also of what is exact. Samples and complete recordings have no sum.
returns "merged" 0 "$mprof" merge -o merged.data sampled.1 sampled.2
is "merged: objects" "$(total lisp-objects merged.data)" $((2 * $(total lisp-objects exact.1)))
is "merged: bytes" "$(total lisp-bytes merged.data)" $((2 * $(total lisp-bytes exact.1)))
is "merged: samples" "$(total samples merged.data)" $(($(total samples sampled.1) + $(total samples sampled.2)))
is "merged: version" "$(version merged.data)" 2
of_types merged.data >got
has "merged: types" got '^STRUCTURE 4000 '
returns "merged with a complete recording" 1 "$mprof" merge -o mixed.data sampled.1 exact.1
returns "merged again, with C's blocks only" 0 sh -c "\"$mprof\" run -q --sample=4096 -o c.data true &&
    \"$mprof\" merge -o again.data merged.data c.data"
is "merged again: objects" "$(total lisp-objects again.data)" $((2 * $(total lisp-objects exact.1)))

# A difference of two recordings of the same work is within the intervals.
returns "diff" 0 "$mprof" diff --lisp sampled.1 sampled.2
returns "diff with a complete recording" 0 "$mprof" diff --lisp exact.1 sampled.1

# ------------------------------------------------------------------ a whole program

# Chains have the names that functions get when they are loaded, although most function objects are no samples.
echo '(load "sampled.fas") (sampled:work) (sampled:in-threads 4) (ext:quit 0)' >program.lisp
for sample in '' --sample=2000; do
    # shellcheck disable=SC2086
    run "$mprof" run $sample -o "program$sample.data" -- "$ecl" --norc --load "$module" --shell program.lisp
    is "program, $sample: status" "$status" 0
    cp "$tmp/err" "summary$sample"
done
has "summary: objects" summary--sample=2000 '^mprof: +of these +[0-9,]+ +[0-9,]+ bytes .* objects of ECL'
names()
{
    "$mprof" export -F chains --lisp "$1" | tr ';\t' '\n\n' | grep -E '^(SAMPLED:|\(METHOD (MAKE|ALLOCATE))' | sort -u
}
names program.data >names
at_least "names" "$(wc -l <names)" 12
is "sampled: the same names" "$(names program--sample=2000.data)" "$(cat names)"
by_thread()
{
    "$mprof" report -verbose --table=types "$1" | awk '$NF == "STRUCTURE" { print $1 }'
}
at_least "threads: structures" "$(by_thread program.data)" 10000
# ECL makes a few structures for its own threads, how many depends on time.
difference=$(($(by_thread program--sample=2000.data) - $(by_thread program.data)))
at_most "threads: structures, sampled" "${difference#-}" 9

# ------------------------------------------------------------------ parts of the time

cat >parts.lisp <<'END'
(load "sampled.fas")
(sampled:in-two-parts)
(ext:quit 0)
END
MPROF_SAMPLE_SEED=1988 run "$mprof" run -q --sample=64 -o parts.data -- "$ecl" --norc --load "$module" --shell parts.lisp
is "parts: status" "$status" 0
part()
{
    "$mprof" export -F chains --lisp "$@" parts.data | awk -F'\t' '
        /SAMPLED::CONSES/ { split($1, column, " "); sub(/~.*/, "", column[1]); sum += column[1] }
        END { print sum + 0 }'
}
all=$(part) before=$(part --to=half) after=$(part --from=half)
echo "# conses: $before before, $after after the checkpoint"
is "parts: they add up" $((before + after)) "$all"
at_least "parts: before" "$before" 8800
at_most "parts: before" "$before" 11200
at_least "parts: after" "$after" 3800
at_most "parts: after" "$after" 6200

# ------------------------------------------------------------------ options

returns "--record needs every object" 2 "$mprof" run --record --sample true
has "--record: said" "$tmp/err" '^mprof: --record cannot be combined with --sample'
plan
# SPDX-License-Identifier: MIT
