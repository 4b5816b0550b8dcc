#!/bin/sh
# mprof heap: C variables that refer to blocks have their names, and blocks have types, if a file contains them.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >holds.c <<'END'
#include <stdlib.h>
static char *volatile cache[1000];
struct { int n; void *list; } table;
void *unsafe __attribute__((visibility("hidden")));
static void fill(void)
{
    for (int i = 0; i < 1000; i++)
        cache[i] = malloc(1000);
    table.list = malloc(5000);
}
int main(void)
{
    static void *volatile once;

    fill();
    once = malloc(77);
    unsafe = malloc(6);
    return once == 0;
}
END
cat >holds.cc <<'END'
#include <new>
namespace app {
struct store { static char *first; };
char *store::first;
static char *volatile second;
}
int main()
{
    app::store::first = new char[300];
    app::second = new char[40];
    return 0;
}
END
cat >types.c <<'END'
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; int key; };
struct edge { struct node *from, *to; double weight, length; };
static void *volatile root, *volatile edges[100], *volatile text, *volatile byte;
static void *make(int depth)
{
    void *volatile memory = malloc(sizeof(struct node));
    struct node node = {depth ? make(depth - 1) : NULL, depth ? make(depth - 1) : NULL, depth};

    return memcpy(memory, &node, sizeof node);
}
int main(void)
{
    root = make(4);
    for (int i = 0; i < 100; i++) {
        struct edge edge = {root, root, 0, 0};

        edges[i] = malloc(sizeof edge);
        memcpy(edges[i], &edge, sizeof edge);
    }
    text = malloc(5000);
    byte = malloc(1);
    exit(0);
}
END
# Memory is mapped directly behind the variables of a library, as happens with libraries that are loaded late.
cat >behind.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(void)
{
    const int how = MAP_PRIVATE | MAP_ANONYMOUS;
    char *before = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, how, -1, 0), *at;
    void *library = dlopen("libm.so.6", RTLD_NOW), **held;
    struct dl_find_object found;

    if (!library || _dl_find_object(dlsym(library, "sin"), &found) != 0)
        return 1;
    at = (char *)(((uintptr_t)found.dlfo_map_end + 4095) & ~(uintptr_t)4095);
    held = mmap(at, 4096, PROT_READ | PROT_WRITE, how | MAP_FIXED_NOREPLACE, -1, 0);
    if (held == MAP_FAILED && at >= before && at < before + (1 << 20))
        held = (void **)at;
    if (held == MAP_FAILED)
        return 2;
    *held = malloc(12345);
    return 0;
}
END
# roots FILE: prints "title shallow" of the program's own variables in FILE's snapshot.
roots()
{
    "$mprof" heap --json --max=all "$1.1.heap" | jq -r --arg group "$tmp/${1%.data}" '.tables[] | select(.name == "roots") |
        .rows[] | select(.kind == "global" and .group == $group) | "\(.title) \(.shallow)"' | LC_ALL=C sort
}
# hold NAME COMPILER OPTION...: compiles the program NAME, and records it to NAME.data.
hold()
{
    name=$1
    shift
    "$@" -o "$name" || exit 99
    "$mprof" run -q --leaks -o "$name.data" "./$name" 2>err
}

needs "variables" jq
all="cache 1000000
once.0 77
table 5000
unsafe 6"
hold plain gcc -O1 holds.c
is "by the symbols of the file: all words of a variable are one" "$(roots plain.data | sed 's/^once\.[0-9]*/once.0/')" "$all"
is "... --root tells what one holds" "$("$mprof" heap --json --root=cache plain.data.1.heap |
    jq -r '.tables[] | select(.name == "types") | .rows[] | "\(.objects) \(.shallow) \(.type)"')" "1000 1000000 1,000 bytes"
hold exported gcc -O1 -rdynamic -s holds.c
is "by exported symbols, where it is stripped" "$(roots exported.data | grep -v '^exported+0x')" "table 5000"
is "... what has no name has its place" "$(roots exported.data | grep -c '^exported+0x[0-9a-f]* ')" 1002
hold debug gcc -O1 -g holds.c
if need objcopy; then
    objcopy --only-keep-debug debug debug.debug
    strip debug
    objcopy --add-gnu-debuglink=debug.debug debug
    rm -f debug.data*
    "$mprof" run -q --leaks -o debug.data ./debug 2>err
    is "by the symbols of the debug file" "$(roots debug.data | sed 's/^once\.[0-9]*/once.0/')" "$all"
else
    skip "by the symbols of the debug file" "$missing"
fi
hold changed gcc -O1 -Wl,--build-id=none holds.c
is "a file that may be another one by now names nothing" "$(roots changed.data | grep -vc '^changed+0x')" 0
hold behind gcc -O1 behind.c
is "what is mapped behind a library's variables is none of them" "$("$mprof" heap --json --max=all behind.data.1.heap |
    jq -r '.tables[] | select(.name == "roots") | .rows[] | select(.shallow == 12345) | "\(.kind), \(.group)"')" \
    "other, mapped memory"
hold types gcc -O0 -g types.c
types()
{
    "$mprof" heap --json --max=all "$@" | jq -r '.tables[] | select(.name == "types") | .rows[] |
        "\(.objects) \(.shallow) \(.type)"' | LC_ALL=C sort
}
types types.data.1.heap >got
is "types of blocks that nothing tells: their sizes, and structures that are so large, the program's first" "$(sed 's/, [^0-9].*//' got)" \
    "1 1 1 byte
1 5000 5,000 bytes
100 3200 32 bytes: edge
31 744 24 bytes: node"
type=$(sed -n 's/^31 744 //p' got)
is "... of one of them" "$("$mprof" heap --json --type="$type" types.data.1.heap |
    jq -r '.tables[0].rows[] | "\(.what) \(.objects) \(.bytes)"' | head -n 1)" "all 31 744"
if need g++; then
    hold names g++ -O1 holds.cc
    is "C++" "$(roots names.data)" "app::second 40
app::store::first 300"
else
    skip "C++" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
