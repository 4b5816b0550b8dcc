/*
 * moments_threads.c -- threads in which it is known what each has allocated and not freed, by one function, at each
 * checkpoint.
 *
 *     main        make(): 10 blocks of 1,000 bytes, before any checkpoint
 *     reader      make(): 20 blocks of 500 bytes, 5 of which it frees; then "read"
 *     writer      make(): 30 blocks of 100 bytes; then "written"
 */
#include <pthread.h>

#include "program.h"
#include "runtime/mprof.h"

static void *held[100];
static int n_held;

static FRAME void
make(int count, size_t size)
{
    for (int i = 0; i < count; i++)
        held[n_held++] = malloc(size);
}

static FRAME void *
reader(void *unused)
{
    make(20, 500);
    for (int i = 0; i < 5; i++)
        free(held[--n_held]);
    return unused;
}

static FRAME void *
writer(void *unused)
{
    make(30, 100);
    return unused;
}

static void
run(void *(*start)(void *), const char *name)
{
    pthread_t thread;

    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    if (mprof_checkpoint)
        mprof_checkpoint(name);
}

int
main(void)
{
    make(10, 1000);
    run(reader, "read");
    run(writer, "written");
    KEEP(held);
    return 0;
}
/* SPDX-License-Identifier: MIT */
