#!/bin/sh
# Allocators with an operator new and other functions of their own, which do not call malloc: all are recorded. The
# report says what cannot be recorded.
. "${srcdir:-.}/tests/e2e/lib.sh"

# A program with its own malloc.
cat >"$tmp/own.c" <<'END'
#include <stddef.h>
#include <string.h>
static char heap[1 << 20];
static size_t used;
void *malloc(size_t n) { void *p = heap + used; used += (n + 15) & ~15UL; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
void *volatile sink;
int main(void) { for (int i = 0; i < 100; i++) sink = malloc(10); return 3; }
END
if need gcc && gcc -o "$tmp/own" "$tmp/own.c"; then
    returns "a malloc of its own: status" 3 "$mprof" run -o "$tmp/own.data" "$tmp/own"
    has "a malloc of its own: the summary says so" "$tmp/err" '^mprof:   not seen: calls of malloc '
    prints "a malloc of its own: the head says so" '^Not seen  *calls of malloc ' "$mprof" report --no-pager "$tmp/own.data"
    run "$mprof" findings "$tmp/own.data"
    has "a malloc of its own: findings say so" "$tmp/out" \
        '^Figures may be incomplete, because calls of malloc that reach the program.s own are not seen\.$'
    run "$mprof" run -f -o "$tmp/several.data" sh -c "'$top/examples/widgets'; '$tmp/own'; '$top/examples/widgets'"
    is "with others: it comes first, and that is said" \
        "$(grep -c 'own allocator are not seen' "$tmp/err") $(sed -n '/more processes profiled/{ n; p; }' "$tmp/err" | grep -c '^mprof:   own\[[0-9]*\] .*, blocks of its own allocator are not seen')" \
        "1 1"
    run "$mprof" run -o "$tmp/other.data" "$top/examples/widgets"
    hasnt "none of its own: nothing is said" "$tmp/err" 'not seen'
else
    skip "a malloc of its own" "$missing"
fi

not_seen='^Not seen  *calls of operator new '

run "$mprof" run -q -o new.data "$programs/family" --no-pvalloc
run "$mprof" report --no-pager new.data
hasnt "libstdc++'s is seen" out "$not_seen"

for other in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4 libmimalloc.so.2 libmimalloc.so.3; do
    if [ -n "$(LD_PRELOAD=$other env true 2>&1)" ]; then
        skip "$other" "it is not installed"
        continue
    fi
    rm -f new.data
    LD_PRELOAD=$other "$mprof" run -q -o new.data "$programs/family" --no-pvalloc \
        >printed 2>err </dev/null
    is "$other: status" "$?" 0
    empty "$other: nothing on stderr" err
    run "$mprof" report --no-pager new.data
    hasnt "$other: its operator new is seen" out "$not_seen"
    rm -f c.data
    LD_PRELOAD=$other "$mprof" run -q -o c.data "$top/examples/widgets"
    "$mprof" report --no-pager c.data >out
    hasnt "$other: nothing is said of the operator new of a program of C" out '^Not seen'

    n=0
    while read -r what function allocs bytes; do
        case $what:$function in
        self:leak) freed="0 0" ;;
        self:*) freed="1 $bytes" ;;
        *) continue ;;
        esac
        n=$((n + 1))
        is "$other: $function" "$(books inclusive "$function" new.data | cut -d' ' -f1-4)" \
            "$allocs $bytes $freed"
    done <printed
    is "$other: these were all" "$n" 19
    is "$other: no free is unknown" "$(total foreign-frees new.data) $(total unseen-frees new.data)" "0 0"
done

