/*
 * sampled.c -- makes the same allocations again and again, each time in a recording of its own.
 *
 *     sampled PREFIX COUNT      recordings PREFIX.1 to PREFIX.COUNT
 *     sampled --threads N       N threads make them once each; another thread frees what is kept
 *     sampled --fork            a child makes them, too
 *     sampled --wait            makes them once, waits for a line of input, and makes them again
 *
 * Only the blocks of passing(), which come first, are freed before everything is allocated, so the live blocks at the
 * peak are known. There are blocks of few sizes, of many sizes, smaller and larger than the distance between samples,
 * and of no bytes. Half of all blocks are freed; the rest is kept.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "program.h"
#include "runtime/mprof.h"

#define MOST 50000u

struct blocks {
    void *block[MOST];
    unsigned n;
};

static FRAME void *
passing(void)
{
    return malloc(32);
}

static FRAME void *
tiny(unsigned i)
{
    return malloc(i % 64 + 1);
}

static FRAME void *
small(void)
{
    return malloc(24);
}

static FRAME void *
medium(unsigned i)
{
    return calloc(1, 100 + i % 3 * 100);
}

static FRAME void *
large(void)
{
    return realloc(NULL, 5000);
}

static FRAME void *
huge(void)
{
    return malloc(40000);
}

static FRAME void *
nothing(void)
{
    return malloc(0);
}

static FRAME void *
one_of(unsigned i)
{
    if (i < 15000)
        return tiny(i);
    if (i < 30000)
        return small();
    if (i < 32000)
        return medium(i);
    if (i < 32100)
        return large();
    if (i < 32110)
        return huge();
    return nothing();
}

static FRAME void
work(struct blocks *kept)
{
    for (unsigned i = 0; i < 8000; i++) {
        void *block = passing();

        KEEP(block);
        free(block);
    }
    for (unsigned i = 0; i < 34110; i++)
        kept->block[kept->n++] = one_of(i);
    for (unsigned i = 0; i < kept->n; i += 2)
        free(kept->block[i]);
}

static void
free_rest(struct blocks *kept)
{
    for (unsigned i = 1; i < kept->n; i += 2)
        free(kept->block[i]);
    kept->n = 0;
}

static void *
thread(void *kept)
{
    work(kept);
    return kept;
}

static void
in_threads(unsigned n)
{
    static struct blocks kept[16];
    pthread_t ids[16];

    for (unsigned i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, thread, &kept[i]);
    for (unsigned i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    for (unsigned i = 0; i < n; i++)
        free_rest(&kept[i]);
}

int
main(int argc, char **argv)
{
    static struct blocks kept;
    char file[4096];
    int count = argc > 2 ? atoi(argv[2]) : 0;

    if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
        in_threads((unsigned)count);
    } else if (argc > 1 && strcmp(argv[1], "--fork") == 0) {
        if (fork() == 0) {
            work(&kept);
            return 0;
        }
        wait(NULL);
        work(&kept);
    } else if (argc > 1 && strcmp(argv[1], "--wait") == 0) {
        work(&kept);
        free_rest(&kept);
        say("ready\n");
        if (read(STDIN_FILENO, file, 1) < 0)
            return 1;
        work(&kept);
    } else {
        for (int i = 1; i <= count; i++) {
            snprintf(file, sizeof file, "%s.%d", argv[1], i);
            if (mprof_restart(file) != 0)
                return 1;
            work(&kept);
            mprof_stop();
            free_rest(&kept);
        }
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
