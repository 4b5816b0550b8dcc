/*
 * trim.c -- measures the memory of a process whose heap grows and is returned to the system.
 *
 *     trim SIZE MEGABYTES           allocates blocks of SIZE bytes, or of 8 to 1,000 bytes if SIZE is 0; prints the
 *                                   memory of the process in kilobytes: `full` with all blocks, `trimmed` after
 *                                   malloc_trim()
 *     trim SIZE MEGABYTES frees     the same without malloc_trim(); `trimmed` is measured after more frees
 *     trim threads ROUNDS           threads allocate and free next to each other, while the heap is returned to the
 *                                   system again and again; prints books (books.h)
 */
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "program.h"

static FRAME void *
block(size_t size)
{
    void *volatile made = malloc(size);

    return made;
}

/* Returns the private memory of the process in kilobytes. /proc/self/status has it too, but many versions of Linux
 * add up that figure approximately, with an error that grows with the number of processors. */
static long
memory(void)
{
    return own_figure("/proc/self/smaps_rollup", "Anonymous:");
}

static void *
table(size_t size)
{
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    return made == MAP_FAILED ? NULL : made;
}

static void
grow_and_give_back(size_t size, size_t bytes, int only_frees)
{
    size_t n = bytes / (size ? size : 504), made;
    uint64_t state = 1;
    char **blocks = table(n * sizeof *blocks);
    long before = memory();

    for (size_t i = 0; blocks && i < n; i++) {
        made = size ? size : 8 + next_random(&state) % 993;
        if ((blocks[i] = block(made)) != NULL)
            memset(blocks[i], 1, made);
    }
    say("full %ld\n", memory() - before);
    for (size_t i = 0; blocks && i < n; i++)
        free(blocks[i]);
    for (int i = 0; only_frees && i < 10000; i++)
        free(block(100));
    if (!only_frees)
        malloc_trim(0);
    say("trimmed %ld\n", memory() - before);
}

/* ---------------------------------------------------------------- threads */

#define OWN 3000                /* blocks of each thread, interleaved with those of the other threads */

static long rounds;
static int stop;

/* Allocates small blocks, of which each page of the table contains only a few at any time. */
static void *
work(void *seed)
{
    uint64_t state = (uintptr_t)seed;
    void **mine = table(OWN * sizeof *mine);
    unsigned long allocs = 0;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        uint32_t at = next_random(&state) % OWN;

        free(mine[at]);
        mine[at] = NULL;
        if (next_random(&state) % 4 == 0) {
            mine[at] = block(24 + next_random(&state) % 200);
            allocs++;
        }
    }
    for (int i = 0; i < OWN; i++)
        free(mine[i]);
    return (void *)allocs;
}

/* Returns 8 MB to the system, but not the memory below and above it. */
static FRAME unsigned long
breathe(void)
{
    enum { N = 80000 };
    static void *blocks[N];
    unsigned long allocs = 0;

    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++)
            blocks[i] = block(100);
        allocs += N;
        for (int i = 0; i < N; i++)
            if (i % 10000)
                free(blocks[i]);
        malloc_trim(0);
        for (int i = 0; i < N; i += 10000)
            free(blocks[i]);
    }
    return allocs;
}

static void
threads(void)
{
    pthread_t thread[3];
    unsigned long allocs;
    void *result;

    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 65536);
    for (uintptr_t i = 0; i < 3; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)(i * 7 + 1)) != 0)
            _exit(51);
    allocs = breathe();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], &result);
        allocs += (uintptr_t)result;
    }
    say("allocs %lu\n", allocs);
}

int
main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "threads") == 0) {
        rounds = number_or(argv[2], 1);
        threads();
    } else if (argc >= 3) {
        grow_and_give_back((size_t)number_or(argv[1], 100), (size_t)number_or(argv[2], 1) << 20,
                           argc > 3);
    } else {
        return 2;
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
