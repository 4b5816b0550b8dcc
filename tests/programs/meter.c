/*
 * meter.c -- calls the functions of mprof.h that measure: mprof_print_status(), mprof_stack_usage(),
 * mprof_set_callback().
 *
 *     meter status | stack | callback
 */
#include <pthread.h>
#include <signal.h>

#include "program.h"
#include "runtime/mprof.h"

/* Each level uses at least 1024 bytes of stack. The innermost one writes only zeros. */
static FRAME int
recurse(int n)
{
    volatile char room[1024];

    room[0] = room[1023] = (char)n;
    return n > 0 ? recurse(n - 1) + room[0] : room[1023];
}

static void *
measure(void *name)
{
    size_t shallow, deep;

    mprof_stack_clear();
    recurse(10);
    shallow = mprof_stack_usage();
    mprof_stack_clear();
    recurse(4000);
    deep = mprof_stack_usage();
    mprof_stack_clear();
    say("%s %d %d %d\n", (const char *)name, shallow >= 10 * 1024 && shallow < 40 * 1024,
        deep >= 4000 * 1024 && deep < 6000 * 1024, mprof_stack_usage() == 0);
    return NULL;
}

/* Nothing is measured on a stack that is part of the program's data, because other data are below it. */
static void
measure_elsewhere(int signal)
{
    (void)signal;
    mprof_stack_clear();
    recurse(10);
    say("elsewhere %zu\n", mprof_stack_usage());
}

static void
stack(void)
{
    static char own[1 << 17];
    const stack_t alternate = {.ss_sp = own + (1 << 16), .ss_size = 1 << 16};
    struct sigaction action = {.sa_handler = measure_elsewhere, .sa_flags = SA_ONSTACK};
    pthread_t thread;

    measure((void *)(uintptr_t)"main");
    pthread_create(&thread, NULL, measure, (void *)(uintptr_t)"thread");
    pthread_join(thread, NULL);
    memset(own, 1, 1 << 16);
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    say("kept %d\n", own[0] == 1 && memcmp(own, own + 1, (1 << 16) - 1) == 0);
}

/* What the callback received, and how often. */
static struct told {
    int calls, wrong;
    size_t last;
} told;

static void
changed(void *cookie, size_t current)
{
    struct told *here = cookie;
    const size_t apart = current > here->last ? current - here->last : here->last - current;
    char *own = malloc(50);

    KEEP(own);
    free(own);
    here->calls++;
    here->wrong += apart < 100000 || apart > 120000;
    here->last = current;
}

static FRAME void
up_and_down(void)
{
    void *blocks[100];

    for (int i = 0; i < 100; i++)
        blocks[i] = malloc(10000);
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
}

static void *
up_and_down_often(void *unused)
{
    for (int i = 0; i < 100; i++)
        up_and_down();
    return unused;
}

static void
count(void *cookie, size_t current)
{
    int *calls = cookie;

    (void)current;
    ++*calls;
}

/* Returns how often the function was called while BLOCKS blocks of SIZE bytes were allocated and then freed. */
static FRAME int
calls_of(int blocks, size_t size, size_t step)
{
    void *list[1000];
    int calls = 0;

    mprof_set_callback(count, &calls, step);
    for (int i = 0; i < blocks; i++)
        list[i] = malloc(size);
    for (int i = 0; i < blocks; i++)
        free(list[i]);
    mprof_set_callback(NULL, NULL, 0);
    return calls;
}

static void *
small_steps(void *unused)
{
    say("steps %d %d %d %d %d\n", calls_of(1000, 1, 1), calls_of(1000, 100, 100), calls_of(1000, 100, 1),
        calls_of(1000, 100, 250), calls_of(1000, 1000, 5000));
    return unused;
}

static void
callback(void)
{
    pthread_t threads[4];

    small_steps(NULL);
    pthread_create(&threads[0], NULL, small_steps, NULL);
    pthread_join(threads[0], NULL);
    told.last = mprof_current();
    mprof_set_callback(changed, &told, 100000);
    up_and_down();
    say("one %d %d\n", told.calls >= 16 && told.calls <= 20, told.wrong);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, up_and_down_often, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    say("several %d\n", told.calls > 100);
    mprof_set_callback(NULL, NULL, 0);
    told.calls = 0;
    up_and_down();
    say("none %d\n", told.calls);
}

int
main(int argc, char **argv)
{
    void *block = malloc(1000), *other = malloc(3000);

    free(other);
    if (argc == 2 && strcmp(argv[1], "status") == 0)
        mprof_print_status("parsed\n");
    else if (argc == 2 && strcmp(argv[1], "stack") == 0)
        stack();
    else if (argc == 2 && strcmp(argv[1], "callback") == 0)
        callback();
    KEEP(block);
    return 0;
}
/* SPDX-License-Identifier: MIT */
