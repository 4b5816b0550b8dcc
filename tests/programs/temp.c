/*
 * temp.c -- temporary allocations, that is, blocks freed before their thread's next allocation.
 *
 * Prints `FUNCTION ALLOCS TEMPORARY` for each function, and the sum.
 */
#include <pthread.h>

#include "program.h"

static FRAME void
brief(void)
{
    void *volatile block = malloc(32);

    free(block);
}

static FRAME void
bracket(void)                   /* the inner one of two blocks is temporary */
{
    void *volatile outside = malloc(100);
    void *volatile inside = malloc(200);

    free(inside);
    free(outside);
}

static FRAME void
in_order(void)                  /* the second one of two blocks is temporary */
{
    void *volatile first = malloc(100);
    void *volatile second = malloc(200);

    free(first);
    free(second);
}

static FRAME void *
lasting(void)
{
    void *volatile block = malloc(16);

    return block;
}

static FRAME void *
other_thread(void *unused)
{
    for (int i = 0; i < 300; i++)
        brief();
    return unused;
}

/* Another thread frees a block, gets its memory for a block of its own, and frees that. None of the first thread's
 * blocks is temporary. */
static void *handed;

static FRAME void *
handed_on(void)
{
    void *volatile block = malloc(48);

    return block;
}

static FRAME void *
takes_over(void *turn)
{
    for (int i = 0; i < 100; i++) {
        pthread_barrier_wait(turn);
        free(handed);
        handed = handed_on();
        pthread_barrier_wait(turn);
    }
    return NULL;
}

int
main(void)
{
    void *blocks[50];
    pthread_barrier_t turn;
    pthread_t thread;

    for (int i = 0; i < 1000; i++)
        brief();
    for (int i = 0; i < 100; i++)
        bracket();
    for (int i = 0; i < 50; i++)
        blocks[i] = lasting();
    for (int i = 0; i < 49; i++)    /* all except the last one are not the newest block any more */
        free(blocks[i]);
    if (pthread_create(&thread, NULL, other_thread, NULL) != 0)
        return 3;
    pthread_join(thread, NULL);
    for (int i = 0; i < 100; i++)
        in_order();
    pthread_barrier_init(&turn, NULL, 2);
    if (pthread_create(&thread, NULL, takes_over, &turn) != 0)
        return 3;
    for (int i = 0; i < 100; i++) {
        handed = handed_on();
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
        free(handed);
    }
    pthread_join(thread, NULL);
    say("brief 1300 1300\nbracket 200 100\nin_order 200 100\nlasting 50 0\nhanded_on 200 0\n");
    return 0;
}
/* SPDX-License-Identifier: MIT */
