#!/bin/sh
# Each function that libmprof.so exports works as the first call of a process, before any constructor
# (tests/programs/first_call.c). Status, output and errors are those without the library.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "first calls" gcc
grep -v '^#' "$src/tests/lint/exports.txt" >names
sed 's/.*/EACH(&)/' names >calls.h
source=$src/tests/programs/first_call.c
compile="gcc -D_GNU_SOURCE -O1 -fno-builtin -I$src -I."
ok "each exported function has a case" $compile -DLIBRARY -shared -fPIC -o libfirst.so "$source"
ok "a program" $compile -o first "$source" -L. -lfirst -Wl,-rpath,"$tmp"
ok "one with the archive" $compile -o first_archive "$source" "$top/.libs/libmprof.a" -L. -lfirst -Wl,-rpath,"$tmp"

# all PLACE COMMAND...: runs COMMAND once for each function, which the process calls first, at PLACE. Prints the output
# and the status of each process.
all()
{
    place=$1
    shift
    while read -r name; do
        "$@" "$name" "$place" </dev/null 2>&1
        echo "$name: status $?"
    done <names
}

for place in preinit resolver constructor library_resolver; do
    all $place ./first >native
    all $place env LD_PRELOAD="$library" MPROF_FILE=data ./first >got
    ok "$place, preloaded: each call does what it does without the library" diff native got
    all $place ./first_archive >got
    ok "$place, linked: each call does what it does without the library" diff native got
done
plan
# SPDX-License-Identifier: MIT
