#!/bin/sh
# Objects and bytes of each type are exact. The test compares two recordings of a program, of which the second makes
# twice as many objects, whatever else ECL allocates.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled volume

# by_type FILE: prints "TYPE OBJECTS BYTES" lines, without the allocations of ECL's own thread, which may not have
# begun when the program ends.
by_type()
{
    "$mprof" export -F chains --lisp "$1" | awk -F'\t' '
        index($2, "thread SI:SIGNAL-SERVICING") != 1 {
            n = split($1, column, " ")
            type = column[11]
            for (i = 12; i <= n; i++)
                type = type "-" column[i]
            objects[type] += column[1]
            bytes[type] += column[2]
        }
        END { for (type in objects) print type, objects[type], bytes[type] }' | sort
}

# made WHAT N EXPECTED: tests that N times WHAT allocates EXPECTED, "TYPE OBJECTS BYTES;..."
made()
{
    for times in 1 2; do
        VOLUME_TYPE=$1 VOLUME_COUNT=$(($2 * times)) profile "$tmp/$times.live" \
            "$ecl" --norc --shell volume.fas
        by_type "$tmp/$times.live" >"$tmp/$times"
        rm -f "$tmp/$times.live"
    done
    is "$2 times $1" "$(join "$tmp/1" "$tmp/2" | awk '$4 != $2 || $5 != $3 {
        printf "%s%s %d %d", separator, $1, $4 - $2, $5 - $3; separator = ";" }')" "$3"
}

# Later versions of ECL have larger symbols, and give each symbol a finalizer.
cat >symbol.lisp <<'END'
(defun symbol-size () (ffi:c-inline () () :fixnum "sizeof(struct ecl_symbol)" :one-liner t))
(defun main ()
  (format t "~D000~:[~;;finalizer-in-libgc 1000 48000~]" (* 16 (ceiling (symbol-size) 16))
          (ext:get-finalizer (make-symbol "X"))))
END
printf '(compile-file "symbol.lisp") (load "symbol.fas") (with-open-file (*standard-output* "symbol" :direction :output) (main)) (ext:quit 0)' >main.lisp
"$ecl" --norc --shell main.lisp >"$tmp/log" 2>&1 </dev/null
symbol=$(cat symbol)

made cons 1000 "CONS 1000 16000"
made double 1000 "DOUBLE-FLOAT 1000 16000"
made ratio 1000 "RATIO 1000 32000"
made structure 1000 "POINT 1000 80000"
made instance 1000 "CONS 8000 128000;THING 1000 96000"
made string 1000 "STRING 1000 80000"
made base-string 1000 "BASE-STRING 1000 64000"
made large-string 20 "STRING 20 24000960"
made bignum 1000 "BIGNUM 2000 96000"
made table 1000 "DOUBLE-FLOAT 1000 16000;HASH-TABLE 1000 16528000"
made closure 1000 "CLOSURE 1000 48000;CONS 1000 16000"
made symbol 1000 "BASE-STRING 1000 48000;SYMBOL 1000 $symbol"
made vector 1000 "VECTOR 1000 96000"
made byte-vector 1000 "VECTOR 1000 64000"
made double-vector 1000 "VECTOR 1000 96000"
made adjustable 1000 "VECTOR 1000 96000"
made matrix 1000 "ARRAY 1000 96000"
made bit-vector 1000 "BIT-VECTOR 1000 64000"
made threads 1000 "CONS 4000 64000;POINT 1000 80000;STRING 800 64000"
plan
# SPDX-License-Identifier: MIT
