#!/bin/sh
# Functions that tail calls removed from a chain are restored where exactly one path of tail calls is possible, and
# otherwise not. Each case allocates another number of bytes, by which its chain is found.
. "${srcdir:-.}/tests/e2e/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "tail calls" "machine code is decoded only for x86-64"
needs "tail calls" gcc g++ objcopy strip
export MPROF_CACHE=off

cat >tail.h <<'EOF'
#include <stdlib.h>
#include <string.h>
#ifdef __clang__
#define FAR __attribute__((noinline))
#else
#define FAR __attribute__((noinline, noclone))
#endif
extern void *volatile kept;
extern volatile int zero;
void *leaf(size_t n);
void *later(size_t n);
void *bare(size_t n);
EOF
cat >tail.c <<'EOF'
#include "tail.h"
void *volatile kept;
volatile int zero;
FAR void *leaf(size_t n) { char *block = malloc(n); block[0] = 1; kept = block; return block; }
FAR void *first(size_t n) { return leaf(n + 1); }
FAR void *second(size_t n) { return first(n * 2); }
FAR static void *third(size_t n) { return second(n + 3); }
FAR void *left(size_t n) { return leaf(n + 4); }
FAR void *right(size_t n) { return leaf(n + 5); }
FAR void *both(size_t n) { return zero ? left(n) : right(n); }
FAR void *twice(size_t n)
{
    if (zero) {
        zero = 1;
        return leaf(n + 9);
    }
    zero = 0;
    return leaf(n + 8);
}
FAR void *alone(size_t n) { if (zero == 4) { zero = 2; return leaf(n); } if (n == 7) zero = 3; return leaf(n); }
void *(*volatile pointer)(size_t) = leaf;
void *(*fixed)(size_t) = leaf;
FAR void *by_register(size_t n) { void *(*to)(size_t) = pointer; return to(n); }
FAR void *by_memory(size_t n) { return fixed(n + 1); }
FAR void *perhaps(size_t n) { if (zero == 5) return pointer(n); return leaf(n); }
FAR void *odd(size_t n);
FAR void *even(size_t n) { if (n < 300) return odd(n + 1); return leaf(n); }
FAR void *odd(size_t n) { if (n < 299) return even(n + 1); return leaf(n + 1); }
static inline __attribute__((always_inline)) void *inside(size_t n) { return leaf(n + 6); }
FAR void *outside(size_t n) { return inside(n + 2); }
FAR void *other_unit(size_t n) { return later(n + 1); }
FAR void *undescribed(size_t n) { return bare(n + 1); }
FAR void *out(size_t n) { return malloc(n); }
FAR void *out_out(size_t n) { return out(n + 1); }
FAR void *out_twice(size_t n) { if (zero) return calloc(1, n); return malloc(n); }
FAR void *out_or_in(size_t n) { if (zero) return leaf(n); return malloc(n); }
FAR void *in_or_out(size_t n) { if (zero) return strdup("x"); return leaf(n); }
FAR void *chosen(size_t n, int way)
{
    switch (way) {
    case 0: zero = 5; break;
    case 1: zero = 6; break;
    case 2: kept = NULL; break;
    case 3: zero = 0; break;
    case 4: pointer = leaf; break;
    case 5: fixed = leaf; break;
    }
    return leaf(n);
}
FAR void *equal(size_t n) { return leaf(n + 12); }
FAR void *as_equal(size_t n) { return leaf(n + 12); }
FAR void *normal(size_t n) { void *block = leaf(n); zero = 0; return block; }
FAR int resumed(size_t n) { kept = malloc(n); zero = 0; return zero; }
FAR int enters(size_t n) { return resumed(n); }
FAR void *mixed(size_t n) { if (n == 120) return malloc(n); kept = malloc(n); zero = 0; return kept; }
int main(void)
{
    kept = first(10);
    kept = second(10);
    kept = third(10);
    kept = both(20);
    kept = twice(20);
    kept = alone(35);
    kept = by_register(40);
    kept = by_memory(40);
    kept = perhaps(45);
    kept = odd(297);
    kept = outside(50);
    kept = other_unit(60);
    kept = undescribed(70);
    kept = out(80);
    kept = out_out(80);
    kept = out_twice(85);
    kept = out_or_in(90);
    kept = in_or_out(95);
    kept = chosen(100, zero + 3);
    kept = equal(130);
    kept = as_equal(131);
    kept = normal(105);
    zero = enters(110);
    for (size_t n = 120; n < 122; n++)
        kept = mixed(n);
    return 0;
}
EOF
cat >later.c <<'EOF'
#include "tail.h"
FAR void *later(size_t n) { return leaf(n + 10); }
EOF
cat >bare.c <<'EOF'
#include "tail.h"
FAR void *bare(size_t n) { return leaf(n + 11); }
EOF

