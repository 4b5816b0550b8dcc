/*
 * peak_threads.c -- threads that together have a known amount of live memory.
 *
 *     peak_threads [THREADS [BYTES [SIZE]]]      default 64 threads, each 8192 bytes in blocks of 64
 *
 * Several times, all threads allocate, wait for each other, free, and wait for each other. Prints how many bytes were
 * live at once.
 */
#include <pthread.h>

#include "program.h"

#define MAX_THREADS 64
#define ROUNDS      3

static long bytes, size;
static pthread_barrier_t all;

static FRAME void *
hold(void)
{
    return malloc((size_t)size);
}

static void *
run(void *blocks_of_thread)
{
    void **blocks = blocks_of_thread;
    const long n = bytes / size;

    for (int round = 0; round < ROUNDS; round++) {
        for (long i = 0; i < n; i++)
            blocks[i] = hold();
        pthread_barrier_wait(&all);
        for (long i = 0; i < n; i++)
            free(blocks[i]);
        pthread_barrier_wait(&all);
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    static void *blocks[1 << 20];
    long n = number_or(argv[argc > 1 ? 1 : argc], MAX_THREADS);
    pthread_t threads[MAX_THREADS];

    bytes = number_or(argv[argc > 2 ? 2 : argc], 8192);
    size = number_or(argv[argc > 3 ? 3 : argc], 64);
    if (n < 1 || n > MAX_THREADS || n * (bytes / size) > (long)(sizeof blocks / sizeof *blocks))
        return 2;
    pthread_barrier_init(&all, NULL, (unsigned)n);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, run, blocks + i * (bytes / size)) != 0)
            return 3;
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    say("held %ld\n", n * (bytes / size) * size);
    return 0;
}
/* SPDX-License-Identifier: MIT */
