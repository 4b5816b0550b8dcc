#!/bin/sh
# Every nth open, mapping, allocation of file space or protection by the monitor fails. The program does not notice,
# and what was recorded can be read. The library is a test build, see runtime/system/fault.h.
. "${srcdir:-.}/tests/e2e/lib.sh"

library=$top/tests/faults/.libs/libmprof-faults.so
hasnt "the installed library has no such switch" "$top/.libs/libmprof.so" 'allocate:'
has "the test build has" "$library" 'allocate:'
is "the kinds of failure below are all that there are" \
    "$(sed -n 's/.*= {"\([a-z]*\):", .*/\1/p' "$src/runtime/system/fault.c" | tr '\n' ' ')" \
    "open map allocate protect trim fork lifetimes "
failed=0

# told TEXT: notes in the file `wrong` that something was wrong.
told()
{
    echo "$kind:$every: $*" >>wrong
}

# once COMMAND...: runs COMMAND with the fault.
once()
{
    rm -f fault.data*
    MPROF_FAULT=$kind:$every
    export MPROF_FAULT
    profile fault.data "$@"
    unset MPROF_FAULT
    [ "$status" = "$bare_status" ] || told "status $status instead of $bare_status"
    cmp -s bare.out out || told "its output is another"
    grep -v '^mprof: ' err | cmp -s bare.err - || told "its errors are others"
    grep '^mprof: ' err >said
    [ "$(wc -l <said)" -le "$lines" ] || told "$(wc -l <said) lines are said"
    failed=$((failed + $(wc -l <said)))
    for file in fault.data*; do
        [ ! -e "$file" ] || "$mprof" totals "$file" >totals 2>&1 || told "$file: $(cat totals)"
    done
}

# same NAME LINES COMMAND...: tests that COMMAND does the same as without mprof, with at most LINES lines from the
# monitor.
same()
{
    name=$1
    lines=$2
    shift 2
    run "$@"
    mv out bare.out
    mv err bare.err
    bare_status=$status
    for kind in open map allocate protect; do
        : >wrong
        for every in $counts; do
            once "$@"
        done
        empty "$name: $kind fails" wrong
        sed 's/^/# /' wrong
    done
}

counts='1 2 3 4 5 6 7 8 9 10 11 13 17 23 31 41 53'
same semantics 1 "$programs/semantics"
same "threads" 1 "$programs/threads" 5000 4
same torture 1 "$programs/torture" 2 3
same "late calls" 1 "$programs/killme" 3000 _exit
counts='1 2 3 5 8 12 20'
# one line for each process
same children 20 "$programs/forker"
same realloc 1 "$programs/realloc"
if need sqlite3; then
    same sqlite3 1 sqlite3 :memory: 'create table t(a, b);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
        insert into t select i, hex(i) from n; select count(*), sum(length(b)) from t;'
else
    skip sqlite3 "$missing"
fi
if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    echo '(defun f (n) (loop repeat n collect (make-array 10)))' >compiled.lisp
    ok "compile" ecl --norc --eval '(ext:quit (if (nth-value 2 (compile-file "compiled.lisp")) 1 0))'
    echo '(defun f (n) (loop repeat n collect (make-array 10))) (print (length (f 20000))) (si::gc t)
(load "compiled.fas") (print (length (f 20000))) (terpri) (ext:quit 3)' >f.lisp
    counts='1 2 3 6 15 40'
    same ECL 10 ecl --norc --shell f.lisp
else
    skip ECL "built without it"
fi
at_least "failures that were said" "$failed" 20
plan
# SPDX-License-Identifier: MIT
