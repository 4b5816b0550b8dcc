#!/bin/sh
# Libraries that look up names in their own scope first, and programs that only seem to have their own malloc:
# everything that reaches the allocator is recorded, names keep their meaning, and the report says what is not
# recorded.
. "${srcdir:-.}/tests/e2e/lib.sh"

not_seen='^Not seen'

# A plug-in that has a name in common with the program, and one that opens another by its own search path.
cat >deep.c <<'END'
#include <stdlib.h>
#include <string.h>
static char *made;
const char *who(void) { return "library"; }
__attribute__((constructor)) void make(void) { made = malloc(1000); }
__attribute__((noipa)) char *copy(void) { char *p = strdup(who()); p[0]++; return p; }
__attribute__((noipa)) void drop(char *p) { free(p); }
const char *work(void)
{
    static char first[2];
    for (int i = 0; i < 100; i++) {
        char *p = copy();
        first[0] = p[0];
        drop(p);
    }
    first[0] = (char)(first[0] + (made == 0));
    free(made);
    return first;
}
END
cat >middle.c <<'END'
#include <dlfcn.h>
const char *work(void)
{
    void *inner = dlopen("libinner.so", RTLD_NOW | MODE);
    const char *(*inner_work)(void) = inner ? (const char *(*)(void))dlsym(inner, "work") : 0;
    return inner_work ? inner_work() : dlerror();
}
END
cat >open.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
const char *who(void) { return "program"; }
int main(int argc, char **argv)
{
    int flags = strchr(argv[1], 'd') ? RTLD_DEEPBIND : 0;
    void *(*volatile taken)(size_t) = malloc, *handle;
    const char *(*work)(void);
    flags |= strchr(argv[1], 'l') ? RTLD_LAZY : RTLD_NOW;
    handle = strchr(argv[1], 'm') ? dlmopen(LM_ID_BASE, argv[2], flags)
           : strchr(argv[1], 'n') ? dlmopen(LM_ID_NEWLM, argv[2], flags)
                                  : dlopen(argv[2], flags);
    if (!handle)
        return puts(dlerror()), 1;
    work = (const char *(*)(void))dlsym(handle, "work");
    free(taken(50));
    return puts(work()) < 0 || argc < 2;
}
END
# An allocator that prints that it was called.
cat >own.c <<'END'
#include <stddef.h>
#include <string.h>
#include <unistd.h>
static char heap[1 << 20];
static size_t used, said;
void *malloc(size_t n)
{
    void *p = heap + used;
    if (!said++ && write(2, "own malloc\n", 11) != 11)
        _exit(9);
    used += (n + 15) & ~15UL;
    return p;
}
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
END

built()
{
    mkdir -p sub &&
        gcc -O1 -fno-builtin -shared -fPIC -o libdeep.so deep.c &&
        cp libdeep.so sub/libinner.so &&
        for mode in RTLD_DEEPBIND 0; do
            gcc -D_GNU_SOURCE -shared -fPIC -DMODE=$mode -o libmiddle.$mode.so middle.c \
                -Wl,--enable-new-dtags,-rpath,"\$ORIGIN/sub" || return 1
        done &&
        gcc -shared -fPIC -fno-builtin -o libown.so own.c &&
        gcc -O1 -fno-builtin -shared -fPIC -o libdeepown.so deep.c ./libown.so &&
        gcc -rdynamic -pie -fPIE -o open open.c &&
        gcc -rdynamic -no-pie -fno-pic -o fixed open.c &&
        gcc -rdynamic -pie -fPIE -o with_own open.c -Wl,--no-as-needed ./libown.so
}

# opened NAME COMMAND...: tests that COMMAND behaves as without mprof; the recording is deep.data.
opened()
{
    name=$1
    shift
    run "$@"
    mv out bare.out
    mv err bare.err
    bare=$status
    profile deep.data "$@"
    is "$name: status" "$status" "$bare"
    ok "$name: output" diff bare.out out
    ok "$name: errors" diff bare.err err
    mv out printed
    run "$mprof" report --no-pager deep.data
}

