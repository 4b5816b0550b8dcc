/*
 * handover.c -- threads that free each other's blocks.
 *
 *     handover [BLOCKS [THREADS]]      default 200000 blocks in all, 2 threads
 *
 * The threads form a circle. In each round, each thread makes a batch of blocks, and when all have done so, it frees
 * its neighbour's batch, except for one block in a hundred. Prints the resulting figures.
 */
#include <pthread.h>

#include "program.h"

#define BATCH        500
#define KEPT_OF      100
#define SIZE         40
#define MOST_THREADS 64

static void *batches[MOST_THREADS][BATCH];
static long rounds, threads;
static pthread_barrier_t barrier;

static FRAME void *
make_block(void)
{
    void *volatile block = malloc(SIZE);

    return block;
}

static FRAME void
drop_block(void *block)
{
    free(block);
    KEEP(block);
}

static FRAME void *
work(void *number)
{
    void **own = batches[(uintptr_t)number],
         **other = batches[((uintptr_t)number + 1) % (size_t)threads];

    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < BATCH; k++)
            own[k] = make_block();
        pthread_barrier_wait(&barrier);
        for (int k = 0; k < BATCH; k++)
            if (k % KEPT_OF != 0)
                drop_block(other[k]);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    long blocks = number_or(argv[argc > 1 ? 1 : argc], 200000), frees;
    pthread_t ids[MOST_THREADS];

    threads = number_or(argv[argc > 2 ? 2 : argc], 2);
    if (threads < 1 || threads > MOST_THREADS)
        return 2;
    rounds = blocks / (threads * BATCH);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (long i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, (void *)i) != 0)
            return 3;
    for (long i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    blocks = rounds * threads * BATCH;
    frees = blocks / KEPT_OF * (KEPT_OF - 1);
    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\n", blocks, blocks * SIZE, frees,
        frees * SIZE);
    return 0;
}
/* SPDX-License-Identifier: MIT */
