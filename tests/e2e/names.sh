#!/bin/sh
# C++ names in reports are short, but different functions have different names. They are complete on request, in the
# legacy format, and in machine-readable output.
. "${srcdir:-.}/tests/e2e/lib.sh"

# A program with templates in which every name is known.
cat >names.cc <<'EOF2'
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

static void *kept[8];

template <class K, class V>
struct table {
    struct row {
        __attribute__((noinline)) void add(K key) { kept[0] = std::malloc(sizeof(V) + sizeof key); }
        __attribute__((noinline)) void add(V *value) { kept[1] = std::malloc(64 + sizeof *value); }
    };
};

int
main()
{
    table<std::map<int, long>, long>::row first;
    table<std::map<long, long>, long>::row second;

    first.add(std::map<int, long>());
    second.add(std::map<long, long>());
    second.add(new long);
    std::map<std::string, std::vector<std::string>> m;
    for (int i = 0; i < 100; i++)
        m[std::to_string(i)].push_back(std::string(50, 'a'));
    return kept[0] == nullptr;
}
EOF2

needs "names of C++" g++
g++ -g -O0 -o names names.cc || exit 99
"$mprof" run -q -o names.data ./names || exit 99

# widest FILE: prints the length of its longest line, in bytes.
widest()
{
    awk 'length($0) > most { most = length($0) } END { print most }' "$1"
}

# amounts FILE: prints its rows without the names at their ends.
amounts()
{
    sed -n '/^TABLE/,$p' "$1" | grep -E '^ *[0-9.]+ +[0-9]' | sed 's/ *[^ 0-9()|-].*//' | sort
}

"$mprof" report -v names.data >short
"$mprof" report -v --full-names names.data >full
"$mprof" report -v --full-names --no-skip --table=direct names.data >full_direct
"$mprof" report -v --no-skip --table=direct names.data >direct
"$mprof" -v --table=direct ./names names.data >of_1988
"$mprof" export -F chains names.data >dump

at_most "the report is readable" "$(widest short)" 500
at_least "the whole names are not" "$(widest full)" 800
has "arguments that make the difference are shown" direct \
    ' table<std::map<int, \.\.\.>, \.\.\.>::row::add$'
has "so are parameters, of functions that are overloaded" direct \
    ' table<std::map<long, \.\.\.>, \.\.\.>::row::add\(std::map<\.\.\.>\)$'
has "each by its own" direct ' table<std::map<long, \.\.\.>, \.\.\.>::row::add\(long\*\)$'
hasnt "no default argument of a template" short 'std::less'
has "one function: no arguments" short ' std::map<\.\.\.>::operator\[\]'
is "no row was lost" "$(wc -l <direct)" "$(wc -l <full_direct)"
is "figures are the same" "$(amounts direct)" "$(amounts full_direct)"
is "in the form of 1988 names are whole" "$(sed -n '/^TABLE/,/^MPROF/p' of_1988 | grep -v ^MPROF)" \
    "$(sed -n '/^TABLE/,/^MPROF/p' full_direct | grep -v ^MPROF)"
has "in a dump, too" dump \
    'main;table<std::map<long, long, std::less<long>, .*>, long>::row::add\(long\*\)$'

for name in 'table<std::map<long, ...>, ...>::row::add(long*)' \
    "$(sed -n 's/.*;\(table<.*add(long\*)\)$/\1/p' dump)"; do
    returns "--focus takes a short name and a whole one: status" 0 "$mprof" report --focus="$name" --table=direct names.data
    has "it finds the function" "$tmp/out" '^Only what was allocated through .*: 72 of '
done


# ------------------------------------------------------------------ one name, several functions
# Overloaded functions without linkage names, in the program and in a library. mprof tells equal names apart by adding
# parameters, and the program, as in program!name. The names of the source file and of the programs, o@v#1.cc, adder and
# a!b, have the same characters or contain the name of a function, and must not confuse it.
cat >'o@v#1.cc' <<'END'
#include <cstdlib>
static void *volatile sink;
namespace {
#define ADD(TYPE) __attribute__((noinline)) void add(TYPE n) { sink = std::malloc(n); asm volatile(""); }
ADD(int) ADD(long)
}
static __attribute__((noinline)) void get(int n) { sink = std::malloc(n); asm volatile(""); }
static __attribute__((noinline)) void get(long n) { sink = std::malloc(n); asm volatile(""); }
#ifdef LIBRARY
void work() { add(100); add(200L); asm volatile(""); }
#else
void work();
int main(int, char **argv) { add(std::atoi(argv[1])); add(30L); get(50); get(60L); work(); }
#endif
END
g++ -g -O1 -fPIC -shared -DLIBRARY -o libo.so 'o@v#1.cc' && g++ -g -O1 -o adder 'o@v#1.cc' ./libo.so || exit 99
cp adder 'a!b'
wanted="$(printf '%s\n' '1000 PROGRAM!add(int)' '100 libo.so!add(int)' '200 libo.so!add(long)' '30 PROGRAM!add(long)' \
    '50 get(int)' '60 get(long)' | LC_ALL=C sort)"
