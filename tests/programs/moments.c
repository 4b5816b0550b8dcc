/*
 * moments.c -- a program in which it is known what lives at each checkpoint.
 *
 *     loaded      read_all: 100 blocks of 1,000 bytes
 *     indexed     ... and index_all: 50 blocks of 2,000 bytes
 *     dropped     only those of index_all, which are kept
 *
 * A few hundredths of a second pass between the checkpoints, and more after the first one. So read_all has the larger
 * mean over time, and index_all has the larger last value.
 */
#include <time.h>

#include "program.h"
#include "runtime/mprof.h"

enum { READ = 100, INDEXED = 50 };

static void *read_blocks[READ], *indexed[INDEXED];

static FRAME void
read_all(void)
{
    for (int i = 0; i < READ; i++)
        read_blocks[i] = malloc(1000);
}

static FRAME void
index_all(void)
{
    for (int i = 0; i < INDEXED; i++)
        indexed[i] = malloc(2000);
}

static FRAME void
drop_all(void)
{
    for (int i = 0; i < READ; i++)
        free(read_blocks[i]);
}

static void
reach(const char *name)
{
    struct timespec moment = {.tv_nsec = (strcmp(name, "loaded") == 0 ? 160 : 40) * 1000 * 1000};

    if (mprof_checkpoint)
        mprof_checkpoint(name);
    nanosleep(&moment, NULL);
}

int
main(void)
{
    read_all();
    reach("loaded");
    index_all();
    reach("indexed");
    drop_all();
    reach("dropped");
    KEEP(indexed);
    return 0;
}
/* SPDX-License-Identifier: MIT */
