#!/bin/sh
# mprof run --sentinel: blocks that are freed by another kind of function than made them, as memcheck reports them.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >freed.cc <<'END'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <vector>
#define DEEP __attribute__((noinline))
struct alignas(64) aligned { char bytes[128]; };
struct counted { int n; ~counted() { n = 0; } };
struct own {
    static void *operator new(size_t size) { return malloc(size); }
    static void operator delete(void *block) { free(block); }
    char bytes[40];
};
static DEEP void by_delete(void *block) { delete (char *)block; }
static DEEP void by_delete_array(void *block) { delete[] (char *)block; }
static DEEP void by_free(void *block) { free(block); }
static DEEP void by_realloc(void *block) { free(realloc(block, 100)); }
static DEEP void by_nothrow(void *block) { operator delete(block, std::nothrow); }
static DEEP void by_sized(void *block) { operator delete(block, (size_t)24); }
static DEEP void by_aligned(aligned *block) { delete block; }
static void interrupted(int) { free(malloc(24)); delete new int; delete[] new char[3]; }
static DEEP void sound(void)
{
    char *volatile none = nullptr;
    for (int i = 0; i < 300; i++) {
        by_delete(new char), by_delete_array(new char[24]), by_free(malloc(24)), by_realloc(malloc(10));
        by_delete(none), by_free(none), by_delete_array(none), by_free(malloc(5));
        delete new aligned, delete[] new aligned[3], delete new counted, delete[] new counted[7], delete new own;
        delete[] new (std::nothrow) char[10], delete new (std::nothrow) int;
        free(calloc(3, 4)), free(aligned_alloc(64, 128)), free(strdup("text"));
        operator delete[](operator new[](20), (size_t)20), by_nothrow(operator new(5));
        std::vector<std::string> texts(5, "a text that does not fit into the object itself");
        std::map<int, std::string> tree;
        tree[3] = texts[1];
        try { throw std::string("another text that does not fit into it"); } catch (std::string &) { }
        try { (void)new char[(size_t)i - 301]; } catch (std::bad_alloc &) { }
        if (i % 10 == 0)
            std::thread([] { delete[] new int[5]; delete new int; }).join();
        raise(SIGUSR1);
    }
}
int main(int, char **argv)
{
    signal(SIGUSR1, interrupted);
    switch (argv[1][0]) {
    case 'a': by_delete(new char[24]); break;
    case 'b': by_delete_array(new char); break;
    case 'c': by_delete(malloc(24)); break;
    case 'd': by_delete_array(malloc(24)); break;
    case 'e': by_free(new int); break;
    case 'f': by_free(new int[5]); break;
    case 'g': by_realloc(new char); break;
    case 'h': by_aligned(new aligned[2]); break;
    case 'i': by_nothrow(new (std::nothrow) char[10]); break;
    case 'j': by_sized(calloc(3, 8)); break;
    case 'k': by_delete_array(aligned_alloc(64, 128)); break;
    case 'l': for (int i = 0; i < 5; i++) std::thread(by_free, new int).join(); break;
    case 'm': {
        void *plug = dlopen("./plug.so", RTLD_NOW);
        ((void (*)(void *))dlsym(plug, "plug_free"))(new char[3]);
        by_delete(((void *(*)())dlsym(plug, "plug_array"))());
        break;
    }
    default: sound();
    }
    puts("done");
}
END
cat >plug.cc <<'END'
#include <cstdlib>
extern "C" void plug_free(void *block) { free(block); }
extern "C" void *plug_array() { return new char[3]; }
END
g++ -std=c++17 -O1 -g -w -fno-builtin -o freed freed.cc -ldl -lpthread && g++ -O1 -g -shared -fPIC -o plug.so plug.cc || exit 99

# mismatched FILE: prints the number of mismatched frees, or null if they were not looked for.
mismatched()
{
    "$mprof" report --json "$1" | sed -n 's/.*"mismatched_frees":\([a-z0-9]*\).*/\1/p'
}

# theirs COMMAND...: prints how many mismatched frees memcheck finds.
theirs()
{
    valgrind --error-limit=no -v -- "$@" 2>&1 >/dev/null |
        sed -n 's/^==[0-9]*== *\([0-9]*\) errors in context.*/\1/p; s/^==[0-9]*== Mismatched free.*/mismatch/p' |
        awk '/mismatch/ { n += count } { count = $1 } END { print n + 0 }'
}

