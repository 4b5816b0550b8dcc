/*
 * irregular.c -- frames whose callers cannot be found by a simple rule.
 *
 *     irregular          functions with odd unwind tables are called, and interrupted at each instruction
 *     irregular lazy     ... and the loader while it binds a function
 *     irregular realign  ... and a function that realigns its stack
 *     irregular malloc   ... and malloc and free, with the monitor
 *     irregular load P   ... and the loading, a call and the unloading of library P
 *     irregular return   only calls odd_return()
 *     irregular deep N   only nests odd_register() and touch() N times, and then allocates
 *     irregular lies     wrong unwind tables, which lead to arbitrary addresses
 *
 * odd_*() store their caller's address as their names state, and call touch(), which allocates. The processor traps
 * after each of their instructions, and the handler allocates each time. Prints how often touch() allocated, and for
 * load how often the handler did.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>

#include "program.h"

static volatile int blocks, silent;
static volatile long nested;
static void (*volatile odd)(void);
static volatile long traps;

void touch(void);

__attribute__((used)) FRAME void
touch(void)
{
    void *volatile block;

    if (nested > 0) {
        nested--;
        odd();
        return;
    }
    if (silent)
        return;
    block = malloc(32);
    free(block);
    blocks++;
}

#ifdef __x86_64__
/* The caller's stack pointer is found through rbx, an expression, or a value. The return address is in another place,
 * and its usual place contains nothing. */
__asm__(
    ".text\n"
    ".type odd_register, @function\n"
    "odd_register:\n\t"
    ".cfi_startproc\n\t"
    "pushq %rbx\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    ".cfi_offset 3, -16\n\t"
    "movq %rsp, %rbx\n\t"
    ".cfi_def_cfa_register 3\n\t"
    "subq $32, %rsp\n\t"
    "andq $-32, %rsp\n\t"
    "call touch\n\t"
    "movq %rbx, %rsp\n\t"
    ".cfi_def_cfa_register 7\n\t"
    "popq %rbx\n\t"
    ".cfi_def_cfa_offset 8\n\t"
    ".cfi_restore 3\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size odd_register, .-odd_register\n"

    ".type odd_expression, @function\n"
    "odd_expression:\n\t"
    ".cfi_startproc\n\t"
    "subq $24, %rsp\n\t"
    /* DW_CFA_def_cfa_expression: breg7 0; const1u 32; plus */
    ".cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x08, 0x20, 0x22\n\t"
    "call touch\n\t"
    "addq $24, %rsp\n\t"
    ".cfi_def_cfa 7, 8\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size odd_expression, .-odd_expression\n"

    ".type odd_frame_pointer, @function\n"
    "odd_frame_pointer:\n\t"
    ".cfi_startproc\n\t"
    "pushq %r12\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    ".cfi_offset 12, -16\n\t"
    "movq %rbp, %r12\n\t"
    ".cfi_register 6, 12\n\t"
    "xorl %ebp, %ebp\n\t"
    "subq $16, %rsp\n\t"
    ".cfi_def_cfa_offset 32\n\t"
    "call touch\n\t"
    "addq $16, %rsp\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    "movq %r12, %rbp\n\t"
    ".cfi_restore 6\n\t"
    "popq %r12\n\t"
    ".cfi_def_cfa_offset 8\n\t"
    ".cfi_restore 12\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size odd_frame_pointer, .-odd_frame_pointer\n"

    ".type odd_return, @function\n"
    "odd_return:\n\t"
    ".cfi_startproc\n\t"
    "popq %rax\n\t"
    ".cfi_def_cfa_offset 0\n\t"
    ".cfi_register 16, 0\n\t"
    "pushq %r13\n\t"
    ".cfi_def_cfa_offset 8\n\t"
    ".cfi_offset 13, -8\n\t"
    "movq %rax, %r13\n\t"
    ".cfi_register 16, 13\n\t"
    "subq $8, %rsp\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    "call touch\n\t"
    "addq $8, %rsp\n\t"
    ".cfi_def_cfa_offset 8\n\t"
    "movq %r13, %rax\n\t"
    ".cfi_register 16, 0\n\t"
    "popq %r13\n\t"
    ".cfi_def_cfa_offset 0\n\t"
    ".cfi_restore 13\n\t"
    "pushq %rax\n\t"
    ".cfi_def_cfa_offset 8\n\t"
    ".cfi_offset 16, -8\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size odd_return, .-odd_return\n"

    /* The table claims that the return address is the argument. */
    ".type odd_lie, @function\n"
    "odd_lie:\n\t"
    ".cfi_startproc\n\t"
    "pushq %rdi\n\t"
    "call touch\n\t"
    "addq $8, %rsp\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size odd_lie, .-odd_lie\n"

    /* Between trace_begin() and trace_end() the processor traps after each instruction. */
    ".type trace_begin, @function\n"
    "trace_begin:\n\t"
    ".cfi_startproc\n\t"
    "pushfq\n\t"
    ".cfi_adjust_cfa_offset 8\n\t"
    "orq $0x100, (%rsp)\n\t"
    "popfq\n\t"
    ".cfi_adjust_cfa_offset -8\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size trace_begin, .-trace_begin\n"
    ".type trace_end, @function\n"
    "trace_end:\n\t"
    ".cfi_startproc\n\t"
    "pushfq\n\t"
    ".cfi_adjust_cfa_offset 8\n\t"
    "andq $~0x100, (%rsp)\n\t"
    "popfq\n\t"
    ".cfi_adjust_cfa_offset -8\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size trace_end, .-trace_end\n");

