#!/bin/sh
# Programs that are built with sanitizers. One whose runtime replaces malloc cannot be profiled: mprof run says so and runs
# it without mprof, as it runs if a profiled program starts it. The others are profiled.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >small.c <<'END'
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    char *volatile block = malloc(100);
    volatile int large = 0x7fffffff;

    for (int i = 0; i < 100; i++)
        free(malloc((size_t)i));
    if (argc > 1)
        large++;
    free(block);
    printf("%s\n", argv[0]);
    return 5;
}
END

# ThreadSanitizer needs certain addresses, which mappings at random addresses may take.
still=
if need setarch && setarch -R true 2>/dev/null; then
    still='setarch -R'
fi

# expect WHAT COMPILER FLAG...: builds small.c and tests that it is refused, or that it is profiled.
expect()
{
    what=$1
    shift
    if ! need "$1" || ! "$@" -O1 -g -fno-builtin -o small small.c 2>link.err; then
        skip "$*" "${missing:-$(grep -m 1 'cannot find\|unsupported' link.err)}"
        return
    fi
    # shellcheck disable=SC2086
    run $still ./small x
    mv out bare.out
    sed 's/==[0-9]*==//; s/tid=[0-9]*//' err >bare.err
    bare=$status
    rm -f data*
    if [ "$what" = refused ]; then
        # shellcheck disable=SC2086
        run $still "$mprof" run -o data ./small x
        is "$*: status $bare, unprofiled" "$status" "$bare"
        ok "$*: output, unprofiled" diff bare.out out
        has "$*: mprof run says why" err '^mprof: ./small: is built with a sanitizer'
        ok "$*: one line besides its own errors" eval "sed '1d; s/==[0-9]*==//; s/tid=[0-9]*//' err | diff bare.err -"
        returns "$*: a check is refused" 126 "$mprof" run --check --max-kept=1G -o data ./small x
    else
        run "$mprof" run -q -o data ./small x
        is "$*: status $bare" "$status" "$bare"
        ok "$*: output" diff bare.out out
        ok "$*: errors" eval "sed 's/==[0-9]*==//; s/tid=[0-9]*//' err | diff bare.err -"
        at_least "$*: allocations" "$(total allocs data)" 101
    fi
    # shellcheck disable=SC2086
    run $still "$mprof" run -f -o data sh -c './small x; exit $?'
    is "$*, started: status $bare" "$status" "$bare"
    ok "$*, started: output" diff bare.out out
    if [ "$what" = refused ]; then
        has "$*, started: the summary counts it" err \
            '^mprof:   small: is built with a sanitizer, .*so it cannot be profiled$'
    else
        has "$*, started: the summary lists it" err '^mprof:   small\[[0-9]*\]  '
    fi
    # A shared runtime of a sanitizer refuses to run if another library was loaded before it, as by LD_PRELOAD.
    readelf -d small | grep -qE 'NEEDED.*(lib[ath]*san|clang_rt)' && return
    # shellcheck disable=SC2086
    run $still env LD_PRELOAD="$library" MPROF_FILE=data ./small x
    is "$*, preloaded: status $bare" "$status" "$bare"
    ok "$*, preloaded: output" diff bare.out out
}

for sanitizer in address thread leak memory; do
    expect refused clang -fsanitize=$sanitizer
done
expect refused clang -fsanitize=address -s
expect refused gcc -fsanitize=address
expect refused gcc -fsanitize=thread
expect refused gcc -fsanitize=address -static-libasan
expect refused gcc -fsanitize=address -static-libasan -s
expect refused gcc -fsanitize=thread -static-libtsan
expect refused gcc -fsanitize=leak -static-liblsan
expect profiled clang -fsanitize=undefined
expect profiled gcc -fsanitize=undefined
expect profiled gcc -fsanitize=undefined -static-libubsan
expect profiled gcc -fsanitize=leak
runtime=$(clang -print-file-name=libclang_rt.asan-x86_64.so 2>clang.err)
if [ -f "$runtime" ]; then
    LD_LIBRARY_PATH=${runtime%/*}
    export LD_LIBRARY_PATH
fi
for sanitizer in address thread; do
    expect refused clang -fsanitize=$sanitizer -shared-libsan
done
expect profiled clang -fsanitize=undefined -shared-libsan
unset LD_LIBRARY_PATH

# A program that a started program starts is counted, too.
if need gcc && gcc -fsanitize=leak -static-liblsan -o small small.c 2>link.err; then
    run "$mprof" run -f -o data sh -c 'sh -c "./small; ./small; :"; ./small; :'
    has "started by a started program: the summary counts them" err \
        '^mprof:   small \(3\): is built with a sanitizer, .*so it cannot be profiled$'
else
    skip "started by a started program" "${missing:-gcc has no LeakSanitizer}"
fi

# gperftools' profiler handles signals before the constructors of other libraries run.
if need gcc && gcc -o profiled small.c -Wl,--no-as-needed -lprofiler 2>link.err; then
    CPUPROFILE=cpu.prof
    export CPUPROFILE
    returns "-lprofiler: status" 5 "$mprof" run -q -o data ./profiled
    is "-lprofiler: output" "$(cat out)" ./profiled
    ok "-lprofiler: its data" test -s cpu.prof
else
    skip "-lprofiler" "${missing:-it is not installed}"
fi
plan
# SPDX-License-Identifier: MIT