# whole NAME COMMAND...: tests that all 101 blocks of the library and their frees are recorded.
whole()
{
    opened "$@"
    is "$name: what the library's functions allocate" \
        "$(books inclusive copy deep.data | cut -d' ' -f1-4)" "100 800 100 800"
    is "$name: what its constructor does" \
        "$(books self make deep.data | cut -d' ' -f1-4)" "1 1000 1 1000"
    is "$name: nothing cut, and no free unknown" \
        "$(total cut deep.data) $(total foreign-frees deep.data)" "0 0"
    hasnt "$name: nothing is missing" out "$not_seen|^Unknown"
}

if need gcc && built; then
    for how in dlopen:o dlmopen:m; do
        open=${how%:*}
        with=${how#*:}
        opened "$open" ./open $with ./libdeep.so
        is "$open: the program's name comes first" "$(cat printed)" "q"
        hasnt "$open: nothing is missing" out "$not_seen|^Unknown"
        whole "$open, bound deeply" ./open d$with ./libdeep.so
        is "$open, bound deeply: its own name comes first" "$(cat printed)" "m"
    done
    whole "bound deeply and late" ./open dl ./libdeep.so
    whole "bound deeply, from a program at a fixed address" ./fixed d ./libdeep.so
    opened "by the caller's search path" ./open o ./libmiddle.0.so
    is "by the caller's search path: found" "$(cat printed)" "q"
    whole "by the caller's search path, bound deeply" ./open o ./libmiddle.RTLD_DEEPBIND.so
    whole "in a library bound deeply" ./open d ./libmiddle.RTLD_DEEPBIND.so
    opened "with an allocator of its own" ./open d ./libdeepown.so
    has "with an allocator of its own: which it keeps" bare.err '^own malloc$'
    opened "with another one than the program" ./with_own d ./libdeep.so
    has "with another one than the program: the head says so" out "$not_seen  *calls of malloc in a lib"
    opened "in a space of its own" ./open n ./libdeep.so
    has "in a space of its own: the head says so" out "$not_seen  *calls of malloc in a lib"
    run "$mprof" run -o run.data ./open n ./libdeep.so
    has "in a space of its own: the summary says so" err '^mprof:   not seen: calls of malloc in a lib'
else
    skip "libraries bound deeply" "${missing:-gcc cannot build them}"
fi

# A real library, in a program that contains a stub of malloc.
cat >sqlite.py <<'END'
import ctypes, os, sys
mode = os.RTLD_NOW | (os.RTLD_DEEPBIND if sys.argv[1] == "deep" else 0)
library = ctypes.CDLL("libsqlite3.so.0", mode=mode)
pointer = ctypes.c_void_p
library.sqlite3_open.argtypes = [ctypes.c_char_p, pointer]
library.sqlite3_exec.argtypes = [pointer] * 5
library.sqlite3_close.argtypes = [pointer]
base = pointer()
library.sqlite3_open(b":memory:", ctypes.byref(base))
library.sqlite3_exec(base, b"create table t(a, b); with recursive c(x) as (select 1 union all "
    b"select x + 1 from c where x < 1000) insert into t select x, 'abc' || x from c;", *[None] * 3)
print(library.sqlite3_close(base))
END
if [ -x "$python" ] && "$python" sqlite.py plain >/dev/null 2>&1; then
    for how in plain deep; do
        PYTHONHASHSEED=0 profile $how.data "$python" sqlite.py $how
        is "sqlite, $how: status" "$status" 0
        for name in sqlite3_open sqlite3_exec sqlite3_close; do
            echo "$name $(books inclusive $name $how.data | cut -d' ' -f1-4)"
        done >$how.books
        run "$mprof" report --no-pager $how.data
        hasnt "sqlite, $how: nothing is missing" out "$not_seen"
    done
    ok "sqlite: the same figures, bound deeply or not" diff plain.books deep.books
    hasnt "sqlite: there are some" deep.books '^sqlite3_exec 0 '
else
    skip "sqlite" "python3 and libsqlite3 are not installed"
fi
plan
# SPDX-License-Identifier: MIT
