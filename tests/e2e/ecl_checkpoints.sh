#!/bin/sh
# Checkpoints of a Lisp program, and its collections.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cp "$src/tests/ecl/checkpoints.lisp" . || exit 99
returns "compile" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" \
    --eval '(progn (compile-file "checkpoints.lisp") (print (mprof:checkpoint "nothing")) (ext:quit 0))'
has "without a recording it says NIL" out '^NIL'
returns "status" 0 "$mprof" run -o lisp.data -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell checkpoints.fas
has "what is no name is refused" out '^refused$'

# between FROM TO TYPE FUNCTION: prints how many objects were made between two checkpoints, and by how many the live
# objects grew.
between()
{
    "$mprof" export -F chains --lisp --from="$1" --to="$2" lisp.data | awk -F'\t' -v type="$3" -v name="$4" '
        { n = split($1, column, " ") }
        column[11] == type && index(";" $2 ";", ";" name ";") { made += column[1]; more += column[6] }
        END { print made + 0, more + 0 }'
}

is "before" "$(between start begin NODE FIRST-PHASE)" "0 0"
is "the first phase" "$(between begin MIDDLE NODE FIRST-PHASE)" "1000 1000"
is "... and no other object" "$("$mprof" export -F chains --lisp --from=begin --to=MIDDLE lisp.data | awk -F'\t' '
    index(";" $2 ";", ";FIRST-PHASE;") { n = split($1, column, " "); sub(/.*;FIRST-PHASE/, "FIRST-PHASE", $2)
        if (column[1] > 0) print column[1], column[11], $2 }' | sort)" "1000 CONS FIRST-PHASE
1000 NODE FIRST-PHASE;MAKE-NODE;SI:MAKE-STRUCTURE"
is "... and nothing of the second" "$(between begin MIDDLE CONS SECOND-PHASE)" "0 0"
is "the second phase" "$(between MIDDLE 'end of it' CONS SECOND-PHASE)" "600 600"
gone=$(between MIDDLE 'end of it' NODE FIRST-PHASE)
is "... nothing of the first is made" "${gone% *}" 0
at_most "... and it died" "${gone#* }" -900
euros=$(printf '\342\202\254%.0s' 1 2 3 4 5)
run "$mprof" export -F chains --at="$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros$euros" lisp.data
is "a name that is too long ends with a whole character" "$status" 0
returns "the report" 0 "$mprof" report --no-pager --lisp --from=MIDDLE --to='end of it' lisp.data
has "... by type: what died" out ' NODE$'
hasnt "... no table of survival" out 'SURVIVAL'

# Other outputs of a window: findings, exports, the flame graph, the page.
is "findings: where bignums were made" "$(rules lisp.data --lisp --from=quiet --to=mixed)" "bignums MIX"
is "... and where none were" "$(rules lisp.data --lisp --from=mixed --to='quiet again')" ""
"$mprof" findings --lisp --from=quiet --to=mixed lisp.data >out
has "... with the moments" out 'Between checkpoint quiet \([0-9.]+ s\) and checkpoint mixed \([0-9.]+ s\): MIX .*makes [0-9,]+ bignums'
returns "annotate: status" 0 "$mprof" annotate --no-pager --lisp --from=begin --to=MIDDLE first-phase lisp.data
has "annotate: the form, and what grew" out '^ *[0-9]+ +\([0-9]+\) +[0-9]+ +2000 +[0-9]+ +[0-9]+ \(defun first-phase'
run "$mprof" annotate --no-pager --lisp --from=MIDDLE --to='end of it' first-phase lisp.data
has "annotate: what died" out ' -[0-9]+ +[0-9]+ \(defun first-phase'
run "$mprof" flamegraph -o lisp.svg --lisp --cost=kept --root='^FIRST-PHASE$' --from=MIDDLE --to='end of it' lisp.data
is "flame graph: status" "$status" 0
has "flame graph: what died" lisp.svg '>− FIRST-PHASE<'
returns "page: status" 0 "$mprof" html -o lisp.html --lisp --from=MIDDLE --to='end of it' lisp.data
has "page: its tables are of the part" lisp.html '(^|>)Only what happened between checkpoint MIDDLE '

# Each collection is part of one mark, however many collections there are.
in_head=$("$mprof" report --no-pager --lisp --table=flat lisp.data | awk '$1 == "Collections" { print $2 }' | tr -d ,)
at_least "collections" "$in_head" 600
"$mprof" plot -o lisp.svg lisp.data
grep -o '<title>collection [^<]*' lisp.svg >marks
at_most "marks of them are bounded" "$(wc -l <marks)" 512
is "they add up" "$(awk '{ gsub(/[(]/, ""); n += /together/ ? $3 : 1 } END { print n }' marks)" "$in_head"
has "they say how many they are" marks '^<title>collection full \(2 together\), after '
has "what lived" marks ': [0-9.]+ .?B, [0-9.]+ .?B afterwards'
plan
# SPDX-License-Identifier: MIT
