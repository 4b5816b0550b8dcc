/*
 * process_victim.c -- allocates in two threads until it is killed, and counts that in books (books.h).
 *
 *     process_victim [MEGABYTES]     touches that much memory, and then more and more without end
 */
#include <pthread.h>

#include "books.h"

/* Replaces blocks at random. Up to 1000 blocks of 0 to 2000 bytes live. */
__attribute__((noreturn)) static void *
churn(void *argument)
{
    static const size_t sizes[] = {0, 1, 24, 100, 1024, 1025, 2000};
    struct books *mine = (struct books *)argument;
    static __thread struct { void *made; size_t size; } live[1000];
    uint64_t state = 88172645463325252u + (uintptr_t)argument;

    for (;;) {
        unsigned i = next_random(&state) % 1000;

        if (live[i].made != NULL)
            unblock(mine, live[i].made, live[i].size);
        live[i].size = sizes[next_random(&state) % 7];
        live[i].made = block(mine, live[i].size);
    }
}

__attribute__((noreturn)) static void
eat(struct books *mine)
{
    for (;;)
        memset(block(mine, 100000), 1, 100000);
}

int
main(int argc, char **argv)
{
    pthread_t thread;

    (void)argv;
    books_open();
    if (pthread_create(&thread, NULL, churn, &books[1]) != 0)
        return 2;
    say("started\n");
    if (argc > 1)
        eat(&books[0]);
    churn(&books[0]);
}
/* SPDX-License-Identifier: MIT */
