#!/bin/sh
# Expectations in tests written in C: macros and a fixture of mprof.h, with and without the library.
. "${srcdir:-.}/tests/e2e/lib.sh"

run "$programs/expect"
is "without the library: nothing is expected" "$status $(cat out)" "0 rounds 1"

cat >wanted <<'END'
failed: expect.c:N: 4 allocations, 3 expected at most
failed: expect.c:N: 30 bytes allocated, 29 expected at most
failed: expect.c:N: 1 blocks kept, 0 expected at most
failed: expect.c:N: 2 allocations, 1 expected at most
rounds 1
END
# numbered FILE: prints FILE with N in place of the line numbers, which change with the source.
numbered()
{
    sed 's/:[0-9]*:/:N:/' "$1"
}
profile data "$programs/expect"
numbered out >got
is "with it: status" "$status $(cat err)" "0 "
ok "what is expected in vain" diff wanted got
line=$(sed -n 's/^failed: expect.c:\([0-9]*\): 4 .*/\1/p' out)
has "the line is the macro's" "$src/tests/programs/expect.c" 'MPROF_EXPECT_MAX_ALLOCS\(3\) \{'
is "the same line" "$(sed -n "${line:-1}p" "$src/tests/programs/expect.c")" "    MPROF_EXPECT_MAX_ALLOCS(3) {"

MPROF_SAMPLE=1K
export MPROF_SAMPLE
profile sampled.data "$programs/expect"
unset MPROF_SAMPLE
is "sampled: allocations are exact" "$(numbered out | sed -n 1p)" \
    "failed: expect.c:N: 4 allocations, 3 expected at most"

prints "Check: without the library all pass" '^100%: Checks: 4, Failures: 0, Errors: 0$' "$programs/expect_check"
profile check.data "$programs/expect_check"
is "Check: with it two fail" "$status" 0
has "Check: as it counts them" out '^50%: Checks: 4, Failures: 2, Errors: 0$'
has "Check: by a macro" out 'allocates_two:0: .*expect_check\.c:[0-9]+: 2 allocations, 1 expected at most$'
has "Check: by the fixture" out 'fixture:keeps:0: 1 blocks kept$'

cat >alone.c <<'END'
#include "runtime/mprof.h"
int main(void)
{
    MPROF_EXPECT_MAX_ALLOCS(0) {
        free(malloc(10));
    }
    return 0;
}
END
for compiler in "cc" "c++ -x c++" "gcc -fno-pie -no-pie"; do
    name=$compiler
    # shellcheck disable=SC2086
    ok "$name: it compiles" $compiler -Wall -Wextra -Werror -fno-builtin -I"$src" -o alone alone.c
    profile alone.data ./alone
    is "$name: it ends by abort()" "$status" 134
    has "$name: and says why" err '^alone\.c:4: 1 allocations, 0 expected at most$'
done
cat >old.c <<'END'
#include "runtime/mprof.h"
int main(void)
{
    MPROF(mprof_checkpoint("here"));
    return 0;
}
END
ok "C of 1989 has the rest" cc -std=c89 -pedantic -Wall -Werror -I"$src" -o old old.c
plan
# SPDX-License-Identifier: MIT
