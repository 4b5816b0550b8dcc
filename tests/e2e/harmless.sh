#!/bin/sh
# A profiled program does what it does without mprof: output, status, allocator, unwinder, limits.
. "${srcdir:-.}/tests/e2e/lib.sh"

same semantics "$programs/semantics"
same early "$programs/early"
same forker "$programs/forker"
same "no output, no memory" true
same "a status" sh -c 'exit 41'
same "a signal" sh -c 'kill -TERM $$'
same "a shell of pipes" sh -c 'seq 1 1000 | sort -r | head -3; echo done'
same "few open files" sh -c 'ulimit -n 4; cat /etc/hostname'
same "another directory" sh -c 'cd / && pwd'
same "a program that is not there" sh -c '/does/not/exist'
same torture "$programs/torture" 3 2
if need perl; then
    # shellcheck disable=SC2016
    same "an environment" perl -e 'print map { "$_\n" } grep { !/^(MPROF_.*|LD_PRELOAD|_)$/ } sort keys %ENV'
    same "a child's environment" sh -c 'perl -e "print exists \$ENV{LD_PRELOAD} ? qq(has) : qq(none)"'
else
    skip "an environment" "$missing"
fi
if need gcc; then
    echo 'int main(void) { return 0; }' >unit.c
    same "a compiler" gcc -O2 -c unit.c -o unit.o
    ok "a compiler: its object links" gcc unit.o -o unit

    # Go's runtime and others look for the auxiliary vector behind the NULL of the environment. The variables that
    # mprof removes from the environment may be any number. envp, environ and argv + argc + 1 are the same array.
    cat >auxiliary.c <<'END'
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
extern char **environ;
int main(int argc, char **argv, char **envp)
{
    char **at = envp;
    unsigned long found = 0;
    if (envp != environ || envp != argv + argc + 1)
        return 1;
    for (; *at; at++)
        if (strncmp(*at, "_=", 2) != 0 || strcmp(argv[1], "all") == 0)
            puts(*at);
    for (ElfW(auxv_t) *pair = (void *)(at + 1); pair->a_type != AT_NULL; pair++)
        if (pair->a_type == AT_PAGESZ)
            found = pair->a_un.a_val;
    return found == getauxval(AT_PAGESZ) ? 5 : 2;
}
END
    ok "the auxiliary vector: compiles" gcc -o auxiliary auxiliary.c
    set --
    for n in 1 2 3 4 5 6 7 8; do
        set -- "$@" "MPROF_$n=1"
        returns "the auxiliary vector, $n variables" 5 env -i "$@" A=1 ./auxiliary most
        is "the auxiliary vector, $n variables: unprofiled" "$(grep -c MPROF out)" "$n"
        for other in "" ":$programs/.libs/bump.so"; do
            returns "the auxiliary vector, $n variables, LD_PRELOAD$other" 5 \
                env -i A=1 "$@" LD_PRELOAD="$library$other" B=2 ./auxiliary most
            is "the environment, $n variables, LD_PRELOAD$other" "$(tr '\n' ' ' <out)" \
                "A=1 ${other:+LD_PRELOAD=${other#:} }B=2 "
        done
    done
    returns "the auxiliary vector, our library only" 5 env -i LD_PRELOAD="$library" MPROF_FILE=no.data ./auxiliary all
    empty "the environment, our library only" out
    for options in "" --depth=5 "--depth=5 --lifetimes" "--depth=5 --lifetimes --held" "-f" "-f --depth=5"; do
        for other in "" "$programs/.libs/bump.so"; do
            # shellcheck disable=SC2086
            returns "the auxiliary vector, run $options, LD_PRELOAD=$other" 5 \
                env -i A=1 ${other:+LD_PRELOAD="$other"} B=2 "$mprof" run -q $options -o aux.data ./auxiliary all
            [ "${options#-f}" = "$options" ] || continue
            is "the environment, run $options, LD_PRELOAD=$other" "$(tr '\n' ' ' <out)" \
                "A=1 ${other:+LD_PRELOAD=$other }B=2 "
        done
    done
else
    skip "a compiler" "$missing"
fi

# Without open files, the data file must not become the program's standard output.
(
    exec <&- >&- 2>&-
    LD_PRELOAD=$library MPROF_FILE=closed.data "$programs/killme" 1000 exit
)
is "closed files: the program sees no others" $? 99
is "closed files: allocations" "$(books self one_block closed.data | cut -d' ' -f1)" 1000

# mprof run -q prints nothing else, either.
run "$mprof" run -q -o same.data "$programs/semantics"
mv out profiled.out
run "$programs/semantics"
ok "mprof run: output" diff out profiled.out

# The program's unwinder and allocator are its own, except for the functions of the malloc family.
"$programs/own_unwind" >bare.out
profile own.data "$programs/own_unwind"
is "own_unwind: status" "$status" 0
for ours in malloc sigaction; do
    is "own_unwind: $ours is ours" "$(awk -v name=$ours '$1 == name { print $2 }' out)" "$(basename "$library")"
done
grep -vE '^(malloc|free|sigaction) ' bare.out >bare.rest
grep -vE '^(malloc|free|sigaction) ' out >out.rest
ok "own_unwind: all else is not" diff bare.rest out.rest

# Another allocator stays the program's allocator.
for other in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
    if ! LD_PRELOAD=$other env true 2>/dev/null ||
        [ -n "$(LD_PRELOAD=$other env true 2>&1)" ]; then
        skip "$other" "it is not installed"
        continue
    fi
    LD_PRELOAD=$other "$programs/semantics" >bare.out 2>bare.err
    bare_status=$?
    # layout differs from run to run with other allocators
    LD_PRELOAD="$library $other" MPROF_FILE=other.data "$programs/semantics" >out 2>err
    is "$other: status" "$?" "$bare_status"
    grep -v distance bare.out >bare.rest
    grep -v distance out >out.rest
    ok "$other: output" diff bare.rest out.rest
    ok "$other: errors" diff bare.err err
    LD_PRELOAD="$library $other" MPROF_FILE=other.data "$top/examples/widgets"
    is "$other: allocations" "$(books inclusive main other.data | cut -d' ' -f1,2)" "10000 2040000"
    LD_PRELOAD="$library $other" MPROF_FILE=other.data "$programs/torture" 5 3 >out 2>&1
    is "$other: torture" "$(cat out)" ok
done

# A program into which nothing can be preloaded is refused in one line.
complains "a static program: said" '^mprof: .*static' "$mprof" run -o static.data "$programs/static_prog"
is "a static program: one line" "$(wc -l <err)" 1
ok "a static program: not a success" test "$status" -ne 0

# If the data file cannot be written, one line says so and the program goes on.
profile /does/not/exist/mprof.data "$programs/semantics"
is "unwritable: status" "$status" 0
mv out profiled.out
mv err profiled.err
run "$programs/semantics"
ok "unwritable: output" diff out profiled.out
is "unwritable: one line" "$(grep -c '^mprof: ' profiled.err) $(wc -l <profiled.err)" "1 1"
plan
# SPDX-License-Identifier: MIT
