#!/bin/sh
# The files from which names are taken are those that ran: a file that the user names, files that are replaced, and
# files that are removed while they are mapped.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "files of code" gcc
export MPROF_CACHE=off

form()
{
    head -c 8 "$1"
}

cat >prog.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) void *NAME(int n) { return malloc(n); }
int main(void) { return NAME(10) == 0; }
END
gcc -O1 -DNAME=kept -o prog prog.c
gcc -O1 -DNAME=else_made -o stranger prog.c

# -------------------------------------------------------------- a named program, in the form of 1988

profile live ./prog
cp prog renamed
mv prog away
cp live foreign
run "$mprof" ./stranger foreign
is "another program: refused" "$status" 2
has "another program: it is said" err 'foreign is a recording of [^ ]*/prog, not of \./stranger;'
is "another program: not sealed" "$(form foreign)" MPROFLIV
mkdir new
cp stranger new/prog
run "$mprof" new/prog foreign
has "another build of the program: it is said" out '^Module .*new/prog: changed \(build-id'
is "another build of the program: not sealed" "$(form foreign)" MPROFLIV
run "$mprof" ./renamed live
has "the same program by another name: its names" out ' kept'
is "the same program by another name: sealed" "$(form live)" MPROFDAT
run "$mprof" ./renamed live
is "... and of the sealed file, too" "$status" 0
run "$mprof" ./stranger live
is "another program than that of the sealed file: refused" "$status" 2
mv away prog
profile live ./prog
run "$mprof" ./prog live
is "the program at its path: sealed" "$(form live)" MPROFDAT

plan
