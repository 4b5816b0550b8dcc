#!/bin/sh
# Names from the available files: debug information that is separate, missing, unreadable, or truncated while it is
# read; functions to which compilers give no name.
. "${srcdir:-.}/tests/e2e/lib.sh"

export MPROF_CACHE=off         # the files themselves are read each time

# record FILE PROGRAM: makes an unsealed data file, whose names are looked up for each report.
record()
{
    rm -f "$1" "$1.live"
    MPROF_FILE=$tmp/$1.live LD_PRELOAD=$library "$2" >printed 2>&1
    ln -s "$1.live" "$1"        # reports do not seal a file that is named by a link
}

# leaks FILE [VARIABLE=FILE...]: writes the report, with lines, to the file `text`.
leaks()
{
    file=$1
    shift
    env "$@" "$mprof" report -v --lines --table=leaks "$file" >text 2>err
}

cat >inlined.c <<'EOF'
#include <stdlib.h>
static inline __attribute__((always_inline)) void *get(int n)
{
    return malloc(n);
}
__attribute__((noinline)) void *outer(int n)
{
    void *p = get(n);
    free(p);
    p = get(n + 1); __asm__("" : : "r"(p)); return p;  /* no tail call */
}
int main(void) { return outer(77) == 0; }
EOF
whole='> main \(inlined.c:12\) > outer \(inlined.c:10\) > get \(inlined.c:4\)$'
without='> main > outer$'

if ! need gcc objcopy strip; then
    skip "debug information of several kinds" "$missing"
