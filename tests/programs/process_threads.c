/*
 * process_threads.c -- threads that come, stay, are cancelled, outlive main, and fork.
 *
 *     process_threads EVENT      see the table at the end
 *
 * Prints the sums of what block() allocated and what was freed; see books.h.
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

/* N blocks, of which every second one is freed. */
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
        books_say();            /* and ends the process, with status 0 */
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

/* exit() while others allocate; what they do after that is not in the sums. */
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
    usleep(20000);
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

/* Sizes of glibc's thread cache only: no lock of malloc's own is held when the thread is gone. */
static void *
work_until_asynchronous(void *mine)
{
    struct books *its = (struct books *)mine;

    unblock(its, block(its, 40), 40);
    pthread_setspecific(key, its);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        unblock(its, block(its, 40), 40);
    return NULL;
}

static void
cancel(void *(*function)(void *), int rounds)
{
    for (int i = 0; i < rounds; i++) {
        pthread_t threads[2];

        for (int j = 0; j < 2; j++)
            start(&threads[j], function, 2 * i + j);
        usleep((useconds_t)(i % 10 * 50));
        for (int j = 0; j < 2; j++)
            pthread_cancel(threads[j]);
        for (int j = 0; j < 2; j++)
            pthread_join(threads[j], NULL);
    }
}

static void
deferred(void)
{
    cancel(work_until_deferred, 200);
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
    cancel(work_until_asynchronous, 200);
    work(slot(1000), 10);
}

/* ---------------------------------------------------------------- destructors of keys */

/* Comes back until the C library has had enough: in each round the key has a value again. */
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

/* Most of the time not allocating, so that the forks take no time. */
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
