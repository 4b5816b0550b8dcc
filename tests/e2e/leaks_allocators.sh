#!/bin/sh
# mprof leaks with other allocators than glibc's: memory that the program mapped is a root, the allocator's own memory
# is not; if blocks are not seen, because the allocator is inside of the program, nothing is definitely lost.
. "${srcdir:-.}/tests/e2e/lib.sh"

# 111 bytes in 2 blocks are lost. Blocks that are reachable only from a mapping are not lost, even if the mapping was
# moved, or is at the address of a mapping that was removed. Compiled with NEW, blocks that are reachable only from
# objects made by operator new are not lost, either.
cat >maps.cc <<'END'
#include <cstdlib>
#include <sys/mman.h>
struct object { object *next; void *held; };
static object *objects;
static void **first, **moved, **again;
static void **map(size_t size)
{
    return (void **)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static __attribute__((noinline)) void fill(int cycles)
{
    const size_t small = 1 << 16, large = 1 << 26;
    first = map(small);
    for (int i = 0; i < 100; i++)
        first[i] = malloc(777);
    moved = (void **)mremap(map(small), small, large, MREMAP_MAYMOVE);
    moved[large / sizeof *moved - 1] = malloc(3000);
    for (int i = 0; i < cycles; i++) {
        if (again)
            munmap(again, small);
        again = map(small);
    }
    again[5] = malloc(4000);
#ifdef NEW
    for (int i = 0; i < 10; i++)
        objects = new object{objects, malloc(500)};
#endif
    if (!calloc(1, 55) || !calloc(1, 56))          // tcmalloc leaves an address in what malloc() returns
        abort();
}
static __attribute__((noinline)) void sweep()
{
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}
int main(int argc, char **argv)
{
    fill(argc > 1 ? atoi(argv[1]) : 100);
    sweep();
    exit(0);
}
END
# Without -fno-builtin, gcc would remove two calls of malloc whose results are not used.
for what in -UNEW -DNEW; do
    g++ -fno-builtin $what -o "maps$what" maps.cc || exit 99
done

# lost FILE: prints the three classes of FILE.
lost()
{
    sed -nE 's/^(mprof: *)?(definite|indirect|possib)ly lost *//p' "$1" | paste -sd, -
}

none='0 bytes in 0 blocks'
for other in libc.so.6 libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4 libmimalloc.so.2 libmimalloc.so.3; do
    if [ -n "$(LD_PRELOAD=$other env true 2>&1)" ]; then
        skip "$other" "it is not installed"
        continue
    fi
    for what in -UNEW -DNEW; do
        rm -f maps.data*
        LD_PRELOAD=$other "$mprof" run --leaks -o maps.data "./maps$what" 2>"err$what" </dev/null
        "$mprof" leaks maps.data >"out$what"
    done
    is "$other: what mappings lead to is not lost" "$(lost err-UNEW | sed "s/,*$none,*//g")" "111 bytes in 2 blocks"
    is "... nor what new objects do" "$(lost err-DNEW | sed "s/,*$none,*//g")" "111 bytes in 2 blocks"
    hasnt "... which is certain: all blocks are seen" out-DNEW '^note: '
done

# The allocator is linked into the program, so the monitor sees only the calls of libraries.
cat >own.c <<'END'
#include <stddef.h>
#include <string.h>
char *strdup(const char *);
static char heap[1 << 20];
static size_t used;
void *malloc(size_t n) { void *p = heap + used; used += (n + 15) & ~15UL; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
int main(void) { return malloc(10) == NULL; }
END
gcc -o own own.c || exit 99
run "$mprof" run --leaks -o own.data ./own
has "a malloc of the program's own: it is said" err '^mprof:   not seen: calls of malloc that reach the program.s own$'
is "... nothing is definitely lost" "$(lost err | cut -d, -f1,2)" "$none,$none"

# More mappings than the monitor remembers.
if [ -z "$(LD_PRELOAD=libjemalloc.so.2 env true 2>&1)" ]; then
    LD_PRELOAD=libjemalloc.so.2 "$mprof" run --leaks -o many.data ./maps-UNEW 20000 2>err </dev/null
    "$mprof" leaks many.data >out
    has "more mappings than are remembered: it is said" out '^note: the program mapped more areas of memory'
    has "... and nothing is definitely lost" out "^definitely lost  $none\$"
else
    skip "more mappings than are remembered" "libjemalloc.so.2 is not installed"
fi
plan
# SPDX-License-Identifier: MIT