else
    for version in 4 5; do
        gcc -g "-gdwarf-$version" -gsplit-dwarf -O1 -o "split$version" inlined.c
        record data "./split$version"
        leaks data
        has "DWARF $version, .dwo file: names and lines" text "$whole"
        hasnt "DWARF $version, .dwo file: nothing is missing" text '^Module'
        mkdir -p away
        mv ./*.dwo away
        leaks data
        has "DWARF $version, no .dwo file: it is said" text \
            "^Module .*split$version: debug information missing \(1 of 1 \.dwo files: [^ ]*inlined\.dwo\)$"
        has "DWARF $version, no .dwo file: no line of what was inlined" text "$without"
        : >"split$version.dwp"
        leaks data
        has "DWARF $version, empty .dwp file: it is said" text "^Module .*split$version: debug information missing "
        rm "split$version.dwp"
        for dwo in away/*.dwo; do
            mkfifo "${dwo#away/}"
        done
        timeout 60 "$mprof" report -v --lines --table=leaks data >text 2>err
        is "DWARF $version, a pipe instead of a .dwo file: status" "$?" 0
        has "DWARF $version, a pipe instead of a .dwo file: it is said" text \
            "^Module .*split$version: debug information missing \(1 of 1 \.dwo files: "
        mv away/*.dwo .
    done

    # Packages of .dwo files, and .dwo sections in object files. Two units have different strings.
    printf 'int unused_%s;\n' 1 2 3 | cat - inlined.c >first.c
    sed 's/main/inner_main/; s/outer/other/g' inlined.c >second.c
    sed -i 's/return outer/extern int inner_main(void); return inner_main() || outer/' first.c
    lines='> main \(first.c:15\) > outer \(first.c:13\) > get@first.c \(first.c:7\)$'
    more='> inner_main \(second.c:12\) > other \(second.c:10\) > get@second.c \(second.c:4\)$'
    for how in "gcc dwp 4" "gcc llvm-dwp 4" "gcc llvm-dwp 5" "clang llvm-dwp 4" "clang llvm-dwp 5" "clang single 4" \
        "clang single 5"; do
        # shellcheck disable=SC2086
        set -- $how
        if ! need "$1" || { [ "$2" != single ] && ! need "$2"; }; then
            skip "$how" "$missing"
            continue
        fi
        rm -f first.o second.o
        kind=-gsplit-dwarf
        [ "$2" != single ] || kind=$kind=single
        "$1" -g "-gdwarf-$3" "$kind" -O1 -c first.c second.c
        "$1" -o package first.o second.o
        if [ "$2" != single ]; then
            "$2" -e package -o package.dwp
            rm first.dwo second.dwo first.o second.o
        fi
        record data ./package
        leaks data MPROF_CACHE=off
        has "$how: names and lines" text "$lines"
        has "$how: those of another unit" text "$more"
        hasnt "$how: nothing is missing" text '^Module'
        rm -f package.dwp
    done

    gcc -g -O1 -o plain inlined.c
    if objcopy --compress-debug-sections=zstd plain zstd 2>err; then
        record data ./zstd
        leaks data
        if ldd "$mprof" | grep -q libzstd; then
            has "compressed by zstd: names and lines" text "$whole"
            at=$(readelf -SW zstd | sed -n 's/^.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\).*/\1/p')
            { head -c $((0x$at + 60)) zstd; printf '\377\377\377\377'; tail -c +$((0x$at + 65)) zstd; } >hurt
            cp hurt zstd
            leaks data MPROF_CACHE=off
            has "damaged zstd: it is said" text '^Module .*zstd: debug information unreadable$'
            has "damaged zstd: names of ELF" text "$without"
        else
            has "compressed by zstd: it is said" text \
                '^Module .*zstd: debug information unreadable \(compressed by zstd\)$'
            has "compressed by zstd: names of ELF" text "$without"
        fi
    else
        skip "compressed by zstd" "this objcopy does not know it"
    fi

    if objcopy --compress-debug-sections=zlib plain zlib 2>err; then
        record data ./zlib
        leaks data
        has "compressed by zlib: names and lines" text "$whole"
        mkdir -p none
        : >none/libdeflate.so.0         # an empty file, so that libdeflate cannot be loaded
        leaks data "LD_LIBRARY_PATH=$tmp/none"
        has "compressed by zlib, which unpacks it: the same" text "$whole"
        at=$(readelf -SW zlib | sed -n 's/^.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\).*/\1/p')
        { head -c $((0x$at + 60)) zlib; printf '\377\377\377\377'; tail -c +$((0x$at + 65)) zlib; } >hurt
        for folder in none any; do
            cp hurt zlib
            leaks data "LD_LIBRARY_PATH=$tmp/$folder" MPROF_CACHE=off
            has "damaged, $folder: it is said" text \
                '^Module .*zlib: debug information unreadable$'
            has "damaged, $folder: names of ELF" text "$without"
        done
        # A section that claims to be larger than the file is not read, but the others are.
        objcopy --compress-debug-sections=zlib plain zlib
        at=$(readelf -hW zlib | sed -n 's/^ *Start of section headers: *\([0-9]*\).*/\1/p')
        index=$(readelf -SW zlib | sed -n 's/^ *\[ *\([0-9]*\)\] \.debug_info .*/\1/p')
        printf '\377\377\377\377\017' |
            dd of=zlib bs=1 seek=$((at + 64 * index + 32)) conv=notrunc 2>err
        leaks data MPROF_CACHE=off
        hasnt "too large a section: the file has not changed" text '^Module .*changed'
        has "too large a section: names of ELF" text "$without"
    else
        skip "compressed by zlib" "this objcopy does not know it"
    fi

    objcopy --only-keep-debug plain plain.debug
    strip -o linked plain
    objcopy --add-gnu-debuglink=plain.debug linked
    record linked.data ./linked
    leaks linked.data
    has "debug file by its link" text "$whole"
    gcc -g -O1 -Wl,--build-id=none -o nameless inlined.c
    objcopy --only-keep-debug nameless nameless.debug
    strip nameless
    objcopy --add-gnu-debuglink=nameless.debug nameless
    record data ./nameless
    leaks data
    has "debug file by its checksum" text "$whole"
    echo >>nameless.debug
    leaks data
    hasnt "debug file with another checksum" text 'inlined.c'
    if truncate -s 1T nameless.debug 2>err; then
        timeout 60 "$mprof" report -v --lines --table=leaks data >text 2>err
        is "a debug file of a terabyte is not read: status" "$?" 0
        hasnt "a debug file of a terabyte is not read" text 'inlined.c'
        rm nameless.debug
    else
        skip "a debug file of a terabyte" "this file system has no such files"
    fi
    cp linked.data data

    shim=$programs/.libs/shrink.so
    for at in dwfl_module_getdwarf dwarf_getsrc_die; do
        cp plain cut
        record data ./cut
        leaks data "LD_PRELOAD=$shim" "$at=cut"
        is "program cut in $at: status" "$?" 0
        has "program cut in $at: names of before" text "$whole"
        is "program cut in $at: it was" "$(wc -c <"cut" | tr -d ' ')" 100
    done
    cp plain.debug saved
    leaks linked.data "LD_PRELOAD=$shim" dwarf_getsrc_die=plain.debug
    is "debug file cut: status" "$?" 0
    has "debug file cut: names of before" text "$whole"
    is "debug file cut: it was" "$(wc -c <plain.debug | tr -d ' ')" 100
    leaks linked.data
    is "debug file cut before: status" "$?" 0
    cp saved plain.debug
    rm ./*.dwo
    gcc -g -gdwarf-5 -gsplit-dwarf -O1 -o split5 inlined.c
    record data ./split5
    for dwo in ./*inlined.dwo; do
        leaks data "LD_PRELOAD=$shim" "dwarf_getsrc_die=$dwo"
        is "$dwo cut: status" "$?" 0
        is "$dwo cut: it was" "$(wc -c <"$dwo" | tr -d ' ')" 100
    done
    has ".dwo file cut: names of before" text "$whole"
fi

if ! need g++; then
    skip "functions without names" "$missing"
else
    g++ -g -O0 -std=gnu++17 -o lambdas "$src/tests/programs/lambdas.cc"
    record data ./lambdas
    "$mprof" report -v --table=direct data >text
    for line in 25 26 27; do
        has "the lambda of line $line" text " 1 lambda@lambdas\.cc:$line$"
    done
    "$mprof" report -v --no-lines --table=leaks --chain=all data >text
    has "what initialises variables of a thread" text '> TLS init function for shared > '
fi

# 80 MB of debug information: each unit describes 12,000 types
if need gcc seq awk "$python"; then
    seq 12000 | awk '{ print "struct s" $1 " { int a" $1 "[" $1 % 50 + 1 "]; struct s" $1 " *p; };" }' >many.c
    echo '#include <stdlib.h>
    void *kept; int main(void) { kept = malloc(40); return 0; }' >one.c
    gcc -g -O0 -fno-eliminate-unused-debug-types -c many.c one.c
    set --
    for i in $(seq 160); do
        ln many.o "many$i.o"
        set -- "$@" "many$i.o"
    done
    gcc -g -Wl,-z,muldefs -o large one.o "$@"
    record data ./large
    at_least "large: its size in MB" "$(($(wc -c <large) / 1000000))" 75
    "$python" -c 'if True:
        import resource, subprocess, sys
        subprocess.run(sys.argv[1:], check=True, stdout=open("text", "w"))
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000)' \
        "$mprof" report -v --table=bins data >memory
    has "large: types are found" text '^ *40 .* s1007,'
    at_most "large: MB of memory for its report" "$(cat memory)" 60
else
    skip "large debug information" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
