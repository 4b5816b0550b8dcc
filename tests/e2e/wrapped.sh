#!/bin/sh
# Other preloaded libraries may wrap any function of libc that the monitor calls, and allocate there (libfaketime and
# fakeroot wrap stat and similar functions). Here a library wraps all of them.
. "${srcdir:-.}/tests/e2e/lib.sh"

# wrappers NAME...: prints an assembly source with a wrapper for each function, and the table that wrapping.c reads.
wrappers()
{
    echo '.text'
    number=0
    for name; do
        echo ".globl $name; .type $name, @function; $name: .cfi_startproc"
        echo "  push %rbp; .cfi_def_cfa_offset 16; .cfi_offset %rbp, -16; mov %rsp, %rbp; .cfi_def_cfa_register %rbp"
        for register in rax rdi rsi rdx rcx r8 r9 r10; do
            echo "  push %$register"
        done
        echo '  sub $128, %rsp'
        for i in 0 1 2 3 4 5 6 7; do
            echo "  movups %xmm$i, $((16 * i))(%rsp)"
        done
        echo "  mov \$$number, %edi; call wrapping_next@PLT; mov %rax, %r11"
        for i in 0 1 2 3 4 5 6 7; do
            echo "  movups $((16 * i))(%rsp), %xmm$i"
        done
        echo '  add $128, %rsp'
        for register in r10 r9 r8 rcx rdx rsi rdi rax; do
            echo "  pop %$register"
        done
        echo "  pop %rbp; .cfi_def_cfa %rsp, 8; jmp *%r11; .cfi_endproc; .size $name, . - $name"
        number=$((number + 1))
    done
    echo '.section .data.rel.ro, "aw"; .globl wrapping_names; wrapping_names:'
    number=0
    for name; do
        echo "  .quad name_$number"
        number=$((number + 1))
    done
    echo '.section .rodata'
    number=0
    for name; do
        echo "name_$number: .string \"$name\""
        number=$((number + 1))
    done
    echo ".bss; .globl wrapping_found; wrapping_found: .skip $((8 * number))"
    echo '.section .note.GNU-stack, ""'
}

if [ "$(uname -m)" != x86_64 ]; then
    skip "every function that the monitor calls is wrapped" "the wrappers are for x86-64"
elif ! need gcc readelf; then
    skip "every function that the monitor calls is wrapped" "$missing"
else
    readelf --dyn-syms -W "$library" >symbols
    names=$(awk '$4 == "FUNC" && $7 == "UND" { sub(/@.*/, "", $8); print $8 }' symbols | LC_ALL=C sort -u)
    at_least "functions of libc that the monitor calls" "$(echo "$names" | wc -l)" 20
    # shellcheck disable=SC2086
    wrappers $names >wrappers.S
    ok "a library that wraps them is made" gcc -shared -fPIC -O2 -fno-builtin -o all.so \
        "$src/tests/programs/wrapping.c" wrappers.S

    # wrapped NAME COMMAND...: tests that with that library before and after the monitor, output, errors and status
    # are those without mprof, and that there is one recording.
    wrapped()
    {
        name=$1
        shift
        run "$@"
        mv out bare.out
        mv err bare.err
        bare_status=$status
        for order in before behind; do
            preload=$library:$tmp/all.so
            [ $order = behind ] || preload=$tmp/all.so:$library
            rm -f w.data*
            LD_PRELOAD=$preload MPROF_FILE=w.data "$@" >out 2>err </dev/null
            is "$name, $order ours: status" "$?" "$bare_status"
            ok "$name, $order ours: output" diff bare.out out
            ok "$name, $order ours: errors" diff bare.err err
            is "$name, $order ours: one recording" "$(ls w.data*)" w.data
            returns "$name, $order ours: it can be read" 0 "$mprof" report w.data
        done
    }
    wrapped "a loop" "$programs/killme" 1000 exit
    is "each allocation of the program is counted" "$(books self one_block w.data | cut -d' ' -f1)" 1000
    wrapped "a program in a shell" sh -c 'echo done; exit 3'
    if need perl; then
        # shellcheck disable=SC2016
        wrapped "perl" perl -e '$h{$_ % 97} .= "$_," for 1 .. 3000; print length(join "", sort values %h), "\n"'
    fi
    wrapped "threads" "$python" -c 'import threading
list(map(threading.Thread.start, [threading.Thread(target=lambda: [str(i) for i in range(1000)]) for _ in range(20)]))'
fi

# The two libraries that are commonly used.
if need faketime; then
    returns "faketime mprof run: status" 0 faketime 2020-01-01 "$mprof" run -o f.data perl -e 'print 1'
    is "faketime mprof run: output" "$(cat out)" 1
    has "faketime mprof run: it is recorded" err '^mprof:   allocations  [0-9,]{3,}'
else
    skip "faketime mprof run" "$missing"
fi
if need fakeroot perl; then
    # shellcheck disable=SC2016
    returns "fakeroot mprof run: status" 0 fakeroot "$mprof" run -o r.data perl -e '$h{$_} = 1 for 1 .. 1000'
    is "fakeroot mprof run: one recording" "$(ls r.data*)" r.data
    at_least "fakeroot mprof run: all is in it" "$(total allocs r.data)" 1500
else
    skip "fakeroot mprof run" "$missing"
fi
plan
# SPDX-License-Identifier: MIT