# path FILE BYTES: prints the chain of the blocks of BYTES.
path()
{
    "$mprof" report --no-skip --no-lines -v --table=leaks --chain=all --size="$2" "$1" | sed -n 's/ > operator new$//; s/.*|| > main > //p; s/.*|| > main$/main/p'
}

# build NAME COMPILER OPTION...: builds NAME, and records it to NAME/live and NAME/data. Reports seal what they read.
build()
{
    name=$1
    shift
    mkdir -p "$name"
    for unit in tail later bare; do
        debug=-g
        [ $unit = bare ] && debug=-g0
        "$@" $debug -I. -c $unit.c -o "$name/$unit.o" || return
    done
    "$@" -g "$name/tail.o" "$name/later.o" "$name/bare.o" -o "$name/program" &&
        profile "$name/live" "$name/program" && cp "$name/live" "$name/data" && [ "$status" = 0 ]
}

# restores TEXT FILE: tests that the chains of FILE contain the functions that ended with a tail call, where the path of
# tail calls is unambiguous.
restores()
{
    is "$1: one tail call" "$(path "$2" 11)" "first (tail call) > leaf"
    is "$1: two" "$(path "$2" 21)" "second (tail call) > first (tail call) > leaf"
    is "$1: three, one of them of a static function" "$(path "$2" 27)" \
        "third (tail call) > second (tail call) > first (tail call) > leaf"
    is "$1: two paths" "$(path "$2" 25)" "leaf"
    is "$1: a pointer in a register" "$(path "$2" 40)" "leaf"
    is "$1: a pointer in memory" "$(path "$2" 41)" "leaf"
    is "$1: perhaps a pointer" "$(path "$2" 45)" "leaf"
    is "$1: recursion" "$(path "$2" 300)" "leaf"
    is "$1: in an inlined function" "$(path "$2" 58)" "outside (tail call) > inside > leaf"
    is "$1: through another unit" "$(path "$2" 71)" "other_unit (tail call) > later (tail call) > leaf"
    # equal and as_equal may be merged, so that a chain has the name of the other one
    is "$1: equal functions" "$(path "$2" 142),$(path "$2" 143)" "equal (tail call) > leaf,${3-as_equal (tail call) > }leaf"
    is "$1: of the allocation function" "$(path "$2" 80)" "out (tail call)"
    is "$1: and before it" "$(path "$2" 81)" "out_out (tail call) > out (tail call)"
    is "$1: of one allocation function or another" "$(path "$2" 85)" "main"
    is "$1: out of the module, or within" "$(path "$2" 90)" "out_or_in (tail call)"
    is "$1: within, or out of the module, which may lead back" "$(path "$2" 95)" "leaf"
    is "$1: an ordinary call" "$(path "$2" 105)" "normal > leaf"
    is "$1: of a function that calls the allocation function" "$(path "$2" 110)" "enters (tail call) > resumed"
    is "$1: a tail call of malloc" "$(path "$2" 120)" "mixed (tail call)"
    is "$1: and another call by the same function" "$(path "$2" 121)" "mixed"
}

build gcc5 gcc -O2 -gdwarf-5
restores "gcc, DWARF 5" gcc5/data
is "two lines with a tail call of one function" "$(path gcc5/data 28)" "leaf"
is "a jump table" "$(path gcc5/data 100)" "chosen (tail call) > leaf"
is "copies of one tail call in one line" "$(path gcc5/data 35)" "alone (tail call) > leaf"
is "a unit without debug information" "$(path gcc5/data 82)" "leaf"
is "the line is that of the tail call" \
    "$("$mprof" report --no-skip -v --lines --table=leaks --chain=all --size=11 gcc5/data | sed -n 's/.*) > //p')" \
    "leaf (tail.c:$(grep -n 'leaf(size_t n) {' tail.c | cut -d: -f1))"
# What is restored is the same in all forms of the data.
for size in 11 21 80 120 121; do
    path gcc5/data $size
done >live.paths
for data in sealed cold warm; do
    cp gcc5/live $data
done
"$mprof" seal sealed 2>err
profile second gcc5/program
"$mprof" merge -o merged sealed second 2>err
for data in cold warm; do
    MPROF_CACHE=$tmp/cache "$mprof" report --no-overview $data >$data.report
done
is "the cache has what is needed" "$(cat warm.report)" "$(cat cold.report)"
for data in sealed merged; do
    for size in 11 21 80 120 121; do
        path $data $size
    done >paths
    is "$data: the same chains" "$(cat paths)" "$(cat live.paths)"
