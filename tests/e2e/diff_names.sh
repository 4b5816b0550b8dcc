#!/bin/sh
# mprof diff and mprof merge distinguish functions of one name, and find them again in other builds, by what the program
# contains and never by texts: whatever the program is called, and wherever its functions are.
. "${srcdir:-.}/tests/e2e/lib.sh"

cxx=${CXX:-g++}
cc=${CC:-gcc}
flags="-O1 -fno-optimize-sibling-calls -fno-inline"

# rows: prints the rows of the table by function in `out`, each as "CHANGE WORD NAME...", sorted.
rows()
{
    sed -n '/^CHANGES BY FUNCTION$/,/^CHANGES BY CHAIN$/p' out |
        awk 'match($0, / (new|gone|grown|shrunk) /) { print $1, substr($0, RSTART + 1) }' | tr -s ' ' | LC_ALL=C sort
}

# changed TITLE BEFORE AFTER EXPECTED...: tests the rows of the difference.
changed()
{
    title=$1 before=$2 after=$3
    shift 3
    "$mprof" diff -v "$before" "$after" >out 2>err
    rows >got
    printf '%s\n' "$@" | LC_ALL=C sort >expected
    ok "$title" diff got expected
}

needs "names in differences" "$cxx"

# ------------------------------------------------------------------ overloads
cat >lib.cc <<'END'
#include <cstdlib>
void *volatile sink;
HIDDEN void add(int n) { sink = malloc((size_t)n); }
HIDDEN void add(long n) { sink = malloc((size_t)n); }
void work_lib(int i, long l) { add(i); add(l); sink = NULL; }
END
cat >main.cc <<'END'
#include <cstdlib>
void work_lib(int, long);
extern void *volatile sink;
SPACE
HIDDEN void add(int n) { sink = malloc((size_t)n); }
HIDDEN void add(long n) { sink = malloc((size_t)n); }
#ifdef SHORT
HIDDEN void add(short n) { sink = malloc(7 + (size_t)n); }
#endif
END_SPACE
int main(int, char **argv)
{
    add(atoi(argv[1]));
    add(atol(argv[2]));
#ifdef SHORT
    add((short)1);
#endif
    work_lib(10, 20);
    return 0;
}
END
# build FOLDER SOURCE OPTION...: builds FOLDER/adder and its library, both with overloads that only they see.
build()
{
    folder=$1 source=$2
    shift 2
    mkdir "$folder"
    # shellcheck disable=SC2086
    {
        "$cxx" $flags "$@" "$hidden" -fPIC -shared -o "$folder/libadd2.so" lib.cc
        "$cxx" $flags "$@" "$hidden" -DSPACE= -DEND_SPACE= -o "$folder/adder" "$source" "$PWD/$folder/libadd2.so"
    }
}
hidden='-DHIDDEN=__attribute__((visibility("hidden")))'
build one main.cc -g
profile small.data one/adder 1000 30
profile large.data one/adder 5000 30
changed "an overload grew" small.data large.data "+4000 grown add(int)@main.cc"
for name in add f main lib2.cc 'a!b' 'add(int)' libadd2.so.1 'x@y.c#2' add.part.0; do
    cp one/adder "./$name"
    profile named.data "./$name" 5000 30
    changed "... of a program called $name" small.data named.data "+4000 grown add(int)@main.cc"
    profile named_small.data "./$name" 1000 30
    changed "... before and after" named_small.data named.data "+4000 grown add(int)@main.cc"
