#!/bin/sh
# An ECL that mprof does not know: blocks are shown by C function, types and names are never wrong, and the report
# says so.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# A libecl in which the size of symbols cannot be found, because its symbol table says that cl_symbols has 8 bytes
# more than it has. The program is unchanged.
real=$(ldd "$ecl" | awk '/libecl\.so\./ { print $3 }')
name=$(readelf -dW "$ecl" | sed -n 's/.*NEEDED.*\[\(libecl\.so\.[^]]*\)\].*/\1/p')
ok "ecl needs a libecl: $name" test -n "$name"
mkdir other
cp "$real" "other/$name"
start=$(readelf -SW "$real" | awk '{ for (i = 1; i < NF; i++) if ($i == ".dynsym") print $(i + 3) }')
number=$(readelf --dyn-syms -W "$real" | awk '$NF == "cl_symbols" { print $1 + 0 }')
at=$((0x$start + 24 * number + 16))
size=$(od -An -tu1 -j $at -N 1 "$real")
# shellcheck disable=SC2059
printf "\\$(printf %o $(((size + 8) % 256)))" | dd of="other/$name" bs=1 seek=$at conv=notrunc 2>/dev/null

cat >work.lisp <<'END'
(defun make-list-of (n) (let ((l '())) (dotimes (i n l) (push (float i 1d0) l))))
(print (length (make-list-of 1000000)))
(si::gc t)
(ext:quit 0)
END
env LD_LIBRARY_PATH="$tmp/other" "$mprof" run -o unknown.mprof -- "$ecl" --norc --shell work.lisp >"$tmp/out" 2>"$tmp/err" </dev/null
is "status" "$?" 0
has "output" "$tmp/out" '^1000000'
"$mprof" --lisp report --no-pager unknown.mprof >report
is "report: status" "$?" 0
has "the report says that it is not known" report "^Runtime +ECL, not known to mprof \($name\): no types, no Lisp names\$"
exact_heap "unknown" unknown.mprof
is "nothing was dropped" "$(total dropped unknown.mprof)" 0
is "no chain was cut" "$(total cut unknown.mprof)" 0

lisp_table unknown.mprof >table
# of FUNCTION KIND: prints how many objects of KIND the C function FUNCTION allocated directly.
of()
{
    awk -F'\t' -v kind="$2" -v name="$1" '
        index($1, kind) && $2 ~ ("(^|;)" name "$") { split($1, column, " "); sum += column[1] }
        END { print sum + 0 }' table
}
at_least "conses, by the function of libecl" "$(of ecl_cons 'block with pointers')" 1000000
at_least "double floats are blocks without pointers" \
    "$(of ecl_alloc_object 'block without pointers')" 1000000
is "no type of Lisp: blocks, and what libgc has for itself" "$(awk -F'\t' '{ n = split($1, column, " ")
    if (column[11] != "block" && column[11] != "uncollectable" && $1 !~ / in libgc| of libgc/) print }' table | wc -l)" 0
hasnt "no name of Lisp" table 'MAKE-LIST-OF'
at_least "collected" "$(total lisp-frees unknown.mprof)" 1

# The name of the library, and the version that it states, do not matter: names in the program are replaced by others
# of the same length.
mkdir renamed
case $name in
libecl.so.??.?) renamed=libecl.so.99.9 ;;
*) renamed=libecl.so.99.99 ;;
esac
cp "$real" "renamed/$renamed"
sed "s/$name/$renamed/" "$ecl" >renamed/ecl
chmod +x renamed/ecl
env LD_LIBRARY_PATH="$tmp/renamed" \
    ECLDIR="$("$ecl" --norc --eval '(progn (princ (translate-logical-pathname "SYS:")) (ext:quit))')" \
    "$mprof" run -o renamed.mprof -- renamed/ecl --norc --shell work.lisp >"$tmp/out" 2>"$tmp/err" </dev/null
"$mprof" --lisp report --no-pager renamed.mprof >report
has "another version of a known layout is known" report "^Runtime +ECL ${renamed#libecl.so.}\$"
has "with its names" report 'MAKE-LIST-OF'

# A libecl with valid symbols, but another object is invalid: a package has another name.
mkdir differs
LC_ALL=C sed 's/COMMON-LISP-USER/COMMON-LISP-UZER/g' "$real" >"differs/$name"
env LD_LIBRARY_PATH="$tmp/differs" "$mprof" run -o differs.mprof -- "$ecl" --norc --shell work.lisp >"$tmp/out" 2>"$tmp/err" </dev/null
is "objects that are others: status" "$?" 0
has "objects that are others: output" "$tmp/out" '^1000000'
"$mprof" --lisp report --no-pager differs.mprof >report
has "objects that are others: the report says so" report \
    "^Runtime +ECL, not known to mprof \($name\): no types, no Lisp names\$"
exact_heap "objects that are others" differs.mprof

# A program that contains ECL and libgc and has no symbols, as mprof would see it, and one that only calls functions
# of these names.
cat >inside.c <<'END'
#include <math.h>
#include <stdio.h>

const char *const texts[] = { TEXTS };

int
main(int argc, char **argv)
{
    printf("%s %f\n", texts[argc - 1], (double)(coshf((float)argc) + sinhf((float)argc)));
    return !argv[0];
}
END
ok "a program with the texts of ECL" ${CC:-cc} -s -o inside inside.c -lm \
    '-DTEXTS="COMMON-LISP-USER", "\n;;; Unhandled lisp initialization error"'
"$mprof" run -o inside.mprof ./inside >"$tmp/out" 2>"$tmp/err"
is "ECL that cannot be recorded: status" "$?" 0
has "ECL that cannot be recorded: output" "$tmp/out" '^COMMON-LISP-USER'
missing='ECL in inside, not recorded: it contains libgc and is stripped'
has "the summary says so" "$tmp/err" "^mprof:   not seen: objects of Lisp: $missing; mprof-lisp\(7\) explains what to do\$"
"$mprof" report --no-pager inside.mprof >report
has "and so does the head" report "^Runtime +$missing\$"
"$mprof" --lisp report --no-pager inside.mprof >report
has "and so do the tables" report "^No objects of Lisp were recorded: the program has $missing\.\$"
ok "a program without them" ${CC:-cc} -s -o outside inside.c -lm '-DTEXTS="COMMON-LISP-USER"'
"$mprof" run -o outside.mprof ./outside >"$tmp/out" 2>"$tmp/err"
"$mprof" --lisp report --no-pager outside.mprof >report
has "has no runtime" report '^Runtime +none$'

# ECL is loaded at run time by a program that is not ECL: the report says what was not recorded.
if [ -x /usr/bin/python3 ]; then
    "$mprof" run -o late.mprof -- /usr/bin/python3 -c '
import ctypes, sys
ecl = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
arguments = (ctypes.c_char_p * 2)(b"ecl", None)
ecl.cl_boot(1, arguments)
print("booted")' "$real" >"$tmp/out" 2>"$tmp/err"
    has "ECL in a program that loads it late" "$tmp/out" '^booted'
    "$mprof" --lisp report --no-pager late.mprof >report
    has "the head says that it was not recorded" report "^Runtime +$name.*, not recorded\$"
    has "and so do the tables" report "^No objects of Lisp were recorded: the program has $name.*, not recorded\\.\$"
else
    skip "ECL in a program that loads it late" "there is no python3"
fi
plan
# SPDX-License-Identifier: MIT
