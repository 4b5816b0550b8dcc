#!/bin/sh
# Functions for which compilers do something unusual: lambdas, which have no names, and cold parts, which are separate
# from the rest. And a file that is not the program.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >one.cc <<'ENDC'
#include <cstdlib>
#include <functional>
void *volatile kept;
volatile int n;
void two(const std::function<void()> &);

__attribute__((noinline)) void
apply(const std::function<void()> &f)
{
    f();
    n++;
}

template <class F> __attribute__((noinline)) void
call(F f, size_t size)
{
    kept = malloc(size);
    f();
    n++;
}

int
main()
{
    apply([] { kept = malloc(100); n++; });
    apply([] { two([] { kept = malloc(5000); n++; }); n++; });
    call([] { n++; }, 1);
    call([] { n += 2; }, 20);
}
ENDC
cat >two.cc <<'ENDC'
#include <cstdlib>
#include <functional>
extern void *volatile kept;
extern volatile int n;

__attribute__((noinline)) void
two(const std::function<void()> &f)
{
    auto g = [&] { kept = malloc(30); f(); n++; };

    g();
    n++;
}
ENDC
# lambdas NAME: prints the bytes of functions whose names begin with NAME, sorted.
lambdas()
{
    "$mprof" report --no-pager -v --table=direct lambdas.data |
        awk -v name="^[ 0-9]*$1" -F'|' '$NF ~ name { split($1, field, " "); print field[2] }' |
        sort -n | tr '\n' ' '
}
if need g++; then
    for level in 0 1 2; do
        ok "lambdas, -O$level: compiles" g++ -g -O$level -fno-builtin -o lambdas one.cc two.cc
        returns "lambdas, -O$level: status" 0 "$mprof" run -q -o lambdas.data ./lambdas
        is "lambdas, -O$level: each is itself" "$(lambdas 'lambda@')" "30 100 5000 "
        is "lambdas, -O$level: so is a template of each" "$(lambdas 'call<')" "1 20 "
    done
else
    skip "lambdas" "$missing"
fi

cat >cold.c <<'ENDC'
#include <stdlib.h>
static void *volatile kept;
static volatile int n = 9;

__attribute__((cold, noinline)) static void
error(void)
{
    n++;
}

__attribute__((noinline)) static void
work(int k)
{
    if (k > 3) {
        kept = malloc(10);
        error();
        kept = malloc(20);
        error();
        kept = malloc(40);
        error();
    }
    n++;
    kept = malloc(5);
    n++;
}

int
main(void)
{
    work(n);
    return 0;
}
ENDC
if need gcc; then
    ok "a cold part: compiles" gcc -O2 -g -fno-builtin -o cold cold.c
    run "$mprof" run -q -o cold.data ./cold
    "$mprof" report --no-pager -v -offsets --table=leaks cold.data >out
    is "a cold part: each call is a row" \
        "$(sed -nE 's/^ *([0-9]+) +([0-9]+) .* > work[-+][0-9]+$/\1 \2/p' out | sort -n -k2 |
            tr '\n' ' ')" "1 5 1 10 1 20 1 40 "
else
    skip "a cold part" "$missing"
fi

# Templates expand to names of thousands of characters, which differ at their ends.
cat >long.cc <<'ENDC'
#include <cstdlib>
void *volatile kept;
template <class A, class B> struct pair_of_things { };
template <class T> using twice = pair_of_things<T, T>;
template <class T> using often = twice<twice<twice<twice<twice<twice<twice<twice<T>>>>>>>>;

template <class A, class B> __attribute__((noinline)) void
make(size_t size)
{
    kept = malloc(size);
}

int
main()
{
    make<often<int>, char>(10);
    make<often<int>, long>(20);
}
ENDC
# names FILE: prints the names of the functions that allocate 10 and 20 bytes, in three tables and the exported
# chains.
names()
{
    "$mprof" export -F chains "$1" | sed -nE 's/^1 (10|20) .*;(make<[^;]*)$/\1 \2/p' | sort >dumped
    "$mprof" report --no-pager -v --full-names --table=direct "$1" |
        sed -nE 's/^ *[0-9.]+ +(10|20) .*\| +1 (make<.*)$/\1 \2/p' | sort >direct
    "$mprof" report --no-pager --no-lines -v --full-names --table=leaks "$1" |
        sed -nE 's/^ *1 +(10|20) .* > (make<.*)$/\1 \2/p' | sort >leaks
    "$mprof" report --no-pager -v --full-names --table=graph "$1" |
        sed -nE 's/^\[[0-9]+\] +[0-9.]+ +(10|20) .* +1 +\[[0-9]+\] +(make<.*)$/\1 \2/p' | sort >graph
}
if need g++; then
    ok "long names: compiles" g++ -O1 -g -fno-builtin -o long long.cc
    profile long.data ./long
    names long.data
    is "long names: they are whole" \
        "$(awk '{ print $1, (length > 4000), substr($0, length - 5) }' dumped | tr '\n' ' ')" \
        "10 1  char> 20 1  long> "
    for table in direct leaks graph; do
        ok "long names: table of $table" cmp dumped $table
    done
    run "$mprof" run -q -o long.data ./long
    mv dumped live
    names long.data
    ok "long names: in a sealed file" cmp live dumped
else
    skip "long names" "$missing"
fi

# The error is about the given file, not about the program.
LD_PRELOAD=$library MPROF_FILE=live.data "$top/examples/widgets"
refuses "another program: it is named" 1 "$programs/deep has build-id [0-9a-f]*\.\., not " \
    "$mprof" report --no-pager --executable="$programs/deep" live.data
refuses "no program: it is named" 1 "/etc/passwd is not an ELF file$" \
    "$mprof" report --no-pager --executable=/etc/passwd live.data
plan
# SPDX-License-Identifier: MIT
