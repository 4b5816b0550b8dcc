/*
 * truncated.c -- threads that allocate before and after somebody truncates the live file; see tests/e2e/truncated.sh.
 * With `blocked` all signals are blocked in the threads; with `handled` the program has a handler for each signal,
 * which ends the program with another status; with `again` it finally begins a new recording of 5000 blocks.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/mprof.h"

#define THREADS 4

static pthread_barrier_t barrier;

__attribute__((noinline)) static void *
block(size_t size)
{
    return malloc(size);
}

static void
work(int n)
{
    static __thread void *blocks[1000];

    for (int i = 0; i < n; i++) {
        free(blocks[i % 1000]);
        blocks[i % 1000] = block((size_t)(i % 2000) + 1);
    }
    for (int i = 0; i < 1000; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

static void *
thread(void *unused)
{
    (void)unused;
    work(10000);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    work(30000);
    return NULL;
}

static void
ends(int number)
{
    _exit(100 + number);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t threads[THREADS];
    sigset_t all;

    if (strcmp(what, "handled") == 0)
        for (int i = 1; i < 32; i++)
            signal(i, ends);
    sigfillset(&all);
    if (strcmp(what, "blocked") == 0)
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    pthread_barrier_wait(&barrier);
    puts("ready");
    fflush(stdout);
    while (access("go", F_OK) != 0)
        usleep(10000);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (strcmp(what, "again") == 0) {
        mprof_restart("again.data");
        work(5000);
        mprof_stop();
    }
    puts("done");
    return 7;
}
/* SPDX-License-Identifier: MIT */