# Allocator-specific functions, in a program that is linked with each: jemalloc(3), tcmalloc.h, mimalloc.h.
cat >own_functions.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FRAME __attribute__((noinline))
#ifdef JEMALLOC
#include <jemalloc/jemalloc.h>
#define NAME "jemalloc"
FRAME static void *make(size_t n) { void *p = mallocx(n, 0); memset(p, 1, n); return p; }
FRAME static void *more(void *p, size_t n) { return rallocx(p, n, 0); }
FRAME static void drop(void *p, size_t n) { if (n % 2) sdallocx(p, n, 0); else dallocx(p, 0); }
FRAME static size_t within(void *p, size_t n) { return xallocx(p, n, 0, 0) >= n ? n : 0; }
#elif defined TCMALLOC
void *tc_malloc(size_t), *tc_new(size_t), *tc_realloc(void *, size_t);
void tc_free_sized(void *, size_t), tc_delete(void *);
#define NAME "tcmalloc"
FRAME static void *make(size_t n) { void *p = n % 3 ? tc_malloc(n) : tc_new(n); memset(p, 1, n); return p; }
FRAME static void *more(void *p, size_t n) { return tc_realloc(p, n); }
FRAME static void drop(void *p, size_t n) { if (n % 2) tc_free_sized(p, n); else tc_delete(p); }
FRAME static size_t within(void *p, size_t n) { (void)p, (void)n; return 0; }
#else
#include <mimalloc.h>
#define NAME "mimalloc"
FRAME static void *make(size_t n)
{
    char *p = n % 3 ? mi_malloc(n) : n % 2 ? mi_zalloc(n) : mi_heap_malloc(mi_heap_get_default(), n);
    memset(p, 'x', n);
    return p;
}
FRAME static void *more(void *p, size_t n) { return mi_realloc(p, n); }
FRAME static void drop(void *p, size_t n) { if (n % 2) mi_free_size(p, n); else mi_free(p); }
FRAME static size_t within(void *p, size_t n) { return mi_expand(p, n) ? n : 0; }
#endif
static void *(*volatile by_address)(size_t) = malloc;
int main(void)
{
    static void *block[1000];
    static size_t size[1000];
    size_t allocs = 0, bytes = 0, frees = 0, freed = 0;

    for (int i = 0; i < 1000; i++) {
        size[i] = 100 + (size_t)i;
        block[i] = i % 4 ? make(size[i]) : by_address(size[i]);
        allocs++, bytes += size[i];
    }
    for (int i = 0; i < 1000; i += 5) {
        block[i] = more(block[i], 2000);
        frees++, freed += size[i], allocs++, bytes += 2000;
        size[i] = 2000;
    }
    for (int i = 1; i < 1000; i += 5) {
        size_t n = within(block[i], size[i] + 1);
        if (n) {
            frees++, freed += size[i], allocs++, bytes += n;
            size[i] = n;
        }
    }
    for (int i = 0; i < 900; i++) {
        if (i % 7)
            drop(block[i], size[i]);
        else
            free(block[i]);
        frees++, freed += size[i];
    }
    fprintf(stderr, "%zu %zu %zu %zu\n", allocs, bytes, frees, freed);
    return 0;
}
END
while read -r macro flag; do
    name=own_$macro
    if ! need gcc || ! gcc -g -O1 -fno-builtin -fno-optimize-sibling-calls -D"$macro" -o "$name" own_functions.c "$flag" 2>cc.err; then
        skip "functions of $macro" "gcc, or its headers, are not installed"
        continue
    fi
    for bound in lazily now; do
        rm -f own.data
        if [ $bound = now ]; then
            LD_BIND_NOW=1 LD_PRELOAD=$library MPROF_FILE=own.data ./"$name" >out 2>err
        else
            LD_PRELOAD=$library MPROF_FILE=own.data ./"$name" >out 2>err
        fi
        is "functions of $macro, bound $bound: status" "$?" 0
        is "functions of $macro, bound $bound: exact" "$(books inclusive main own.data | cut -d' ' -f1-4)" "$(cat err)"
        is "functions of $macro, bound $bound: each place" "$(books self make own.data | cut -d' ' -f1)" 750
    done
done <<END
JEMALLOC -ljemalloc
TCMALLOC -ltcmalloc_minimal
MIMALLOC -lmimalloc
END

# A program that tests whether jemalloc's functions exist does not find mprof's.
cat >weak.c <<'END'
#include <stddef.h>
void *mallocx(size_t, int) __attribute__((weak));
void *tc_malloc(size_t) __attribute__((weak));
void *mi_malloc(size_t) __attribute__((weak));
int main(void) { return !mallocx + 2 * !tc_malloc + 4 * !mi_malloc; }
END
if need gcc && gcc -o weak weak.c; then
    profile weak.data ./weak
    is "without such an allocator its functions are not there" "$status" 7
else
    skip "without such an allocator its functions are not there" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
