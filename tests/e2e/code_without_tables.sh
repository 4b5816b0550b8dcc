#!/bin/sh
# Code without .eh_frame: chains go on by .debug_frame or by frame pointers, and are cut where there are neither. A chain
# counts as whole only if it reaches a function that is known to be outermost, with each unwinder.
. "${srcdir:-.}/tests/e2e/lib.sh"

grep -q '^#define MP_HAVE_RULES 1' "$top/config.h" || skip_all "code without tables" "libunwind captures all chains here"
need gcc || skip_all "code without tables" "$missing"

# Loops, early returns, a jump table, tail calls, alloca, a call that does not return, libc's qsort in between.
cat >shapes.c <<'END'
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#ifndef EXPORTED
#define EXPORTED static
#endif
#define FAR __attribute__((noipa))
static void *volatile block;
FAR static int leaf(int n) { block = malloc(n + 1); free(block); return n; }
FAR static int early(int n, int *sum) { if (n == 3) return 1; if (n > 5) { *sum += leaf(n); return *sum; } return leaf(n) + *sum; }
FAR static int chosen(int n, int *sum)
{
    switch (n) {
    case 0: return leaf(10) + *sum;
    case 1: *sum += leaf(11); return 2;
    case 2: *sum -= leaf(12); break;
    case 3: *sum ^= leaf(13); return *sum;
    case 4: *sum |= leaf(14); break;
    case 5: *sum += early(15, sum); return 9;
    case 6: *sum *= leaf(16); break;
    default: return leaf(17) - n;
    }
    return leaf(18) + n;
}
FAR static int large(int n, int *sum) { char *room = alloca(n * 16 + 16); memset(room, n, 8); *sum += room[1]; return chosen(n, sum) + room[2]; }
FAR static int tail(int n, int *sum) { if (n & 1) return large(n, sum); return early(n, sum); }
FAR static int deep(int n, int *sum) { int local[20]; local[n] = n; return (n == 0 ? tail(*sum & 7, sum) : deep(n - 1, sum)) + local[n]; }
FAR static int dies(int n, int *sum) { if (leaf(n) > 1000) { leaf(n); abort(); } for (;;) { if (leaf(n) > *sum) break; n += 1 + *sum; } return n; }
FAR static int compare(const void *a, const void *b) { int sum = 2; return deep(*(const int *)a & 3, &sum) - dies(*(const int *)b, &sum); }
FAR EXPORTED int all(int n)
{
    int values[6] = { 4, 2, 5, 1, 3, 0 }, sum = 0;
    for (int i = 0; i < n; i++)
        sum += deep(i % 9, &i) + tail(i & 7, &sum);
    for (int i = 0; i < 8; i++)
        sum ^= large(i, &sum);
    qsort(values, 6, sizeof *values, compare);
    return sum + dies(n, &sum);
}
#ifndef PLUGIN
int main(void) { return all(30) == 1; }
#endif
END
bare="-fno-asynchronous-unwind-tables -fno-unwind-tables"

# chains FILE: prints the chains of leaf() in FILE, with allocations and bytes.
chains()
{
    "$mprof" export -F chains "$1" | grep ';leaf$' | cut -d' ' -f1,2,8- | sort
}

# record DATA UNWINDER COMMAND...: profiles COMMAND and compares its chains with libunwind's.
record()
{
    data=$1
    unwinder=$2
    shift 2
    rm -f check
    MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check MPROF_UNWINDER=$unwinder LD_PRELOAD=$library MPROF_FILE=$tmp/$data "$@"
    chains "$data" >"$data.chains"
    "$mprof" report --no-pager "$data" >"$data.head"
}

# whole NAME DATA: tests that the chains of DATA are the same as those of tables.data, and none is cut.
whole()
{
    is "$1: nothing is cut" "$(total cut "$2")" 0
    ok "$1: the chains are those of tables" diff tables.data.chains "$2.chains"
    has "$1: as far as libunwind knows, they are its" check '^checked [1-9][0-9]* mismatches 0 '
}

for optimisation in -O0 -O1 -O2 -O3 -Os; do
    gcc -fno-builtin $optimisation -fno-omit-frame-pointer -o tables shapes.c &&
        gcc -fno-builtin $optimisation -fno-omit-frame-pointer $bare -o pointers shapes.c
    record tables.data rules ./tables
    is "$optimisation, tables: nothing is cut" "$(total cut tables.data)" 0
    hasnt "$optimisation, tables: all is proved" tables.data.head '^Unproved'
    record pointers.data rules ./pointers
    whole "$optimisation, frame pointers" pointers.data
    has "$optimisation, frame pointers: they are said to be unproved" pointers.data.head \
        "^Unproved chains +$(total allocs pointers.data | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta')  of "
    strip -s -o stripped pointers
    record stripped.data rules ./stripped
    is "$optimisation, stripped: nothing is cut" "$(total cut stripped.data)" 0

    gcc -fno-builtin $optimisation -fomit-frame-pointer -g -o tables shapes.c &&
        gcc -fno-builtin $optimisation -fomit-frame-pointer $bare -g -o debug shapes.c &&
        gcc -fno-builtin $optimisation -fomit-frame-pointer $bare -o neither shapes.c
    record tables.data rules ./tables
    record debug.data rules ./debug
    whole "$optimisation, .debug_frame" debug.data
    hasnt "$optimisation, .debug_frame: it proves the chains" debug.data.head '^Unproved'
    objcopy --compress-debug-sections=zlib debug packed
    record packed.data rules ./packed
    whole "$optimisation, .debug_frame in a compressed file" packed.data
    for unwinder in fp libunwind rules; do
        record neither.data $unwinder ./neither
        is "$optimisation, neither, $unwinder: each chain is cut" "$(total cut neither.data)" "$(total allocs neither.data)"
    done
    is "$optimisation, neither: in its innermost function" \
        "$(grep -vc '^[0-9]* [0-9]* \[cut: no unwind information\];leaf$' neither.data.chains)" 0
