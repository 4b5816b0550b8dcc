#!/bin/sh
# The compiler's startup and exit code of programs and libraries has no unwind tables, but no chain of a C program
# ends there.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >lib.c <<'END'
#include <stdlib.h>
static void *volatile block;
__attribute__((noipa)) void at_end(void) { block = malloc(100); free(block); }
__attribute__((noipa)) void at_very_end(void) { block = malloc(200); free(block); }
__attribute__((constructor, noipa)) void begin(void) { block = malloc(300); free(block); atexit(at_end); }
__attribute__((destructor, noipa)) void end(void) { block = malloc(400); free(block); atexit(at_very_end); }
END
cat >open.c <<'END'
#include <dlfcn.h>
#include <string.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW);
    return !library || (argc > 2 && strcmp(argv[2], "close") == 0 && dlclose(library) != 0);
}
END
grep -q '^#define MP_HAVE_RULES 1' "$top/config.h" || skip_all "startup code" "libunwind captures all chains here"
if ! need gcc || ! gcc -fno-builtin -shared -fPIC -o lib.so lib.c || ! gcc -o open open.c; then
    skip_all "startup code" "${missing:-gcc cannot build the programs}"
fi

# ended NAME CALLER COMMAND...: tests that at_very_end() is called by the library's exit code, which CALLER called.
ended()
{
    name=$1
    caller=$2
    shift 2
    profile end.data "$@"
    is "$name: status" "$status" 0
    is "$name: nothing cut" "$(total cut end.data) $(total dropped end.data)" "0 0"
    "$mprof" export -F chains end.data | cut -d' ' -f1,2,8- >chains
    has "$name: whole to its end" chains \
        "^1 200 .*;$caller;[^;]*lib.so[^;]*;__cxa_finalize;at_very_end\$"
    for function in at_end begin end; do
        is "$name: $function" "$(grep -c ";$function\$" chains)" 1
    done
}

# Names of libc's static functions are known if its symbols are installed.
ended "closed" '[^;]*' ./open ./lib.so close
has "closed: by the program" chains '^1 100 main;dlclose;.*;__cxa_finalize;at_end$'
ended "left open" '[^;]*' ./open ./lib.so
has "left open: at the exit" chains '^1 200 .*exit;'
MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=check.data ./open ./lib.so close
has "chains equal libunwind's" check '^checked [0-9]+ mismatches 0 '

# The startup code for gprof, which _init calls.
for how in "-pie -fPIE" "-no-pie -fno-pie"; do
    # shellcheck disable=SC2086
    if gcc -pg $how -o gprofed open.c 2>/dev/null; then
        profile gprof.data ./gprofed ./lib.so
        is "gprof, $how: status" "$status" 0
        is "gprof, $how: nothing cut" "$(total cut gprof.data)" 0
        "$mprof" export -F chains gprof.data >chains
        has "gprof, $how: its startup allocates" chains '__gmon_start__;'
    else
        skip "gprof, $how" "gcc cannot build it"
    fi
done
plan
# SPDX-License-Identifier: MIT
