#!/bin/sh
# One thread of several: each view, restricted by clicks, has the figures that the report has with --thread.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "$src/tests/html/html_lib.sh"

record threads "$programs/moments_threads"
page threads
record alone "$programs/moments"
page alone
# bytes_of THREAD OPTION... FILE: prints the bytes that THREAD allocated, from the report's head
bytes_of()
{
    thread=$1
    shift
    "$mprof" report --no-pager --terse --thread="$thread" "$@" | sed -n 's/^Only what was allocated.*: \([0-9,]*\) of .*/\1/p' | tr -d ,
}
for thread in main reader writer; do
    bytes_of $thread "$tmp/threads.data"
done >"$tmp/threads.txt"
"$mprof" diff --html -o "$tmp/diff.html" "$tmp/alone.data" "$tmp/threads.data" >"$tmp/diff.out" 2>&1 ||
    echo "# $(cat "$tmp/diff.out")"
lisp=
if grep -q '^#define MP_HAVE_ECL 1' "$top/config.h"; then
    ecl=$(sed -n 's/^ECL = //p' "$top/Makefile")
    cp "$src/tests/ecl/threads.lisp" "$tmp"
    (cd "$tmp" && "$ecl" --norc --eval '(progn (compile-file "threads.lisp") (ext:quit 0))' >compiled 2>&1)
    printf '(load "%s/threads.fas")\n(all)\n' "$tmp" >"$tmp/run.lisp"
    LC_ALL=C.UTF-8 record lisp "$ecl" --norc --shell "$tmp/run.lisp"
    page lisp --lisp
    for thread in '^worker 1$' '^worker 2$'; do
        bytes_of "$thread" --lisp "$tmp/lisp.data"
    done >"$tmp/lisp.txt"
    lisp=lisp
fi
browse view_threads.py "$tmp" $lisp
# SPDX-License-Identifier: MIT
