#!/bin/sh
# Each function that libmprof.so exports works as the first call of a process, before any constructor
# (tests/programs/first_call.c). Status, output and errors are those without the library.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "first calls" gcc
grep -v '^#' "$src/tests/lint/exports.txt" >names
sed 's/.*/EACH(&)/' names >calls.h
source=$src/tests/programs/first_call.c
options="-D_GNU_SOURCE -O1 -fno-builtin -w -I$src -I."
# shellcheck disable=SC2086
ok "each exported function has a case" gcc $options -DLIBRARY -shared -fPIC -o libfirst.so "$source"
# shellcheck disable=SC2086
gcc $options -o first "$source" -L. -lfirst -Wl,-rpath,"$tmp"
# shellcheck disable=SC2086
gcc $options -o first_archive "$source" "$top/.libs/libmprof.a" -L. -lfirst -Wl,-rpath,"$tmp"

# all PROGRAM PLACE: calls each function at PLACE, and prints what the process did.
all()
{
    while read -r name; do
        "./$1" "$name" "$2" </dev/null 2>&1
        echo "$name: status $?"
    done <names
}

for place in preinit resolver constructor library_resolver; do
    all first $place >native
    for how in preloaded linked; do
        if [ $how = preloaded ]; then
            LD_PRELOAD=$library MPROF_FILE=data all first $place >got 2>&1
        else
            MPROF_FILE=data all first_archive $place >got 2>&1
        fi
        ok "$place, $how: each call does what it does without the library" diff native got
    done
done
plan
