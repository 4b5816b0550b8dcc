/*
 * loader_held.c -- a thread holds the loader's lock until another thread has allocated BLOCKS blocks. If an
 * allocation waits for that lock, the program hangs until an alarm ends it after a minute.
 *
 *     loader_held BLOCKS
 */
#include <link.h>
#include <pthread.h>
#include <semaphore.h>

#include "program.h"

static sem_t held, allocated;

FRAME static void
held_block(void)
{
    void *volatile block = malloc(40);

    free(block);
}

/* The loader calls this function with its lock held. */
static int
hold(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info;
    (void)size;
    (void)unused;
    sem_post(&held);
    while (sem_wait(&allocated) != 0)
        continue;
    return 1;
}

static void *
work(void *unused)
{
    dl_iterate_phdr(hold, NULL);
    return unused;
}

int
main(int argc, char **argv)
{
    const long blocks = number_or(argc > 1 ? argv[1] : NULL, 1000);
    pthread_t thread;

    alarm(60);
    if (sem_init(&held, 0, 0) != 0 || sem_init(&allocated, 0, 0) != 0 ||
        pthread_create(&thread, NULL, work, NULL) != 0)
        return 3;
    while (sem_wait(&held) != 0)
        continue;
    for (long i = 0; i < blocks; i++)
        held_block();
    sem_post(&allocated);
    return pthread_join(thread, NULL) == 0 ? 0 : 3;
}
/* SPDX-License-Identifier: MIT */