for how in 'a 1 by_delete' 'b 1 by_delete_array' 'c 1 by_delete' 'd 1 by_delete_array' 'e 1 by_free' 'f 1 by_free' \
    'g 1 by_realloc' 'h 1 by_aligned' 'i 1 by_nothrow' 'j 1 by_sized' 'k 1 by_delete_array' 'l 5 by_free' 'm 2 plug_free'; do
    # shellcheck disable=SC2086
    set -- $how
    returns "$1: runs" 0 "$mprof" run -q --sentinel -o data ./freed "$1"
    is "$1: how many" "$(mismatched data)" "$2"
    "$mprof" report --no-pager --table=bins data >out
    has "$1: where" out "^Mismatched frees  *[1-5]  of blocks that another kind of function made: .*$3 \\("
    if need valgrind; then
        is "$1: memcheck finds as many" "$(theirs ./freed "$1")" "$2"
    else
        skip "$1: memcheck" "$missing"
    fi
done
"$mprof" findings data >findings
has "a finding" findings '1 free by plug_free is of blocks that another kind of function made'
run "$mprof" check --max-bytes=1G data
has "a line of check" out '^faulty: 1 free of blocks that another kind of function made: .*plug_free'
"$mprof" merge -o sum data data 2>err || cp data again && "$mprof" run -q --sentinel -o again ./freed m >out &&
    "$mprof" merge -o sum data again 2>err
is "merged" "$(mismatched sum)" 4

# quiet NAME COMMAND...: tests that COMMAND behaves as without mprof and that no mismatched free is found.
quiet()
{
    name=$1
    shift
    "$@" >want 2>&1
    returns "$name: runs" "$?" "$mprof" run -q --sentinel -o quiet.data "$@"
    ok "$name: output" cmp out want
    is "$name: no mismatch" "$(mismatched quiet.data)" 0
}
quiet sound ./freed sound
"$mprof" export -F chains quiet.data >chains
hasnt "chains have no frames of mprof" chains 'our_|libmprof'
"$mprof" run -q -o plain.data ./freed a >out
is "without the option they are not looked for" "$(mismatched plain.data)" null

# -------------------------------------------------------------------- operators that are elsewhere
cat >replaced.cc <<'END'
#include <cstdlib>
#include <new>
#ifdef NEW
void *operator new(size_t size) { return malloc(size); }
void *operator new[](size_t size) { return malloc(size); }
#endif
#ifdef DELETE
void operator delete(void *block) noexcept { free(block); }
void operator delete[](void *block) noexcept { free(block); }
#endif
END
for which in -DNEW -DDELETE '-DNEW -DDELETE'; do
    # shellcheck disable=SC2086
    g++ -std=c++17 -O1 -g -w -fno-builtin $which -o replaces freed.cc replaced.cc -ldl -lpthread &&
        quiet "replaced: $which" ./replaces sound
done
g++ -std=c++17 -O1 -g -w -fno-builtin -static-libstdc++ -static-libgcc -o static freed.cc -ldl -lpthread &&
    quiet "-static-libstdc++" ./static sound
quiet "... with a library that has the shared one" ./static m
cat >maker.cc <<'END'
#include <cstdlib>
char *maker() { return new char[5]; }
void breaker(char *block) { delete[] block; }
END
cat >uses.cc <<'END'
#include <cstdio>
#include <cstdlib>
char *maker();
void breaker(char *);
int main()
{
    for (int i = 0; i < 5; i++)
        delete[] maker(), breaker(new char[7]);
    puts("done");
}
END
g++ -O1 -g -shared -fPIC -o libmaker.so maker.cc
for flags in '-static-libstdc++ -static-libgcc' '-flto -O2' '-flto -O2 -static-libstdc++ -static-libgcc' \
    '-static-libstdc++ -Wl,--exclude-libs=ALL' ''; do
    # shellcheck disable=SC2086
    if g++ -g -w $flags -o uses uses.cc ./libmaker.so 2>err; then
        quiet "made in a library: $flags" ./uses
    else
        skip "made in a library: $flags" "g++ cannot link it"
    fi
done
plan
# SPDX-License-Identifier: MIT
