/* bits N: makes 2^N chains of calls of left() and right(). At the end of each chain, at_end() allocates a block. A
 * second thread makes 4 such chains. */
#include <pthread.h>
#include <stdlib.h>

void *volatile kept;

__attribute__((noinline)) void at_end(void);

void
at_end(void)
{
    kept = malloc(16);
}

__attribute__((noinline)) void left(int n);
__attribute__((noinline)) void right(int n);

void
left(int n)
{
    if (n == 0) {
        at_end();
        return;
    }
    left(n - 1);
    right(n - 1);
}

void
right(int n)
{
    if (n == 0) {
        at_end();
        return;
    }
    left(n - 1);
    right(n - 1);
}

static void *
other(void *data)
{
    left(1);
    right(1);
    return data;
}

int
main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t thread;

    if (n > 0) {
        left(n - 1);
        right(n - 1);
    }
    if (pthread_create(&thread, NULL, other, NULL) == 0)
        pthread_join(thread, NULL);
    return 0;
}
/* SPDX-License-Identifier: MIT */
