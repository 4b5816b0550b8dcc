#!/bin/sh
# A C program that contains ECL: chains have frames of C and Lisp; snapshots work; a killed process has its recording.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# embedded TEXT PROGRAM: records PROGRAM and tests its chains.
embedded()
{
    "$mprof" run --heap-every=gc -o embed.mprof -- "$2" >"$tmp/out" 2>"$tmp/err"
    is "$1: status" "$?" 0
    is "$1: output" "$(cat "$tmp/out")" "done"
    "$mprof" export -F chains --lisp --frames=all embed.mprof >all
    has "$1: one chain through C, Lisp and C" all \
        'main;run_lisp;.*;THROUGH-LISP;(SI:APPLY-FROM-STACK-FRAME;)?CALL-BACK;ecl_cons'
    "$mprof" export -F chains --lisp embed.mprof >lisp
    has "$1: the Lisp view keeps the program's C" lisp 'main;run_lisp;.*THROUGH-LISP;CALL-BACK$'
    "$mprof" export -F chains --frames=all embed.mprof >both
    has "$1: C blocks on the same chain" both \
        '^1000 100000 .*run_lisp;.*THROUGH-LISP;(SI:APPLY-FROM-STACK-FRAME;)?CALL-BACK$'
    is "$1: conses of the callback" "$(objects CONS CALL-BACK embed.mprof)" 1000
    "$mprof" heap --root=list "$(find . -name 'embed.mprof.*.heap' | sort -t. -k4n | tail -n 1)" >heap
    has "$1: a variable of C holds them" heap '^ +1,000 +16,000 .* CONS$'
    rm -f embed.mprof*
}

embed=$top/tests/ecl/embed
embedded "embed" "$embed"

# libecl calls the libgc in the program, although libgc.so is also loaded. Nothing is mapped between the program's
# segments.
libgc=$(${CC:-cc} -print-file-name=libgc.a)
if [ -f "$libgc" ]; then
    ok "a program with libgc.a" ${CC:-cc} -g -O1 -fno-optimize-sibling-calls -o with-libgc "$src/tests/ecl/embed.c" \
        -Wl,--no-as-needed -Wl,-z,max-page-size=0x200000 -lecl "$libgc" -lpthread -ldl
    embedded "libgc.a" ./with-libgc
else
    skip "libgc.a in the program" "it is not installed"
fi

"$mprof" run -o killed.mprof -- "$embed" kill >"$tmp/out" 2>"$tmp/err"
is "killed" "$?" 137
is "conses of the callback after a kill" "$(objects CONS CALL-BACK killed.mprof)" 1000
LD_PRELOAD=$library MPROF_FILE=$tmp/killed.live "$embed" kill >"$tmp/out" 2>"$tmp/err"
"$mprof" export -F chains --lisp killed.live >lisp
has "names are in the file that was not sealed" lisp 'THROUGH-LISP;CALL-BACK$'
plan
# SPDX-License-Identifier: MIT
