/*
 * torn_stacks.c -- allocates where a walk along the stack meets memory that cannot be read, or never ends.
 *
 * `torn_stacks CASE` prints "CASE done" and ends with status 5. Its handler of SIGSEGV and SIGBUS ends it with status
 * 9. With a second argument, a seccomp filter is installed first, which ends the program if it calls
 * process_vm_readv() or, if the argument is `signalless`, returns from a signal handler.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__

extern void _start(void);

#define SIZE 65536u             /* bytes of the stack, and of the memory above it */

static char *top;               /* end of the stack */
static sigjmp_buf back;
static void *volatile block;

__attribute__((noinline)) static void
work(void)
{
    for (int i = 0; i < 20; i++) {
        block = malloc(64);
        free(block);
    }
}

static void
work_and_leave(void)
{
    work();
    siglongjmp(back, 1);
}

static void
on_fault(int number)
{
    (void)number;
    _exit(9);
}

/* Calls FUNCTION on the stack that ends at END. */
__attribute__((noinline)) static void
call_on(void (*function)(void), void *end)
{
    void *old;

    __asm__ volatile("mov %%rsp, %%rbx\n\tmov %2, %%rsp\n\tcall *%1\n\tmov %%rbx, %%rsp"
                     : "=&b"(old) : "r"(function), "r"(end)
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
}

/* Enters work_and_leave() on the stack, as if it had been called from ADDRESS. */
__attribute__((noinline)) static void
enter_from(uint64_t address)
{
    uint64_t *end = (uint64_t *)top - 1;

    *end = address;
    if (sigsetjmp(back, 0) == 0)
        __asm__ volatile("mov %0, %%rsp\n\tjmp *%1" : : "r"(end), "r"(work_and_leave) : "memory");
}

/* Call FUNCTION with FP in rbp, which the unwind information of with_fp() does not describe. That of with_cfa_at()
 * states that its CFA is the word below rbp. */
void with_fp(uint64_t fp, void (*function)(void));
void with_cfa_at(uint64_t fp, void (*function)(void));
__asm__(".text\n"
        ".globl with_fp\nwith_fp:\n\t.cfi_startproc\n\tpush %rbp\n\t.cfi_adjust_cfa_offset 8\n\tmov %rdi, %rbp\n"
        "\tcall *%rsi\n\tpop %rbp\n\t.cfi_adjust_cfa_offset -8\n\tret\n\t.cfi_endproc\n"
        ".globl with_cfa_at\nwith_cfa_at:\n\t.cfi_startproc\n\tpush %rbp\n\tmov %rdi, %rbp\n"
        "\t.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06\n\t.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00\n\tcall *%rsi\n"
        "\tpop %rbp\n\t.cfi_def_cfa %rsp, 8\n\tret\n\t.cfi_endproc\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");

/* A function whose CFA is computed from rbp, because its frame has no fixed size. */
__attribute__((noinline)) static void
framed(void (*function)(uint64_t, void (*)(void)), uint64_t fp)
{
    volatile char *room = __builtin_alloca(64 + (fp & 8));

    room[0] = 1;
    function(fp, work);
    room[1] = 2;
}

static const uint64_t wild[] = {
    1, 8, 16, 4095, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000, 0xfffffffffffffff0, 0xfffffffffffffff8,
    0xffffffffffffffff
};

static void
use_wild(void (*function)(uint64_t, void (*)(void)))
{
    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++)
        framed(function, wild[i]);
    for (uintptr_t at = (uintptr_t)top - 256; at < (uintptr_t)top + 256; at += 7)
        framed(function, at);
    for (uintptr_t at = (uintptr_t)top - SIZE - 64; at < (uintptr_t)top + SIZE; at += 4096)
        framed(function, at);
}

