/*
 * recordings.c -- many recordings in one process with many threads.
 *
 *     recordings FILE [COUNT [THREADS]]      default 100, 4
 *
 * Begins a recording in FILE COUNT times, and each thread allocates a block in it. One more thread allocates in the
 * first recording and then waits; in the last recording it frees that block and allocates another. Prints how many
 * recordings began, how much the process has grown from the hundredth to the last one, and the allocations of the
 * last recording by thread.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

#include "program.h"
#include "runtime/mprof.h"

static pthread_barrier_t before, after;
static sem_t wake, done;
static long count;

static FRAME void *
of_round(void)
{
    void *volatile block = malloc(40);

    return block;
}

static FRAME void *
of_sleeper(void)
{
    void *volatile block = malloc(1000);

    return block;
}

static void *
worker(void *unused)
{
    for (long i = 0; i < count; i++) {
        pthread_barrier_wait(&before);
        free(of_round());
        pthread_barrier_wait(&after);
    }
    return unused;
}

static void *
sleeper(void *unused)
{
    void *block;

    sem_wait(&wake);
    block = of_sleeper();
    sem_post(&done);
    sem_wait(&wake);
    free(block);
    of_sleeper();
    sem_post(&done);
    return unused;
}

/* Measures the size of the process and the number of its mappings. */
static void
measure(long *kilobytes, long *mappings)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    static char text[1 << 20];
    long n, size = 0;
    char *line;

    while ((n = read(fd, text + size, sizeof text - 1 - (size_t)size)) > 0)
        size += n;
    close(fd);
    text[size] = '\0';
    *kilobytes = *mappings = 0;
    for (line = text; *line; line = strchr(line, '\n') + 1, ++*mappings) {
        char *end;
        unsigned long from = strtoul(line, &end, 16), to = strtoul(end + 1, &end, 16);

        *kilobytes += (long)((to - from) / 1024);
    }
}

static void
round_of(long i)
{
    pthread_barrier_wait(&before);
    pthread_barrier_wait(&after);
    if (i == 0 || i == count - 1) {
        sem_post(&wake);
        sem_wait(&done);
    }
}

int
main(int argc, char **argv)
{
    long threads = number_or(argc > 3 ? argv[3] : NULL, 4), size[2] = { 0, 0 }, maps[2] = { 0, 0 };
    long began = 0;
    pthread_t thread[64];

    count = number_or(argc > 2 ? argv[2] : NULL, 100);
    if (argc < 2 || threads > 63 || mprof_restart == NULL)
        return 2;
    pthread_barrier_init(&before, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&after, NULL, (unsigned)threads + 1);
    sem_init(&wake, 0, 0);
    sem_init(&done, 0, 0);
    for (long i = 0; i <= threads; i++)
        pthread_create(&thread[i], NULL, i < threads ? worker : sleeper, NULL);
    for (long i = 0; i < count; i++) {
        began += mprof_restart(argv[1]) == 0 && mprof_is_active();
        round_of(i);
        if (i == 99 || i == count - 1)
            measure(&size[i > 99], &maps[i > 99]);
    }
    for (long i = 0; i <= threads; i++)
        pthread_join(thread[i], NULL);
    say("recordings %ld\ngrown-kilobytes %ld\ngrown-mappings %ld\nrounds %ld\n", began,
        size[1] - size[0], maps[1] - maps[0], threads);
    return 0;
}
/* SPDX-License-Identifier: MIT */
