/*
 * threads.c -- threads that do nothing but allocate and free their own blocks.
 *
 *     threads [PAIRS [THREADS]]      default 2000000 pairs in each of 2 threads
 *
 * Prints the number of pairs of all threads, and their bytes.
 */
#include <pthread.h>

#include "program.h"

#define MAX_THREADS 64

static long pairs;

static FRAME void *
pair(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return NULL;
}

static FRAME void *
hammer(void *argument)
{
    for (long i = 0; i < pairs; i++)
        pair(16 + (size_t)(i & 127));
    KEEP(argument);
    return NULL;
}

int
main(int argc, char **argv)
{
    long n = number_or(argv[argc > 2 ? 2 : argc], 2), bytes = 0;
    pthread_t threads[MAX_THREADS];

    pairs = number_or(argv[argc > 1 ? 1 : argc], 2000000);
    if (n < 1 || n > MAX_THREADS)
        return 2;
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, hammer, NULL) != 0)
            return 3;
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    for (long i = 0; i < pairs; i++)
        bytes += 16 + (i & 127);
    say("allocs %ld\nfrees %ld\nbytes %ld\nthreads %ld\n", pairs * n, pairs * n, bytes * n, n);
    return 0;
}
/* SPDX-License-Identifier: MIT */