/* Frame records that lead to themselves or to each other, with return addresses in work(). */
static void
use_circles(void)
{
    static uint64_t records[4][2];

    for (unsigned i = 0; i < 4; i++) {
        records[i][0] = (uintptr_t)records[i < 2 ? i : 5 - i];
        records[i][1] = (uintptr_t)work + 4;
    }
    for (unsigned i = 0; i < 4; i++)
        framed(with_fp, (uintptr_t)records[i]);
}

static void
map_above(void)
{
    syscall(SYS_mmap, top, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
    for (uint64_t *at = (uint64_t *)top; (char *)at < top + 4096; at++)
        *at = (uintptr_t)work + 4;
}

static int stop;

static void *
map_and_unmap(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        map_above();
        syscall(SYS_munmap, top, SIZE);
    }
    return unused;
}

static void
run_race(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, map_and_unmap, NULL) != 0)
        _exit(1);
    for (int i = 0; i < 300; i++)
        call_on(work, top);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

/* The same chain occurs first with readable memory above the stack, and then without. */
static void
run_torn(int how)
{
    for (int i = 0; i < 20; i++) {
        map_above();
        call_on(work, top);
        if (how == 0)
            syscall(SYS_munmap, top, SIZE);
        else if (how == 1)
            syscall(SYS_mprotect, top, SIZE, PROT_NONE);
        else
            syscall(SYS_mmap, top, SIZE, PROT_READ, MAP_PRIVATE | MAP_FIXED, how, (off_t)1 << 20);
        call_on(work, top);
    }
}

static ucontext_t here, there;

static void
coroutine(void)
{
    use_wild(with_fp);
}

static void
run_coroutine(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = top - SIZE;
    there.uc_stack.ss_size = SIZE;
    there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    swapcontext(&here, &there);
}

static void
on_null_call(int number)
{
    (void)number;
    work_and_leave();
}

/* The program calls a NULL pointer, and its handler allocates. */
static void
call_null(void)
{
    void (*volatile nothing)(void) = NULL;

    signal(SIGSEGV, on_null_call);
    if (sigsetjmp(back, 1) == 0)
        nothing();
    signal(SIGSEGV, on_fault);
}

static void
filter(bool signalless)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, signalless ? SYS_rt_sigreturn : SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(1);
}

static void
run(const char *name)
{
    if (strcmp(name, "edge") == 0)
        call_on(work, top);
    else if (strcmp(name, "wild") == 0)
        use_wild(with_fp);
    else if (strcmp(name, "wild-cfa") == 0)
        use_wild(with_cfa_at);
    else if (strcmp(name, "circles") == 0)
        use_circles();
    else if (strcmp(name, "coroutine") == 0)
        run_coroutine();
    else if (strcmp(name, "from-0") == 0)
        enter_from(0);
    else if (strcmp(name, "from-nowhere") == 0)
        for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++)
            enter_from(wild[i]);
    else if (strcmp(name, "null") == 0)
        call_null();
    else if (strcmp(name, "unmapped") == 0)
        run_torn(0);
    else if (strcmp(name, "protected") == 0)
        run_torn(1);
    else if (strcmp(name, "truncated") == 0)
        run_torn(memfd_create("short", 0));
    else if (strcmp(name, "race") == 0)
        run_race();
    else
        _exit(2);
}

int
main(int argc, char **argv)
{
    char *stack = mmap(NULL, 3 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (argc < 2 || stack == MAP_FAILED || mprotect(stack, SIZE, PROT_READ | PROT_WRITE) != 0)
        return 2;
    top = stack + SIZE;
    for (uintptr_t *at = (uintptr_t *)stack; (char *)at < top; at++)
        *at = (uintptr_t)_start + 8;    /* a return address in a function that is known to have no caller */
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    work();
    if (argc > 2)
        filter(strcmp(argv[2], "signalless") == 0);
    run(argv[1]);
    work();
    printf("%s done\n", argv[1]);
    return 5;
}

#else

int
main(void)
{
    return 77;                  /* the stacks are made by instructions of x86-64 */
}

#endif
/* SPDX-License-Identifier: MIT */
