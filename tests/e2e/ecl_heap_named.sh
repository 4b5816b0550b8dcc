#!/bin/sh
# Snapshots of ECL's heap with chosen file names belong to the recording: they get names of functions from it when it
# ends, and are found with it.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

mkdir elsewhere
cat >named.lisp <<'END'
(defstruct point x y)
(defvar *points* '())
(defun points (n) (dotimes (i n) (push (make-point :x i) *points*)))
(points 100)
(mprof:heap-snapshot :file "elsewhere/first.heap")
(points 50)
(mprof:heap-snapshot)
(points 7)
(mprof:heap-snapshot :file "elsewhere/in-place.heap" :fork nil)
(mprof:heap-snapshot :file "elsewhere/other.heap")
(mprof:heap-snapshot :file "elsewhere/gone.heap")
(delete-file "elsewhere/gone.heap")
(ext:system "mv elsewhere/other.heap elsewhere/kept.heap; [ ! -e foreign.heap ] || mv foreign.heap elsewhere/other.heap")
(ext:quit 0)
END
# points FILE: prints how many objects were made in (points), from the snapshot alone.
points()
{
    "$mprof" heap --json --max=all "$1" | jq '[.tables[] | select(.name == "sites").rows[] |
        select(.site | startswith("POINTS ")).objects] | add'
}

"$ecl" --norc --load "$top/lisp/mprof.fas" --eval '(progn (compile-file "named.lisp") (ext:quit 0))' >log 2>&1
says "status" "0 " "$mprof" run -q -o one.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell named.fas
is "beside the recording there is a link to each" "$(for link in one.mprof.*.heap; do
        echo "$link $(readlink "$link" | sed "s|^$tmp/||")" | sed 's/ $//'
    done)" "one.mprof.1.heap elsewhere/first.heap
one.mprof.2.heap
one.mprof.3.heap elsewhere/in-place.heap
one.mprof.4.heap elsewhere/other.heap
one.mprof.5.heap elsewhere/gone.heap"
is "all that are there are a series" "$("$mprof" plot --heaps --data one.mprof | sed -n '/^seconds shallow/,/^$/p' |
    grep -c '^[0-9]')" 3
rm one.mprof
each=$(points elsewhere/in-place.heap)
is "names stay without the recording" "$(points elsewhere/first.heap) $(points one.mprof.2.heap) $each" \
    "$((each * 100 / 157)) $((each * 150 / 157)) $each"
ok "... there are some" test "$each" -ge 157
is "one that was renamed is as it was written" "$("$mprof" heap --json elsewhere/kept.heap | jq -r '.heaps[0].language' |
    cut -c1-4)" "ECL "

# A snapshot of the recording was replaced by that of another recording.
cp elsewhere/kept.heap foreign.heap
rm -r elsewhere/*.heap
sum=$(cksum <foreign.heap)
says "another recording: status" "0 " "$mprof" run -q -o two.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell named.fas
is "... its snapshot in the place of one is not touched" "$(cksum <elsewhere/other.heap)" "$sum"
is "... the others have names" "$(points elsewhere/in-place.heap)" "$each"
plan
# SPDX-License-Identifier: MIT
