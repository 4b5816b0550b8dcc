/*
 * stress.c -- exercises everything that the monitor does, concurrently, and counts it.
 *
 *     stress PLUG-A PLUG-B [ROUNDS [THREADS]]      default: at least 3000 rounds, 3 threads
 *
 * Threads allocate, free each other's blocks, and load and unload two plug-ins in turn at the same address. A timer
 * sends signals to each thread all the time, each a short time after the handler of the last one, so that threads get
 * on however slow that is. The handler allocates and frees wherever it interrupts, which needs an allocator that allows
 * that (bump.c). Prints blocks and bytes by function, all of which are freed, and what the
 * plug-ins allocated, of which one in ten is kept.
 *
 * ThreadSanitizer cannot be used for the monitor: it replaces malloc and signal handling as libmprof.so does, delays
 * signals until the next call of libc, and the monitor reads shared fields without locks by design (gate.h). Races
 * are detected by wrong counts instead.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "program.h"

#define SLOTS 64
#define MOST_THREADS 64
#define PLUG_BLOCKS 10
#define SIGNALS 1000            /* signals that each thread waits for */
#define INTERVAL 211            /* microseconds from a handler's end to the next signal */

static char **arguments;
static long rounds;
static _Atomic(void *) slots[SLOTS];
static atomic_long own_blocks, own_bytes, handler_blocks, handler_bytes, plug_blocks[2];
static __thread volatile long signals;
static __thread timer_t timer;
static pthread_mutex_t plugs = PTHREAD_MUTEX_INITIALIZER;   /* both are loaded at the same address */

FRAME static void *
own_block(size_t size)
{
    void *p = malloc(size);

    KEEP(p);
    atomic_fetch_add(&own_blocks, 1);
    atomic_fetch_add(&own_bytes, (long)size);
    return p;
}

FRAME static void *
handler_block(size_t size)
{
    void *p = malloc(size);

    KEEP(p);
    atomic_fetch_add(&handler_blocks, 1);
    atomic_fetch_add(&handler_bytes, (long)size);
    return p;
}

static int
set_timer(void)
{
    const struct itimerspec soon = {.it_value = {0, INTERVAL * 1000}};

    return timer_settime(timer, 0, &soon, NULL);
}

FRAME static void
on_signal(int number)
{
    free(handler_block(24 + (size_t)number));
    signals++;
    set_timer();                /* fails if the thread has deleted its timer before it got this signal */
}

/* Makes different calls, so that chains differ. */
FRAME static void
exchange(uint64_t *state, unsigned depth)
{
    if (depth > 0 && next_random(state) % 4 != 0) {
        exchange(state, depth - 1);
        KEEP(state);
        return;
    }
    free(atomic_exchange(&slots[next_random(state) % SLOTS], own_block(1 + next_random(state) % 2000)));
}

FRAME static void
use_plug(unsigned which)
{
    void *(*run)(size_t), *handle, *block;

    pthread_mutex_lock(&plugs);
    handle = dlopen(arguments[1 + which], RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        _exit(3);
    *(void **)&run = dlsym(handle, "plug_run");
    for (int i = 0; i < PLUG_BLOCKS; i++) {
        block = run(40);
        if (i > 0)
            free(block);
    }
    atomic_fetch_add(&plug_blocks[which], PLUG_BLOCKS);
    dlclose(handle);
    pthread_mutex_unlock(&plugs);
}

static void
start_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};

    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || set_timer() != 0)
        _exit(4);
}

static void *
work(void *number)
{
    uint64_t state = (uintptr_t)number + 1;

    start_timer();
    for (long i = 0; i < rounds || signals < SIGNALS; i++) {
        exchange(&state, 12);
        if (next_random(&state) % 64 == 0)
            use_plug(next_random(&state) % 2);
    }
    timer_delete(timer);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    long n_threads = number_or(argc > 4 ? argv[4] : NULL, 3);
    pthread_t threads[MOST_THREADS];

    arguments = argv;
    rounds = number_or(argc > 3 ? argv[3] : NULL, 3000);
    if (argc < 3 || n_threads < 1 || n_threads > MOST_THREADS)
        return 2;
    sigaction(SIGUSR1, &action, NULL);
    for (long i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i) != 0)
            return 3;
    for (long i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    say("own %ld %ld\nhandler %ld %ld\n", own_blocks, own_bytes, handler_blocks, handler_bytes);
    say("alpha %ld %ld\nbravo %ld %ld\n", plug_blocks[0], plug_blocks[0] * 40, plug_blocks[1],
        plug_blocks[1] * 40);
    return 0;
}
/* SPDX-License-Identifier: MIT */
