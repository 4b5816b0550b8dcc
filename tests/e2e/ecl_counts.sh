#!/bin/sh
# Objects and bytes of each type are exact. The test compares two recordings of a program, of which the second makes
# twice as many objects, whatever else ECL allocates.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled volume

# by_type FILE FUNCTION: prints "TYPE OBJECTS BYTES" lines of what FUNCTION allocated, or all functions if FUNCTION is
# empty. Omits the allocations of ECL's own thread, which may not have begun when the program ends.
by_type()
{
    awk -F'\t' -v name="$2" '
        index($2, "thread SI:SIGNAL-SERVICING") != 1 && (name == "" || index(";" $2 ";", ";" name ";")) {
            n = split($1, column, " ")
            type = column[11]
            for (i = 12; i <= n; i++)
                type = type "-" column[i]
            objects[type] += column[1]
            bytes[type] += column[2]
        }
        END { for (type in objects) print type, objects[type], bytes[type] }' "$1" | sort
}

# more FUNCTION: prints what FUNCTION allocated in the second program and not in the first, "TYPE OBJECTS BYTES;..."
more()
{
    by_type "$tmp/1.chains" "$1" >"$tmp/1"
    by_type "$tmp/2.chains" "$1" >"$tmp/2"
    join "$tmp/1" "$tmp/2" | awk '$4 != $2 || $5 != $3 {
        printf "%s%s %d %d", separator, $1, $4 - $2, $5 - $3; separator = ";" }'
}

# made N: reads lines "WHAT EXPECTED". Tests in one program that calls MAKE-WHAT-OBJECTS with N for each line, that each
# of these functions allocates EXPECTED, and that the whole program allocates their sum.
made()
{
    cat >expected
    for times in 1 2; do
        VOLUME_TYPE=$(cut -d' ' -f1 expected | tr '\n' ' ') VOLUME_COUNT=$(($1 * times)) \
            profile "$tmp/$times.live" "$ecl" --norc --shell volume.fas
        is "$(($1 * times)) objects of each type: status" "$status" 0
        "$mprof" export -F chains --lisp "$tmp/$times.live" >"$tmp/$times.chains"
        rm -f "$tmp/$times.live"
    done
    [ "$(wc -l <expected)" -eq 1 ] || while read -r what must_be; do
        is "$1 times $what" "$(more "MAKE-$(echo "$what" | tr a-z A-Z)-OBJECTS")" "$must_be"
    done <expected
    is "$1 times $(head -n 1 expected | cut -d' ' -f1) ..., and nothing else" "$(more '')" "$(cut -d' ' -f2- expected | tr ';' '\n' | awk '
        { objects[$1] += $2; bytes[$1] += $3 }
        END { for (type in objects) print type, objects[type], bytes[type] }' | sort | paste -s -d ';')"
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

made 1000 <<END
cons CONS 1000 16000
double DOUBLE-FLOAT 1000 16000
ratio RATIO 1000 32000
structure POINT 1000 80000
instance CONS 8000 128000;THING 1000 96000
string STRING 1000 80000
base-string BASE-STRING 1000 64000
bignum BIGNUM 2000 96000
table DOUBLE-FLOAT 1000 16000;HASH-TABLE 1000 16528000
closure CLOSURE 1000 48000;CONS 1000 16000
symbol BASE-STRING 1000 48000;SYMBOL 1000 $symbol
vector VECTOR 1000 96000
byte-vector VECTOR 1000 64000
double-vector VECTOR 1000 96000
adjustable VECTOR 1000 96000
matrix ARRAY 1000 96000
bit-vector BIT-VECTOR 1000 64000
END
made 20 <<END
large-string STRING 20 24000960
END
made 1000 <<END
threads CONS 4000 64000;POINT 1000 80000;STRING 800 64000
END
plan
# SPDX-License-Identifier: MIT
