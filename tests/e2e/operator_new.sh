#!/bin/sh
# An allocator with an operator new of its own, which does not call malloc: the head says that it
# was not seen, and what goes through malloc is exact all the same.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
# A program with a malloc of its own.
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
    run "$mprof" run -o "$tmp/own.data" "$tmp/own"
    is "a malloc of its own: status" "$status" 3
    has "a malloc of its own: the summary says so" "$tmp/err" '^mprof:   not seen: calls of malloc '
    run "$mprof" report --no-pager "$tmp/own.data"
    has "a malloc of its own: the head says so" "$tmp/out" '^Not seen  *calls of malloc '
    run "$mprof" run -o "$tmp/other.data" "$top/examples/widgets"
    hasnt "none of its own: nothing is said" "$tmp/err" 'not seen'
else
    skip "a malloc of its own" "$missing"
fi

not_seen='^Not seen  *operator new '

run "$mprof" run -q -o new.data "$programs/family" --no-pvalloc
run "$mprof" report --no-pager new.data
hasnt "libstdc++'s is seen" out "$not_seen"

for other in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4; do
    if [ -n "$(LD_PRELOAD=$other true 2>&1)" ]; then
        skip "$other" "it is not installed"
        continue
    fi
    rm -f new.data
    LD_PRELOAD=$other "$mprof" run -q -o new.data "$programs/family" --no-pvalloc \
        >printed 2>err </dev/null
    is "$other: status" "$?" 0
    is "$other: nothing on stderr" "$(cat err)" ""
    run "$mprof" report --no-pager new.data
    has "$other: the head says that operator new was not seen" out "$not_seen"
    is "$other: nor was it" "$(books inclusive call_operator_new new.data | cut -d' ' -f1,2)" "0 0"

    n=0
    while read -r what function allocs bytes; do
        case $what:$function in
        self:call_new* | self:call_operator_new*) continue ;;
        self:leak) freed="0 0" ;;
        self:*) freed="1 $bytes" ;;
        *) continue ;;
        esac
        n=$((n + 1))
        is "$other: $function" "$(books inclusive "$function" new.data | cut -d' ' -f1-4)" \
            "$allocs $bytes $freed"
    done <printed
    is "$other: these were all" "$n" 9
done
plan