done
total=$("$mprof" totals gcc5/data)
is "all is counted once" "$("$mprof" totals sealed | grep -v '^contexts')" "$(echo "$total" | grep -v '^contexts')"
"$mprof" report --no-skip --json -v --table=leaks --chain=all --size=21 gcc5/data >json
is "JSON" "$(grep -o '"function":"[^"]*"\|"tail_call":[a-z]*' json | tr '\n' ' ')" \
    '"function":"main" "function":"second" "tail_call":true "function":"first" "tail_call":true "function":"leaf" '
is "a flame graph" "$("$mprof" flamegraph gcc5/data 2>err | grep -c '<title>second (tail call)')" 2
is "a diff of two recordings of one program" "$("$mprof" diff sealed gcc5/data | grep -c 'tail call')" 0

# Nothing is restored where it is unknown or where nothing was removed.
build plain gcc -O0
is "without optimisation" "$(path plain/data 27)" "third > second > first > leaf"
build stripped gcc -O2
"$mprof" report --no-overview stripped/data >with_debug
objcopy --only-keep-debug stripped/program stripped/other.file
strip stripped/program
cp stripped/live again
is "stripped" "$("$mprof" report again | grep -c 'tail call')" 0
cp stripped/live again
objcopy --add-gnu-debuglink=stripped/other.file stripped/program
is "debug information in another file" "$("$mprof" report --no-overview again)" "$(cat with_debug)"
gcc -O2 -I. tail.c later.c bare.c -o undebugged 2>err && profile undebugged.data ./undebugged
is "without debug information" "$(path undebugged.data 21)" "leaf"

# C++, and libraries.
cat >shapes.cc <<'EOF'
#include <new>
#include "tail.h"
void *volatile kept;
namespace shop {
struct shape {
    virtual void *make(size_t n);
    void *same(size_t n);
    virtual ~shape() {}
    int extra;
};
struct square : shape { void *make(size_t n) override; };
FAR void *block(size_t n) { char *made = new char[n]; made[0] = 1; return made; }
FAR void *shape::make(size_t n) { return block(n + 1); }
FAR void *square::make(size_t n) { return block(n + 2); }
FAR void *shape::same(size_t n) { return block(n + 3); }
FAR void *dispatched(shape *of, size_t n) { return of->make(n); }
template <typename T> FAR void *instance(T n) { return block(n + sizeof n); }
FAR void *made_new(size_t n) { return operator new(n); }
FAR void *overloaded(int n) { return block(n + 20); }
FAR void *overloaded(long n) { return block(n + 21); }
}
extern "C" FAR void *library_block(size_t n);
extern "C" FAR void *in_library(size_t n) { return library_block(n); }
int main()
{
    shop::square square;
    shop::shape *volatile any = &square;
    kept = shop::dispatched(any, 10);
    kept = any->make(20);
    kept = square.same(30);
    kept = shop::instance(40u);
    kept = shop::instance(50ul);
    kept = shop::made_new(60);
    kept = shop::overloaded(70);
    kept = shop::overloaded(80l);
    kept = in_library(95);
    return 0;
}
EOF
cat >library.c <<'EOF'
#include <stdlib.h>
extern void *volatile kept;
void *library_block(size_t n) { kept = malloc(n); return kept; }
EOF
gcc -O2 -g -fPIC -shared library.c -o liblibrary.so && g++ -O2 -g -I. shapes.cc -rdynamic -L. -llibrary -Wl,-rpath,"$tmp" -o shapes
profile shapes.data ./shapes
is "a virtual function, called by a tail call" "$(path shapes.data 12)" "shop::block"
is "a virtual function, called through its table" "$(path shapes.data 22)" "shop::block"
is "a member function" "$(path shapes.data 33)" "shop::shape::same (tail call) > shop::block"
is "instances of a template" "$(path shapes.data 44),$(path shapes.data 58)" \
    "shop::instance<unsigned int> (tail call) > shop::block,shop::instance<unsigned long> (tail call) > shop::block"
is "operator new" "$(path shapes.data 60)" "shop::made_new (tail call)"
is "overloads" "$(path shapes.data 101)" "shop::overloaded(long) (tail call) > shop::block"
is "a function of a library" "$(path shapes.data 95)" "in_library (tail call) > library_block"

# Other compilers and options.
build gcc4 gcc -O2 -gdwarf-4
restores "gcc, DWARF 4" gcc4/data
build nopie gcc -O2 -no-pie -fno-pie -fno-plt -fcf-protection=none
restores "gcc, fixed addresses, no PLT" nopie/data
build split gcc -O2 -gsplit-dwarf
restores "gcc, split debug information" split/data
if need clang; then
    for version in 4 5; do
        build clang$version clang -O2 -gdwarf-$version
        restores "clang, DWARF $version" clang$version/data
    done
else
    skip "clang" "$missing"
fi
build lto gcc -O2 -flto
restores "gcc, optimised at link time" lto/data ""
plan
# SPDX-License-Identifier: MIT
