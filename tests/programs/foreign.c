/*
 * foreign.c -- blocks that one thread allocates and another frees.
 *
 *     foreign [COUNT]      default 10000
 *
 * make_block() allocates COUNT blocks of 48 bytes in the first thread. drop_block() frees three of four in the second
 * thread. After both have ended, the main thread frees one of eight, and one of eight is kept. All these blocks are
 * charged to make_block().
 */
#include <pthread.h>

#include "program.h"

#define SIZE 48

static long count;
static void **blocks;

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
producer(void *unused)
{
    for (long i = 0; i < count; i++)
        blocks[i] = make_block();
    return unused;
}

static FRAME void *
consumer(void *unused)
{
    for (long i = 0; i < count; i++)
        if (i % 4 != 3)
            drop_block(blocks[i]);
    return unused;
}

int
main(int argc, char **argv)
{
    static void *queue[1000000];
    long kept = 0;
    pthread_t a, b;

    count = number_or(argv[argc > 1 ? 1 : argc], 10000);
    if (count < 8 || count > 1000000 || count % 8 != 0)
        return 2;
    blocks = queue;
    if (pthread_create(&a, NULL, producer, NULL) != 0 || pthread_join(a, NULL) != 0)
        return 3;
    if (pthread_create(&b, NULL, consumer, NULL) != 0 || pthread_join(b, NULL) != 0)
        return 3;
    for (long i = 3; i < count; i += 4) {
        if (i % 8 == 3)
            drop_block(blocks[i]);
        else
            kept++;
    }
    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\n", count, count * SIZE, count - kept,
        (count - kept) * SIZE);
    return 0;
}
/* SPDX-License-Identifier: MIT */