done
has "the head says what helps" neither.data.head '^Cut chains .* compiling with -fasynchronous-unwind-tables helps, '
record neither.data fp ./neither
has "... which is something else for frame pointers" neither.data.head \
    '^Cut chains .* compiling with -fno-omit-frame-pointer helps$'

# Frame pointers end in libc, and rules go on from there. While qsort() calls compare(), the register may contain an
# address of the stack that is no frame.
record pointers.data fp ./pointers
has "fp: there are chains" pointers.data.chains ' main;.*;leaf$'
is "fp: none is cut but through qsort()" "$(grep '\[cut' pointers.data.chains | grep -vc ';compare;')" 0
hasnt "fp: no chain is special" pointers.data.head '^Unproved'
record tables.data libunwind ./tables
is "libunwind: nothing is cut" "$(total cut tables.data)" 0

# The same functions in a plug-in that is loaded twice. A chain through qsort has frames of libc between the plug-in's.
cat >plugged.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 2; i++) {
        void *plug = dlopen(argv[argc - 1], RTLD_NOW);
        int (*all)(int) = (int (*)(int))dlsym(plug, "all");
        all(20 + i);
        dlclose(plug);
    }
    return 0;
}
END
gcc -O2 -o plugged plugged.c
plug="gcc -fno-builtin -shared -fPIC -O2 -DPLUGIN -DEXPORTED= shapes.c"
$plug -g -o tables.so
record tables.data rules ./plugged ./tables.so
$plug -o debug.so $bare -g
record debug.data rules ./plugged ./debug.so
whole "a plug-in with .debug_frame" debug.data
$plug -fno-omit-frame-pointer -o tables.so
record tables.data rules ./plugged ./tables.so
$plug -o pointers.so $bare -fno-omit-frame-pointer
record pointers.data rules ./plugged ./pointers.so
whole "a plug-in with frame pointers" pointers.data

# A function without a frame pointer is called by functions that have one. One of them does not return.
cat >first.c <<'END'
#include <stdlib.h>
int second(int n);
__attribute__((noipa)) static int begin(int n) { return second(n) + 1; }
int main(void) { int sum = 0; for (int i = 1; i < 10; i++) sum += begin(i); return sum == 1; }
END
cat >second.c <<'END'
#include <stdlib.h>
__attribute__((noipa)) int leaf(int n) { free(malloc(n)); return n; }
__attribute__((noipa)) void ends(int n) { leaf(n); abort(); }
__attribute__((noipa, optimize("omit-frame-pointer"))) int second(int n) { return leaf(n) + 1; }
END
gcc -fno-builtin -O2 $bare -fno-omit-frame-pointer -o mixed first.c second.c
record mixed.data rules ./mixed
is "a function without frame pointer cuts its chain" "$(cut -d' ' -f3- mixed.data.chains | sort -u)" \
    '[cut: no unwind information];second;leaf'

# The program's file is replaced by another program's before mprof reads the unwind tables in it. By the tables of the
# other program, the return address of leaf() would be one of the addresses in main's array.
cat >replaced.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv);
__attribute__((noipa)) static int leaf(int n) { volatile char room[ROOM]; room[n] = 1; free(malloc(n)); return room[n]; }
int main(int argc, char **argv)
{
    char *volatile addresses[100];
    for (int i = 0; i < 100; i++)
        addresses[i] = (char *)main + 8;
    return argc != 1 || rename("other", argv[0]) != 0 || leaf(9) == 2 || !addresses[9];
}
END
gcc -fno-builtin -O2 $bare -g -DROOM=200 -o replaced replaced.c && gcc -fno-builtin -O2 $bare -g -DROOM=600 -o other replaced.c
record replaced.data rules ./replaced
"$mprof" export -F chains replaced.data >chains
has "tables of another file are not used" chains '^1 9 .* \[cut: no unwind information\];[^;]*$'

# A frame with a return address of 0, and a frame pointer of 0, is not taken for the outermost one.
cat >zero.c <<'END'
#include <stdlib.h>
#include <unistd.h>
#include <ucontext.h>
static char stack[65536] __attribute__((aligned(16)));
__attribute__((noipa)) static void leaf(void) { free(malloc(77)); }
static ucontext_t there, here;
static void routine(void) { leaf(); getpid(); }
__attribute__((noipa)) static void first(void) { leaf(); leaf(); _exit(0); }
int main(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, routine, 0);
    swapcontext(&here, &there);
    __asm__ volatile("mov %0, %%rsp\n\txor %%ebp, %%ebp\n\tpush $0\n\tjmp *%1"
                     : : "r"(stack + sizeof stack), "r"(first));
    __builtin_unreachable();
}
END
gcc -fno-builtin -O2 -fno-omit-frame-pointer -o zero zero.c
for unwinder in rules libunwind fp; do
    record zero.data $unwinder ./zero
    is "a zero return address cuts, the start of a context does not, $unwinder" "$(cut -d' ' -f1,3- zero.data.chains)" \
        "1 [cut: no unwind information];first;leaf
1 [cut: no unwind information];first;leaf
1 routine;leaf"
done
plan
# SPDX-License-Identifier: MIT