# sizes FILE PROGRAM: prints bytes and names of the functions in the report of FILE.
sizes()
{
    "$mprof" report --table=flat "$1" | sed 's/(anonymous namespace):://' |
        awk -v program="$2" '/(add|get)\(/ { sub(program "!", "PROGRAM!"); print $1, $NF }' | LC_ALL=C sort
}
for program in adder 'a!b'; do
    "$mprof" run -q -o "$program.data" "./$program" 1000 || exit 99
    "$mprof" run -q -o more.data "./$program" 5000 || exit 99
    is "$program: overloads without linkage names have parameters" "$(sizes "$program.data" "$program")" "$wanted"
    "$mprof" merge -q -o sum.data "$program.data" more.data
    is "$program: in a sum, too" "$(sizes sum.data "$program")" \
        "$(echo "$wanted" | awk '{ $1 = $1 == 1000 ? 6000 : 2 * $1 } 1' | LC_ALL=C sort)"
    "$mprof" diff "$program.data" more.data >out
    has "$program: and in a difference" out '[+]4000 [+]400\.0 +1000 +5000 .* [^ ]*add\(int\)'
done

# ------------------------------------------------------------------ D and Ada
# Names as the D compiler makes them, in a C program.
cat >d.c <<'END'
#include <stdlib.h>
void *make(int n) __asm__("_D4shop6Basket__T4makeTiZQiMFiZPv");
__attribute__((noinline)) void *make(int n) { return malloc((size_t)n); }
int main(void) { return make(100) == NULL; }
END
gcc -O0 -o d d.c || exit 99
"$mprof" run -q -o d.data ./d
"$mprof" export -F chains d.data >out
has "D: a function, without its parameters" out ';shop\.Basket\.make!\(int\)\.make$'

if need gnatmake; then
    cat >shop.ads <<'END'
package Shop is
   type Item is record A, B : Integer; end record;
   type Item_Ptr is access Item;
   function Make_Item (N : Integer) return Item_Ptr;
end Shop;
END
    cat >shop.adb <<'END'
package body Shop is
   function Make_Item (N : Integer) return Item_Ptr is
   begin
      return new Item'(N, N);
   end Make_Item;
end Shop;
END
    cat >sale.adb <<'END'
with Shop; use Shop;
procedure Sale is
   P : Item_Ptr;
begin
   for I in 1 .. 10 loop
      P := Make_Item (I);
   end loop;
end Sale;
END
    for debug in '' -g; do
        gnatmake -q -f $debug -o sale sale.adb >gnat.log 2>&1
        "$mprof" run -q -o sale.data ./sale
        "$mprof" report --table=leaks sale.data >out
        has "Ada: names of the source${debug:+, with debug information}" out '> sale( \(.*\))? > shop\.make_item( |$)'
    done
else
    skip "Ada: names of the source" "$missing"
fi

# --------------------------------------------------------------- without names
# The row of modules in the head begins with those that allocated most.
for size in 1000 5000 3000; do
    printf '#include <stdlib.h>\nstatic void *p;\n__attribute__((constructor)) static void f(void) { p = malloc(%d); }\n' \
        $size >lib.c
    gcc -shared -fPIC -s -o lib$size.so lib.c
done
echo 'int main(void) { return 0; }' >three.c
gcc -Wl,--no-as-needed -o three three.c ./lib1000.so ./lib5000.so ./lib3000.so
"$mprof" run -q -o three.data ./three
"$mprof" report three.data >out
has "modules without symbols: those that allocated most come first" out '^No symbols +lib5000\.so, lib3000\.so, lib1000\.so$'
plan
# SPDX-License-Identifier: MIT
