/*
 * objects.c -- blocks whose end the monitor does not see, or does not see in the usual way.
 *
 *     objects unseen       block() allocates 1000 times; the C library itself frees each block
 *     objects kinds        the same with alternating small and large sizes
 *     objects among        the same with some of many live blocks, which are freed at the end
 *     objects huge         twice the same with more than 4 GiB, then a block that is freed as usual
 *     objects shut-out     signal handlers free while their thread is where it must not be interrupted; needs the
 *                          allocator of bump.c
 *
 * Prints `allocs`, `bytes`, `frees` and `freed` (by free()), and `again`: how many allocations returned the address
 * of a block that free() had not freed.
 */
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "books.h"

extern void __libc_free(void *block);

static struct books mine;
static unsigned long again, again_bytes;

/* The last block at each address that disappeared without free(). */
static struct { void *address; size_t size; } gone[1000];
static int n_gone;

/* Notes that a block of SIZE bytes is now at ADDRESS. SIZE is 0 if the block will be freed as usual. */
static void
stands(void *address, size_t size)
{
    int i = 0;

    while (i < n_gone && gone[i].address != address)
        i++;
    if (i == n_gone)
        gone[n_gone++].address = address;
    if (gone[i].size > 0) {
        again++;
        again_bytes += gone[i].size;
    }
    gone[i].size = size;
}

/* Allocates COUNT blocks, one after the other, with the sizes SIZES in turn. */
static void
unseen(int count, size_t n_sizes, const size_t *sizes)
{
    for (int i = 0; i < count; i++) {
        size_t size = sizes[(size_t)i % n_sizes];
        void *new = block(&mine, size);

        if (new == NULL)
            _exit(50);
        stands(new, size);
        __libc_free(new);
    }
}

static void
among(void)
{
    static void *many[60000];           /* together more than 2 MiB */
    const int n = sizeof many / sizeof *many;

    for (int i = 0; i < n; i++)
        many[i] = block(&mine, 40);
    for (int i = 0; i < n; i += 101) {
        stands(many[i], 40);
        __libc_free(many[i]);
        many[i] = block(&mine, 40);
        stands(many[i], 0);
    }
    for (int i = 0; i < n; i++)
        unblock(&mine, many[i], 40);
}

static void
huge(void)
{
    const size_t size = (size_t)5 << 30, sizes[] = {size + 1, size + 10};
    void *last;

    unseen(2, 2, sizes);
    last = block(&mine, size + 100);
    stands(last, 0);
    unblock(&mine, last, size + 100);
}

/* ---------------------------------------------------------------- shut out */

#define BLOCKS 40000

static void *blocks[BLOCKS];
static volatile int next, stepping;

/* Frees a block at each instruction that is executed. */
static void
on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (stepping && next < BLOCKS) {
        unblock(&mine, blocks[next], 24);
        next++;
        return;
    }
#ifdef __x86_64__
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
#else
    (void)context;
#endif
}

/* A thread's first allocation takes the monitor's lock. */
static void *
in_thread(void *unused)
{
    stepping = 1;
#ifdef __x86_64__
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orl $0x100, (%%rsp); popfq; "
                     "lea 128(%%rsp), %%rsp" ::: "cc", "memory");
#endif
    KEEP(block(&mine, 100));
    stepping = 0;
    return unused;
}

static void
shut_out(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    pthread_t thread;

    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = block(&mine, 24);
    sigaction(SIGTRAP, &action, NULL);
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
        _exit(51);
    pthread_join(thread, NULL);
    if (next == BLOCKS)
        _exit(52);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    static const size_t same[] = {1000}, kinds[] = {40, 5000, 1000, 200, 3000};

    if (strcmp(what, "unseen") == 0)
        unseen(1000, 1, same);
    else if (strcmp(what, "kinds") == 0)
        unseen(1000, sizeof kinds / sizeof *kinds, kinds);
    else if (strcmp(what, "among") == 0)
        among();
    else if (strcmp(what, "huge") == 0)
        huge();
    else if (strcmp(what, "shut-out") == 0)
        shut_out();
    else
        return 2;
    books_say_of(&mine);
    say("again %lu\nagain-bytes %lu\n", again, again_bytes);
    return 0;
}
/* SPDX-License-Identifier: MIT */