void odd_register(void), odd_expression(void), odd_frame_pointer(void), odd_return(void);
void odd_lie(uint64_t address), trace_begin(void), trace_end(void);

static void
trap(int number, siginfo_t *info, void *context)
{
    void *volatile block;

    (void)number;
    (void)info;
    (void)context;
    block = malloc(48);
    free(block);
    traps++;
}

/* gcc realigns the stack with r10, and finds the caller through *(rbp - 8). */
static FRAME long
realigned(int n)
{
    char room[64] __attribute__((aligned(64)));
    char *more = alloca((size_t)n);

    memset(room, n, sizeof room);
    memset(more, n, (size_t)n);
    KEEP(room);
    return room[3] + more[n / 2];
}

static FRAME void
call_all(void)
{
    odd_register();
    odd_expression();
    odd_frame_pointer();
}

static FRAME void
call_return(void)
{
    odd_return();
    KEEP(&blocks);
}

static FRAME void
call_lies(void)
{
    static const int bits[] = {0, 1, 12, 31, 32, 46, 47, 55, 56, 61, 62, 63};
    char here;

    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        uint64_t bit = (uint64_t)1 << bits[i];

        odd_lie(bit);
        odd_lie(bit - 1);
        odd_lie(~bit);
        odd_lie(0x6464646464646464u ^ bit);
        odd_lie((uint64_t)&here ^ bit);
        odd_lie((uint64_t)call_lies ^ bit);
    }
    odd_lie(UINT64_MAX);
}

static FRAME void
use_plug(const char *path)
{
    void *(*run)(size_t), *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL)
        _exit(3);
    *(void **)&run = dlsym(handle, "plug_run");
    free(run(40));
    dlclose(handle);
}

static FRAME void
trace_all(int lazy, int realign, const char *plug)
{
    long sum = 0;

    trace_begin();
    odd_register();
    odd_expression();
    odd_frame_pointer();
    if (realign)
        sum += realigned(100);
    if (lazy)
        sum += getppid();       /* the loader binds it now */
    if (plug)
        use_plug(plug);
    trace_end();
    KEEP(sum);
}

int
main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "return") == 0) {
        call_return();
    } else if (strcmp(what, "lies") == 0) {
        call_lies();
    } else if (strcmp(what, "deep") == 0) {
        odd = odd_register;
        nested = number_or(argv[argc > 2 ? 2 : argc], 1000);
        touch();
    } else {
        touch();
        call_all();
        sigaction(SIGTRAP, &action, NULL);
        silent = strcmp(what, "malloc") != 0;
        trace_all(strcmp(what, "lazy") == 0, strcmp(what, "realign") == 0, argc > 2 ? argv[2] : NULL);
    }
    say("blocks %d\n", blocks);
    if (argc > 2 && traps)
        say("traps %ld\n", traps);
    return 0;
}
#else
int
main(void)
{
    touch();
    say("blocks %d\n", blocks);
    return 0;
}
#endif
/* SPDX-License-Identifier: MIT */
