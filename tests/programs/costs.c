/*
 * costs.c -- a program in which each figure is largest for another function.
 *
 *     keep    keeps the most bytes       10 blocks of 1,000 bytes
 *     spend   allocates the most bytes   3 blocks of 60,000 bytes, two of them at once
 *     gather  allocates most often       8,000 blocks of 8 bytes, all at once, freed in the order of allocation
 *     churn   has most temporary blocks  5,000 blocks of 16 bytes
 *     phase   has most of the peak       one block of 150,000 bytes, while the blocks of keep live
 *     work    runs in a thread           7 blocks of 100 bytes, kept
 */
#include <pthread.h>

#include "program.h"

static FRAME void *
get(size_t size)
{
    void *volatile memory = malloc(size);

    if (memory == NULL)
        abort();
    return memory;
}

static FRAME void
keep(void)
{
    for (int i = 0; i < 10; i++)
        get(1000);
}

static FRAME void
spend(void)
{
    void *a = get(60000), *b = get(60000);

    free(a);
    a = get(60000);
    free(b);
    free(a);
}

static FRAME void
gather(void)
{
    static void *blocks[8000];

    for (int i = 0; i < 8000; i++)
        blocks[i] = get(8);
    for (int i = 0; i < 8000; i++)
        free(blocks[i]);
}

static FRAME void
churn(void)
{
    for (int i = 0; i < 5000; i++)
        free(get(16));
}

static FRAME void
phase(void)
{
    free(get(150000));
}

static FRAME void *
work(void *argument)
{
    for (int i = 0; i < 7; i++)
        get(100);
    return argument;
}

static FRAME void
run_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

int
main(void)
{
    keep();
    spend();
    gather();
    churn();
    phase();
    run_thread();
    return 0;
}
/* SPDX-License-Identifier: MIT */
