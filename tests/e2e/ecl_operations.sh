#!/bin/sh
# Functions of libecl without function objects are shown by the names of the Lisp operations that they belong to.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

table=$src/reporter/symbols/lisp_operations.def
sed -n 's/^\(OPERATION\|PRIMITIVE\)("\([^"]*\)".*/\2/p' "$table" | LC_ALL=C sort >known
is "each function is in the table once" "$(uniq -d known)" ""

# Exported functions that call an allocator of libgc or ECL directly, except those with function objects. They call each
# other through the procedure linkage table. Bignums are made in registers and copied.
libecl=$(ldd "$ecl" | awk '$1 ~ /^libecl/ { print $3 }')
if ! need objdump; then
    skip "each allocating function of libecl is known" "$missing"
elif [ -z "$libecl" ] || [ "$(uname -m)" != x86_64 ]; then
    skip "each allocating function of libecl is known" "libecl is not shared, or the code of another machine"
else
    objdump -d "$libecl" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); sub(/@.*/, "", name) }
        /(call|jmp) .*<(GC_malloc[a-z_]*|ecl_(alloc|make|cons|list1|array_allocself)[a-z0-9_]*|_ecl_big_[a-z_]*)@plt>/ {
            if (name ~ /^(_ecl|ecl|cl_)_/)
                print name
        }' | LC_ALL=C sort -u >allocating
    at_least "allocating functions of libecl" "$(wc -l <allocating)" 100
    is "each is known" "$(LC_ALL=C comm -23 allocating known)" ""
fi

# The Lisp names that mprof shows are those of functions of ECL.
sed -n 's/^OPERATION("[^"]*", "\(.*\)")$/\1/p' "$table" | sort -u >names
cat >check.lisp <<'EOF'
(with-open-file (in "names")
  (loop for name = (read in nil)
        while name unless (or (fboundp name)) do (format t "~s~%" name)))
EOF
is "each name is that of a function or macro" "$("$ecl" --norc --shell check.lisp 2>&1)" ""

cat >operations.lisp <<'EOF'
(defvar *kept* '())
(declaim (notinline appends multiplies adds divides reads conses))
(defun appends (list) (append list list))
(defun multiplies (n) (* n n))
(defun adds (n) (+ n n))
(defun divides (n) (/ n 7))
(defun prints (n) (princ-to-string n))
(defun conses (n) (cons n n))
(defun all (n)
  (push (list (appends '(1 2)) (multiplies n) (adds n) (divides n) (prints n) (conses n)) *kept*))
EOF
cat >operations-run.lisp <<'EOF'
(load "operations.fas")
(dotimes (i 100) (all (+ i (expt 10 30))))
(ext:quit 0)
EOF
ok "compile" "$ecl" --norc --eval '(progn (compile-file "operations.lisp") (ext:quit 0))'
lisp operations.mprof operations-run.lisp
is "status" "$status" 0

# innermost FUNCTION TYPE: prints what FUNCTION calls to allocate objects of TYPE.
innermost()
{
    "$mprof" report --lisp -v --table=sites --chain=all operations.mprof |
        sed -n "s/^ *[0-9].* $2  *\(.*\)$1 < ALL .*/[\1]/p" | sort -u | tr -d '\n'
}
is "APPEND" "$(innermost APPENDS CONS)" "[APPEND < ]"
is "* is one function, whatever libecl calls for it" "$(innermost MULTIPLIES BIGNUM)" "[* < ]"
is "+" "$(innermost ADDS BIGNUM)" "[+ < ]"
is "/" "$(innermost DIVIDES RATIO)" "[/ < ]"
is "a string of the printer" "$(innermost PRINTS STRING)" \
    "[MAKE-ARRAY < MAKE-STRING-OUTPUT-STREAM < PRINC-TO-STRING < ][SUBSEQ < COPY-SEQ < GET-OUTPUT-STREAM-STRING < ]"
is "an allocator of one type stays hidden" "$(innermost CONSES CONS)" "[]"
is "the function is charged" \
    "$("$mprof" report --lisp -v --table=function-types operations.mprof | awk '$NF == "APPENDS" { print $(NF - 1) }')" CONS
for frames in c all; do
    "$mprof" export -F chains --lisp --frames=$frames operations.mprof >$frames.chains
done
ok "C names" grep -qE ';ecl_append(;|$)' c.chains
ok "all names" grep -qE ';MULTIPLIES;\*(;|$)' all.chains

plan
# SPDX-License-Identifier: MIT
