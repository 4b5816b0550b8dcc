#!/bin/sh
# Which parts of mprof work with an ECL, and whether the report says what does not work. Everything must work with the
# ECL for which mprof was built; make check-ecls tries others.
#
# ECL_TRIED     another ECL, whose files are in ECLDIR
# ECL_ROW       a file for the row of the table: the name of the runtime in the report, then yes or no for each column
# ECL_EMBEDDED  programs of tests/ecl/embed.c that contain this ECL
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"
ecl=${ECL_TRIED:-$ecl}

# No compiled file is loaded, because an ECL inside of a program may be unable to load one.
cat >work.lisp <<'END'
(defstruct point x y)
(defclass thing () ((a :initform 1) (b :initform 2)))
(defvar *points* '())
(defun make-points (n) (dotimes (i n) (push (make-point :x i) *points*)))
(defun make-things (n) (dotimes (i n) (make-instance 'thing)))
(defun make-tables (n) (dotimes (i n) (make-hash-table :size 1000)))
(defun make-doubles (n) (dotimes (i n) (float i 1d0)))
(make-points 100000)
(print (length *points*))
(make-things 10000)
(make-tables 100)
(make-doubles 1000000)
#+threads (mp:process-join (mp:process-run-function "worker" #'make-tables 10))
(si::gc t)
(ext:quit 0)
END
"$mprof" run -o any.mprof -- "$ecl" --norc --shell work.lisp >"$tmp/out" 2>"$tmp/err" </dev/null
is "status" "$?" 0
has "output" "$tmp/out" '^100000'
"$mprof" --lisp report --no-pager any.mprof >report 2>&1
runtime=$(sed -n 's/^Runtime  *//p' report)
frames=all lisp_table any.mprof >table

cat >snapshot.lisp <<'END'
(defstruct point x y)
(defvar *points* (loop repeat 1000 collect (make-point)))
(si::gc t)
(ext:quit 0)
END
"$mprof" run -q --heap-every=gc -o snapshot.mprof -- "$ecl" --norc --shell snapshot.lisp >"$tmp/snapshot.log" 2>&1 </dev/null
is "snapshots: status" "$?" 0
snapshot=$(find . -name 'snapshot.mprof.*.heap' | sort -t. -k4n | tail -n 1)

# sum NAME: prints a total, or 0 if it is missing.
sum()
{
    total "$1" any.mprof | sed 's/^no-.*/0/'
}

# share: prints the recorded part of the heap, in thousandths.
share()
{
    awk -v recorded="$(sum lisp-bytes)" -v heap="$(sum heap)" \
        'BEGIN { printf "%.0f\n", (heap > 0 ? 1000 * recorded / heap : 0) }'
}

# Each function returns whether a column of the table is "yes".
hook() { [ "$(share)" -ge 999 ] && [ "$(share)" -le 1001 ] && [ "$(sum dropped)" -eq 0 ]; }
types() { [ "$(objects DOUBLE-FLOAT MAKE-DOUBLES any.mprof)" -ge 999999 ] && [ "$(objects POINT MAKE-POINTS any.mprof)" -ge 100000 ]; }
names() { [ "$(objects POINT MAKE-POINTS any.mprof)" -eq 100000 ] && [ "$(objects THING MAKE-THINGS any.mprof)" -ge 10000 ]; }
owners() { [ "$(lisp_sum 2 MAKE-TABLES any.mprof)" -ge 1600000 ] && [ "$(owned HASH-TABLE)" -ge 1600000 ]; }
threads() { grep -q 'thread worker;.*MAKE-TABLES' table; }
collector() { [ "$(sum lisp-frees)" -ge 900000 ]; }
snapshots() { "$mprof" heap --type=POINT "$snapshot" >heap 2>&1 && grep -qE '(^| )1,000( |$)' heap; }

# owned TYPE: prints the bytes of objects of TYPE, with their data, that were made in MAKE-TABLES.
owned()
{
    lisp_table any.mprof | awk -F'\t' -v type="$1" '
        index($1, type) && /MAKE-TABLES/ { split($1, number, " "); sum += number[2] } END { print sum + 0 }'
}

columns='hook types names owners threads collector snapshots'
row=
for column in $columns; do
    answer=no
    ! $column || answer=yes
    row="$row $answer"
    eval "has_$column=\$answer"
done
echo "# $runtime:$row"
[ -z "${ECL_ROW-}" ] || printf '%s\t%s\n' "$runtime" "$(echo "$row" | sed 's/^ //; s/ /\t/g')" >"$ECL_ROW"

case ${ECL_TRIED:+$runtime} in
*', not recorded: '*)
    is "what is not recorded is all" "$row" " no no no no no no no"
    has "the summary says so" "$tmp/err" '^mprof:   not seen: objects of Lisp: .*, not recorded: .*; mprof-lisp\(7\) explains'
    hasnt "the report does not say that there were none" report 'No objects of Lisp were allocated' ;;
*'not known to mprof ('*)
    is "the blocks are recorded, with their end" "$has_hook $has_collector" "yes yes"
    is "no types or names are guessed" "$has_types $has_names $has_owners" "no no no"
    hasnt "nothing has a name of Lisp" table 'MAKE-POINTS' ;;
*'threads not known to mprof')
    is "all else is known" "$has_hook $has_types $has_owners $has_collector" "yes yes yes yes" ;;
*)
    has "the report says which ECL it is" report '^Runtime +ECL ([0-9.]+|in [^ ]+)$'
    is "all of it works" "$row" " yes yes yes yes yes yes yes" ;;
esac

# C programs that contain this ECL: they call Lisp, which calls C.
for program in ${ECL_EMBEDDED-}; do
    name=$(basename "$program")
    "$mprof" run -o embedded.mprof -- "$program" >"$tmp/out" 2>"$tmp/err"
    is "$name: status" "$?" 0
    is "$name: output" "$(cat "$tmp/out")" "done"
    "$mprof" export -F chains --lisp --frames=all embedded.mprof >all
    has "$name: one chain through C, Lisp and C" all 'main;run_lisp;.*;THROUGH-LISP;CALL-BACK;ecl_cons'
    is "$name: conses of the callback" "$(objects CONS CALL-BACK embedded.mprof)" 1000
done
plan
# SPDX-License-Identifier: MIT
