/*
 * pools.c -- objects of the program's own pools, recorded through mprof.h.
 *
 *     pools sessions FILE   a pool with objects of two recordings is freed as a whole, then one by one
 *     pools twice           objects that are recorded twice; NULL, which is ignored
 *     pools arrays          arrays count as their elements
 *     pools temporary       freed before the next allocation, or not
 *     pools many            a large pool, and many resets of a small one
 *     pools heaptrack       objects that are reported to heaptrack, as by its header in programs
 *     pools fork            one thread works on pools while others fork children
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

#include "program.h"
#include "runtime/mprof.h"

#define LARGE 400000

static char room[LARGE];

static FRAME void
first(const char *pool, int n)
{
    for (int i = 0; i < n; i++)
        mprof_record_alloc(pool, pool + i, 10);
    KEEP(pool);
}

static FRAME void
second(const char *pool, int n)
{
    for (int i = 0; i < n; i++)
        mprof_record_alloc(pool, pool + i, 20);
    KEEP(pool);
}

static void
sessions(const char *file)
{
    char *pool = room, *other = room + 1000;

    first(pool, 100);
    first(other, 30);
    if (mprof_restart(file) != 0)
        _exit(50);
    second(pool + 500, 1);                              /* a third object, which stays */
    for (int i = 200; i < 250; i++)
        mprof_record_alloc(pool, pool + i, 20);
    mprof_record_free(pool, NULL);
    for (int i = 0; i < 30; i++)
        mprof_record_free(other, other + i);
    mprof_record_free(other, NULL);                     /* no object is left */
    mprof_record_free(other, other);                    /* nor is this one */
}

static FRAME void
third(const char *pool)
{
    mprof_record_alloc_array(pool, pool, 5, 30);
    mprof_record_alloc_array(pool, pool + 500, 1000, 40);
    mprof_record_alloc_array(pool, pool + 900, 0, 40);
    mprof_record_alloc_array(pool, NULL, 3, 40);
    KEEP(pool);
}

static void
arrays(void)
{
    third(room);
    mprof_record_free(room, room + 500);
    mprof_record_free(room, room + 900);                /* the array had no element */
}

static void
twice(void)
{
    first(room, 40);
    second(room, 30);
    mprof_record_alloc(room, NULL, 1000);
    mprof_record_free(room, NULL);
    second(room, 5);
}

static FRAME void
brief(void)
{
    for (int i = 0; i < 100; i++) {
        mprof_record_alloc(room, room, 10);
        mprof_record_free(room, i % 2 ? room : NULL);
    }
    KEEP(room);
}

static FRAME void
interrupted(void)
{
    for (int i = 0; i < 100; i++) {
        mprof_record_alloc(room, room, 10);
        if (i % 2)
            free(malloc(5));
        else
            mprof_record_alloc(room + 1, room + 2, 10);
        mprof_record_free(room, room);
        mprof_record_free(room + 1, NULL);
    }
    KEEP(room);
}

/* Returns the function NAME as heaptrack's header finds it in programs. */
static void *
reporter(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (function == NULL)
        _exit(53);
    return function;
}

static FRAME void
reported(int n)
{
    void (*allocated)(void *, size_t) = reporter("heaptrack_malloc");
    void (*freed)(void *) = reporter("heaptrack_free");
    char *block = malloc(1000);                         /* the pool itself, with the address of its first object */

    for (int i = 0; i < n; i++)
        allocated(block + i * 10, 10);
    for (int i = 0; i < n / 2; i++)
        freed(block + i * 10);
    freed(NULL);
    KEEP(block);
}

static FRAME void
reported_anew(void)
{
    void (*resized)(void *, size_t, void *) = reporter("heaptrack_realloc");

    resized(NULL, 20, room);
    resized(room, 30, room);                            /* in place */
    resized(room, 40, room + 100);                      /* elsewhere */
    resized(room + 100, 1u << 30, NULL);                /* failed */
    KEEP(room);
}

static void
many(void)
{
    static char small[10];

    first(room, LARGE);
    for (int i = 0; i < 50000; i++) {
        second(small, 2);
        mprof_record_free(small, NULL);
    }
}

/* Works with pools of all sizes, so that the table grows again and again. */
static void *
work(void *stop)
{
    for (int n = 1; !__atomic_load_n((int *)stop, __ATOMIC_ACQUIRE); n = n * 3 % 30011) {
        first(room, n);
        mprof_record_free(room, NULL);
    }
    return NULL;
}

static void
fork_amid(void)
{
    pthread_t thread;
    int stop = 0, status;

    if (pthread_create(&thread, NULL, work, &stop) != 0)
        _exit(51);
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            second(room, 2000);
            mprof_record_free(room, room + 7);
            mprof_record_free(room, NULL);
            _exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            _exit(52);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (mprof_is_active == NULL)
        return 3;
    alarm(100);                 /* if each free searched all objects, it would not end before */
    if (strcmp(what, "sessions") == 0 && argc > 2)
        sessions(argv[2]);
    else if (strcmp(what, "arrays") == 0)
        arrays();
    else if (strcmp(what, "twice") == 0)
        twice();
    else if (strcmp(what, "temporary") == 0)
        brief(), interrupted();
    else if (strcmp(what, "many") == 0)
        many();
    else if (strcmp(what, "heaptrack") == 0)
        reported(50), reported_anew();
    else if (strcmp(what, "fork") == 0)
        fork_amid();
    else
        return 2;
    return 0;
}
/* SPDX-License-Identifier: MIT */
