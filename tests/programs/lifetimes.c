/*
 * lifetimes.c -- blocks with known lifetimes (bytes allocated meanwhile): on both sides of each border of the
 * histogram, with realloc, in other threads, in a pool, and in a child.
 *
 * Prints `FUNCTION BUCKET BLOCKS BYTES` for each bucket that is not empty. Buckets are named by their borders.
 */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "runtime/mprof.h"

enum { N_BORDERS = 10 };        /* up to 8 MiB */

static const char *const buckets[] = {"32", "128", "512", "2k", "8k", "32k", "128k", "512k", "2m", "8m", "32m"};

static uint64_t
border(int i)
{
    return (uint64_t)1 << (5 + 2 * i);
}

/* Allocates a block and frees it at once. */
static FRAME void
filler(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
}

/* ---------------------------------------------------------------- borders */

static FRAME void
just_below(int i, size_t size)
{
    void *volatile block = malloc(size);

    filler(border(i) - 1);
    free(block);
}

static FRAME void
just_at(int i, size_t size)
{
    void *volatile block = calloc(1, size);

    filler(border(i));
    free(block);
}

/* Allocates many small blocks of different sizes. */
static FRAME void
many(void)
{
    void *blocks[50];

    for (int i = 0; i < 50; i++)        /* 10, 20, ... 500 bytes */
        blocks[i] = malloc((size_t)(10 * (i + 1)));
    for (int i = 0; i < 50; i++)        /* block i lived 10 * (i + 2 + ... + 50) bytes */
        free(blocks[i]);
}

static void
print_many(void)
{
    uint64_t blocks[11] = {0}, bytes[11] = {0};

    for (uint64_t i = 0; i < 50; i++) {
        const uint64_t lived = 10 * (50 * 51 / 2 - (i + 1) * (i + 2) / 2);
        int bucket = 0;

        while (lived >= border(bucket))
            bucket++;
        blocks[bucket]++;
        bytes[bucket] += 10 * (i + 1);
    }
    for (int i = 0; i < 11; i++)
        if (blocks[i] > 0)
            say("many %s %" PRIu64 " %" PRIu64 "\n", buckets[i], blocks[i], bytes[i]);
}

/* ---------------------------------------------------------------- realloc */

/* realloc ends the lifetime of the old block and begins that of the new one. */
static FRAME void
grow(void)
{
    char *block = malloc(100);

    block = realloc(block, 200);        /* 100 bytes lived 0 */
    filler(600);
    block = realloc(block, 100000);     /* 200 bytes lived 600 */
    filler(40000);
    block = realloc(block, 5000);       /* 100000 bytes lived 40000 */
    free(block);                        /* 5000 bytes lived 0 */
}

/* ---------------------------------------------------------------- elsewhere */

static void *handed;

static FRAME void
hand_over(void)
{
    handed = aligned_alloc(64, 192);
}

static FRAME void *
take_over(void *unused)
{
    filler(3000);
    free(handed);               /* charged to its thread, which has ended; lived 3000 */
    return unused;
}

static FRAME void *
in_thread(void *unused)
{
    hand_over();
    return unused;
}

static void
run_thread(void *(*start)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, start, NULL) != 0 || pthread_join(thread, NULL) != 0)
        _exit(99);
}

static FRAME void
pooled(void)
{
    static char pool[100];

    for (int i = 0; i < 3; i++)         /* 24 bytes each; they lived 48, 24 and 0 */
        mprof_record_alloc(pool, pool + 32 * i, 24);
    for (int i = 0; i < 3; i++)
        mprof_record_free(pool, pool + 32 * i);
}

/* The child does not know how long the parent's blocks had lived before the fork. */
static FRAME void
in_child(void *inherited)
{
    void *volatile block = malloc(70);

    free(inherited);
    filler(300);
    free(block);                /* lived 300 */
    _exit(0);
}

int
main(int argc, char **argv)
{
    void *volatile kept = malloc(1000);
    int status = 0;
    pid_t child;

    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        if ((child = fork()) == 0)
            in_child(kept);
        return waitpid(child, &status, 0) != child || status != 0;
    }
    for (int i = 0; i < N_BORDERS; i++) {
        just_below(i, 40);
        just_at(i, i % 2 ? 4000 : 40);
        just_at(i, 7);
    }
    many();
    grow();
    run_thread(in_thread);
    run_thread(take_over);
    pooled();
    for (int i = 0; i < N_BORDERS; i++) {
        say("just_below %s 1 40\n", buckets[i]);
        say("just_at %s 2 %d\n", buckets[i + 1], (i % 2 ? 4000 : 40) + 7);
    }
    print_many();
    say("grow 32 2 5100\ngrow 2k 1 200\ngrow 128k 1 100000\n");
    say("hand_over 8k 1 192\n");
    say("pooled 32 2 48\npooled 128 1 24\n");
    return kept == NULL;
}
/* SPDX-License-Identifier: MIT */
