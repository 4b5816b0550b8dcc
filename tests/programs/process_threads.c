/*
 * process_threads.c -- threads that end, stay, are cancelled, outlive main, and fork.
 *
 *     process_threads EVENT      see the table at the end
 *
 * Prints the sums of what block() allocated and of what was freed; see books.h.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "books.h"

static pthread_key_t key;
static pthread_barrier_t barrier;
static volatile int stop;

static struct books *
slot(long i)
{
    return &books[i % BOOKS_THREADS];
}

/* Allocates N blocks and frees every second one. */
static FRAME void
work(struct books *mine, int n)
{
    for (int i = 0; i < n; i++) {
        size_t size = 16 + (size_t)(i % 7) * 24;
        void *made = block(mine, size);

        if (i % 2 == 1)
            unblock(mine, made, size);
    }
}

static void
start(pthread_t *thread, void *(*function)(void *), long i)
{
    static pthread_attr_t small;
    static int prepared;

    if (!prepared) {
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 64 * 1024);
        prepared = 1;
    }
    if (pthread_create(thread, &small, function, slot(i)) != 0)
        _exit(80);
}

/* ---------------------------------------------------------------- short and many */

static void *
work_20(void *mine)
{
    work((struct books *)mine, 20);
    return NULL;
}

static void
short_lived(void)
{
    pthread_t threads[10];

    for (int i = 0; i < 1000; i += 10) {
        for (int j = 0; j < 10; j++)
            start(&threads[j], work_20, i + j);
        for (int j = 0; j < 10; j++)
            pthread_join(threads[j], NULL);
    }
}

static void *
work_at_once(void *mine)
{
    work((struct books *)mine, 10);
    pthread_barrier_wait(&barrier);
    work((struct books *)mine, 10);
    return NULL;
}

static void
live(void)
{
    pthread_t threads[500];

    pthread_barrier_init(&barrier, NULL, 500);
    for (int i = 0; i < 500; i++)
        start(&threads[i], work_at_once, i);
    for (int i = 0; i < 500; i++)
        pthread_join(threads[i], NULL);
}

/* ---------------------------------------------------------------- main goes first */

static volatile int left = 4;

static void *
work_later(void *mine)
{
    usleep(20000);
    work((struct books *)mine, 1000);
    if (__atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST) == 0)
        books_say();            /* then the process ends with status 0 */
    return NULL;
}

static void
outlive(void)
{
    pthread_t thread;

    for (int i = 1; i <= 4; i++)
        start(&thread, work_later, i);
    work(slot(0), 10);
    pthread_exit(NULL);
}

/* exit() is called while other threads allocate. What they do after that is not in the sums. */
__attribute__((noreturn)) static void *
work_for_ever(void *mine)
{
    for (;;)
        work((struct books *)mine, 100);
}

static void
exit_amid(void)
{
    pthread_t thread;

    for (int i = 1; i <= 4; i++)
        start(&thread, work_for_ever, i);
    for (int i = 1; i <= 4; i++)
        while (__atomic_load_n(&slot(i)->allocs_done, __ATOMIC_RELAXED) < 1000)
            usleep(1000);
    exit(7);
}

/* ---------------------------------------------------------------- cancelled */

static void
at_cancel(void *mine)
{
    work((struct books *)mine, 4);
}

static void *
work_until_deferred(void *mine)
{
    pthread_cleanup_push(at_cancel, mine);
    for (;;) {
        work((struct books *)mine, 10);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static volatile int computes;   /* a thread that computes forever */

static void
cancel_two(void *(*one)(void *), void *(*other)(void *), int round)
{
    pthread_t threads[2];

    computes = one == work_until_deferred;
    start(&threads[0], one, 2 * round);
    start(&threads[1], other, 2 * round + 1);
    do
        usleep((useconds_t)(round % 10 * 50));
    while (!computes);
    for (int j = 0; j < 2; j++)
        pthread_cancel(threads[j]);
    for (int j = 0; j < 2; j++)
        pthread_join(threads[j], NULL);
}

static void
deferred(void)
{
    for (int i = 0; i < 200; i++)
        cancel_two(work_until_deferred, work_until_deferred, i);
}

/* Cancelled at any instruction of code that calls nothing, because asynchronous cancellation in malloc() is
 * undefined. Handlers and destructors that run afterwards allocate. */
static __thread volatile int computing;
static volatile int cancelled_computing;

static void
at_cancel_count(void *mine)
{
    if (computing)
        __atomic_add_fetch(&cancelled_computing, 1, __ATOMIC_RELAXED);
    at_cancel(mine);
}

static FRAME void
compute(uint64_t steps)
{
    uint64_t state = 1;

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    computing = 1;
    if (steps == UINT64_MAX)
        computes = 1;
    for (uint64_t i = 0; i < steps; i++) {
        state = state * 6364136223846793005u + 1;
        KEEP(state);
    }
    computing = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
}

/* Works, with computations of STEPS steps in between. */
static void
work_and_compute(void *mine, uint64_t steps)
{
    pthread_setspecific(key, mine);
    pthread_cleanup_push(at_cancel_count, mine);
    for (;;) {
        work((struct books *)mine, 10);
        compute(steps);
    }
    pthread_cleanup_pop(0);
}

static void *
compute_for_ever(void *mine)
{
    work_and_compute(mine, UINT64_MAX);
    return NULL;
}

static void *
compute_now_and_then(void *mine)
{
    work_and_compute(mine, 1000);
    return NULL;
}

static void
ends_and_allocates(void *mine)
{
    work((struct books *)mine, 4);
}

static void
asynchronous(void)
{
    pthread_key_create(&key, ends_and_allocates);
    for (int i = 0; i < 200; i++)
        cancel_two(compute_for_ever, compute_now_and_then, i);
    work(slot(1000), 10);
    say("cancelled-computing %d\n", cancelled_computing);
}

/* ---------------------------------------------------------------- destructors of keys */

/* Is called again until the C library stops, because it sets its key again in each round. */
static void
ends_again(void *mine)
{
    work((struct books *)mine, 3);
    pthread_setspecific(key, mine);
}

static void *
work_with_key(void *mine)
{
    work((struct books *)mine, 2);
    pthread_setspecific(key, mine);
    return NULL;
}

static void
keys(void)
{
    pthread_key_create(&key, ends_again);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;

        start(&thread, work_with_key, i);
        pthread_join(thread, NULL);
    }
}

/* ---------------------------------------------------------------- fork amid threads */

/* Allocates only a small part of the time, so that forks are fast. */
static void *
work_now_and_then(void *mine)
{
    while (!stop) {
        for (size_t i = 0; i < 200; i++)
            unblock((struct books *)mine, block((struct books *)mine, 10 + i), 10 + i);
        usleep(50);
    }
    return NULL;
}

static void
fork_storm(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        start(&threads[i], work_now_and_then, i);
    for (int i = 0; i < 200; i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
            work(slot(4 + i), 50);
            _exit(0);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0)
            _exit(81);
    }
    stop = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* ---------------------------------------------------------------- all of them */

static const struct {
    const char *name;
    void (*run)(void);
} events[] = {
    {"short", short_lived}, {"live", live}, {"outlive", outlive}, {"exit", exit_amid},
    {"deferred", deferred}, {"asynchronous", asynchronous}, {"keys", keys}, {"fork", fork_storm},
};

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    books_open();
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(events[i].name, argv[1]) == 0) {
            events[i].run();
            books_say();
            return 0;
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
