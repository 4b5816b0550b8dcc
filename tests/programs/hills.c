/* Repeatedly allocates and frees, so that the live bytes over time have COUNT hills, each MS milliseconds long:
 * THREADS threads together allocate 10 MB and free them. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define BLOCKS 96               /* blocks of a hill; must be divisible by THREADS, which is 1 or 8 */
#define SIZE   ((size_t)10000000 / BLOCKS)

static int threads, count;
static double apart;            /* seconds between two allocations or frees of a thread */
static pthread_barrier_t barrier;

static void
wait_for_time(void)
{
    const struct timespec time = {0, (long)(apart * 1e9)};

    nanosleep(&time, NULL);
}

static void *
climb(void *unused)
{
    const int n = BLOCKS / threads;
    void *blocks[BLOCKS];

    for (int hill = 0; hill < count; hill++) {
        for (int i = 0; i < n; i++, wait_for_time())
            blocks[i] = malloc(SIZE);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < n; i++, wait_for_time())
            free(blocks[i]);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

int
main(int argc, char **argv)
{
    pthread_t others[BLOCKS];

    if (argc != 4)
        return 2;
    threads = atoi(argv[1]);
    count = atoi(argv[2]);
    apart = atof(argv[3]) / 1000 / (2.0 * BLOCKS / threads);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, climb, NULL);
    climb(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    return 0;
}
/* SPDX-License-Identifier: MIT */