done
build bare main.cc
profile other.data bare/adder 5000 30
changed "... without debug information" small.data other.data "+4000 grown add(int)@adder"
build newer main.cc -O2 -g -DSHORT
profile newer.data newer/adder 1000 30
changed "a new overload is new, and the others are as before" small.data newer.data "+8 new add(short)@main.cc"
changed "... the other way round" newer.data small.data "-8 gone add(short)@main.cc"
{ echo; echo; cat main.cc; } >moved.cc
build moved moved.cc -g
profile moved.data moved/adder 5000 30
changed "overloads that moved to another file" small.data moved.data "+4000 grown add(int)@moved.cc"
"$mprof" merge -q -o sum.data small.data newer.data other.data
"$mprof" merge -q -o turned.data other.data small.data newer.data
ok "a sum does not depend on the order" cmp sum.data turned.data
"$mprof" export -F chains sum.data | sed -n 's/^[0-9]* \([0-9]*\) .*[;!]\(add([a-z]*)\).*/\2 \1/p' >found
awk '{ sum[$1] += $2 } END { print sum["add(int)"], sum["add(long)"], sum["add(short)"] }' found >sums
is "a sum keeps overloads apart" "$(cat sums)" \
    "7030 150 8"

# -------------------------------------------------------- an anonymous namespace
# shellcheck disable=SC2086
for how in -g -g0; do
    "$cxx" $flags $how -DHIDDEN= '-DSPACE=namespace {' '-DEND_SPACE=}' -o "anon$how" main.cc "$PWD/one/libadd2.so"
    profile anon_small.data "./anon$how" 1000 30
    profile anon_large.data "./anon$how" 1000 90
    "$mprof" diff -v anon_small.data anon_large.data >out
    has "an anonymous namespace, $how" out '^ *\+60 .* grown +\(anonymous namespace\)::add\(long\)$'
done

# ------------------------------------------------- static functions of one name
mkdir -p src/a src/b new/a new/b
cat >src/a/util.c <<'END'
#include <stdlib.h>
extern void *volatile sink;
static void fill(long n) { sink = malloc((size_t)n); }
void WORK(long n) { fill(n); sink = NULL; }
END
cp src/a/util.c src/b/util.c
{ echo "/* new */"; cat src/a/util.c; } >new/a/util.c
cp new/a/util.c new/b/util.c
cat >places.c <<'END'
#include <stdlib.h>
void *volatile sink;
void work_a(long), work_b(long);
int main(int argc, char **argv) { (void)argc; work_a(atol(argv[1])); work_b(atol(argv[2])); return 0; }
END
# places PROGRAM FOLDER OPTION...: builds a program whose two functions fill() are in files of one name.
places()
{
    program=$1 folder=$2
    shift 2
    # shellcheck disable=SC2086
    {
        $cc $flags "$@" -DWORK=work_a -c -o a.o "$folder/a/util.c"
        $cc $flags "$@" -DWORK=work_b -c -o b.o "$folder/b/util.c"
        $cc $flags "$@" -o "$program" places.c a.o b.o
    }
}
places places_g src -g
profile places_small.data ./places_g 1000 30
profile places_large.data ./places_g 5000 10
changed "files of one name" places_small.data places_large.data "+4000 grown fill@a/util.c" "-20 shrunk fill@b/util.c"
places places_new new -g -O2
profile places_new.data ./places_new 5000 10
changed "... in a new build from other folders" places_small.data places_new.data \
    "+4000 grown fill@a/util.c" "-20 shrunk fill@b/util.c"
places places_bare src
profile bare_small.data ./places_bare 1000 30
profile bare_large.data ./places_bare 5000 10
"$mprof" diff -v bare_small.data bare_large.data >out
is "... of one build without debug information" "$(rows | sed 's/0x[0-9a-f]*/0x/')" "+4000 grown fill@util.c@0x
-20 shrunk fill@util.c@0x"
"$mprof" merge -q -o places.data places_small.data places_large.data
"$mprof" export -F chains places.data | sed -n 's/^[0-9]* \([0-9]*\) .*;\(fill@[^ ]*\)$/\2 \1/p' >sums
is "a sum keeps them apart" "$(LC_ALL=C sort sums)" "fill@a/util.c 6000
fill@b/util.c 40"
plan
# SPDX-License-Identifier: MIT
