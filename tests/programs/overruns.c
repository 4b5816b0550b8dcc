/*
 * overruns.c -- writes beyond the end of blocks, and up to the end.
 *
 *     overruns WHAT       see the table at the end
 *
 * Prints `overruns FUNCTION N` for each function that allocates N blocks that are overrun.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "program.h"
#include "runtime/mprof.h"

#define OVERRUN(function, n) say("overruns %s %d\n", #function, n)

/* Writes to all SIZE bytes of BLOCK and to MORE bytes beyond. Returns BLOCK. */
static void *
fill(void *block, size_t size, size_t more)
{
    volatile char *at = block;

    for (size_t i = 0; i < size + more; i++)
        at[i] = (char)(i < size ? 1 : 0);
    return block;
}

#define BY(name, call)                                                                             \
    static FRAME void *name(size_t size)                                                           \
    {                                                                                              \
        void *volatile block = call;                                                               \
        return block;                                                                              \
    }

static void *
aligned_block(size_t size)
{
    void *block = NULL;

    return posix_memalign(&block, 64, size) == 0 ? block : NULL;
}

static size_t
page_up(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

/* strndup() of libc calls malloc. */
static void *
copied_block(size_t size)
{
    static char text[200000];

    memset(text, 'x', sizeof text);
    return size > 0 ? strndup(text, size - 1) : malloc(0);
}

BY(by_malloc, malloc(size))
BY(by_calloc, calloc(size, 1))
BY(by_realloc, realloc(NULL, size))
BY(by_reallocarray, reallocarray(NULL, size, 1))
BY(by_memalign, memalign(256, size))
BY(by_aligned_alloc, aligned_alloc(32, size))
BY(by_posix_memalign, aligned_block(size))
BY(by_valloc, valloc(size))
BY(by_pvalloc, pvalloc(size))
BY(by_strndup, copied_block(size))

static const struct way {
    void *(*make)(size_t);
    const char *name;
    bool pages;                 /* the block has whole pages */
} ways[] = {
    {by_malloc, "by_malloc", false}, {by_calloc, "by_calloc", false}, {by_realloc, "by_realloc", false},
    {by_reallocarray, "by_reallocarray", false}, {by_memalign, "by_memalign", false},
    {by_aligned_alloc, "by_aligned_alloc", false}, {by_posix_memalign, "by_posix_memalign", false},
    {by_valloc, "by_valloc", false}, {by_pvalloc, "by_pvalloc", true}, {by_strndup, "by_strndup", false},
};
#define WAYS (sizeof ways / sizeof *ways)

static size_t
sizes(size_t i)
{
    static const size_t large[] = {1023, 1024, 1025, 4080, 4096, 5000, 131072, 200000};

    return i < 200 ? i : large[i - 200];
}
#define SIZES 208u

/* Allocates in each way and size. Blocks are overrun by MORE bytes, which may be 0. */
static void
all_ways(size_t more)
{
    for (size_t w = 0; w < WAYS; w++) {
        for (size_t i = 0; i < SIZES; i++) {
            const size_t size = sizes(i);

            free(fill(ways[w].make(size), ways[w].pages ? page_up(size) : size, more));
        }
        say("overruns %s %u\n", ways[w].name, more > 0 ? SIZES : 0);
    }
}

static void
none(void)
{
    all_ways(0);
}

static void
by_one(void)
{
    all_ways(1);
}

static void
by_many(void)
{
    all_ways(16);
}

/* A program that asks for the usable size of a block may write to all of it. */
static void
usable(void)
{
    size_t more = 0;

    for (size_t i = 0; i < SIZES; i++) {
        void *block = by_malloc(sizes(i));
        const size_t size = malloc_usable_size(block);

        more += size < sizes(i);
        block = realloc(fill(block, size, 0), size + 40);
        more += malloc_usable_size(block) < size + 40;
        free(fill(block, malloc_usable_size(block), 0));
    }
    say("too small %zu, of NULL %zu\n", more, malloc_usable_size(NULL));
}

static FRAME void *
regrow(void *block, size_t size)
{
    void *volatile larger = realloc(block, size);

    return larger;
}

static FRAME void *
shrink(void *block, size_t size)
{
    void *volatile smaller = realloc(block, size);

    return smaller;
}

/* Blocks are overrun before they grow, again before they shrink, and again before they are freed. */
static void
resized(void)
{
    for (int i = 0; i < 100; i++) {
        const size_t size = (size_t)i * 11, larger = 2 * size + 30;
        void *block = by_malloc(size);

        block = regrow(fill(block, size, 1), larger);
        block = shrink(fill(block, larger, 1), size + 3);
        free(fill(block, size + 3, 1));
        block = regrow(fill(by_calloc(size), size, 0), larger);
        block = shrink(fill(block, larger, 0), size + 3);
        free(fill(block, size + 3, 0));
    }
    OVERRUN(by_malloc, 100);
    OVERRUN(by_calloc, 0);
    OVERRUN(regrow, 100);
    OVERRUN(shrink, 100);
}

/* If realloc fails, the block remains and is counted once, when it is freed. realloc to size 0 frees the block. */
static void
refused(void)
{
    static volatile size_t most = SIZE_MAX - 3, none_at_all;
    void *volatile block = fill(by_malloc(100), 100, 1), *volatile more;

    errno = 0;
    more = realloc(block, most);
    say("refused %d %d\n", more == NULL, errno == ENOMEM);
    more = realloc(block, PTRDIFF_MAX - most % 2);
    say("refused %d\n", more == NULL);
    more = malloc(most);
    say("refused %d\n", more == NULL);
    more = calloc(most, 1);
    say("refused %d\n", more == NULL);
    more = calloc(most / 2, 4);
    say("refused %d\n", more == NULL);
    free(block);
    more = realloc(fill(by_calloc(50), 50, 1), none_at_all);
    say("freed %d\n", more == NULL);
    OVERRUN(by_malloc, 1);
    OVERRUN(by_calloc, 1);
}

#define THREADS 4
#define EACH    3000

static void *passed[THREADS][EACH];

static void *
work(void *argument)
{
    void **list = argument;

    for (size_t i = 0; i < EACH; i++)
        list[i] = fill(i % 2 ? by_malloc(i % 500) : by_calloc(i % 500), i % 500, i % 10 == 0 || i % 10 == 5);
    for (size_t i = 0; i < EACH / 2; i++)
        free(list[i]);
    return NULL;
}

/* Each thread frees half of its blocks, and the first thread the rest. */
static void
threads(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, passed[i]) != 0)
            _exit(50);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        for (size_t j = EACH / 2; j < EACH; j++)
            free(passed[i][j]);
    OVERRUN(by_malloc, THREADS * EACH / 10);
    OVERRUN(by_calloc, THREADS * EACH / 10);
}

/* Only blocks of the current recording are known. */
static void
stopped(void)
{
    void *before = by_malloc(24), *between, *again;

    MPROF(mprof_stop());
    between = fill(by_malloc(24), 24, 1);
    again = by_malloc(40);
    if (mprof_restart)
        mprof_restart("second.data");
    free(fill(before, 24, 1));
    free(between);
    free(fill(regrow(again, 41), 41, 1));
    OVERRUN(by_malloc, 0);
    OVERRUN(regrow, 1);
}

static void
forked(void)
{
    void *parents = fill(by_malloc(24), 24, 1);
    pid_t child = fork();

    if (child == 0) {
        free(parents);
        free(fill(by_calloc(24), 24, 1));
        _exit(0);
    }
    waitpid(child, NULL, 0);
    OVERRUN(by_malloc, 0);
    OVERRUN(by_calloc, 1);
}

/* Blocks that are never freed are not examined. */
static void
kept(void)
{
    fill(by_malloc(24), 24, 1);
    OVERRUN(by_malloc, 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    {"none", none}, {"one", by_one}, {"many", by_many}, {"usable", usable}, {"resized", resized}, {"refused", refused},
    {"threads", threads}, {"stopped", stopped}, {"forked", forked}, {"kept", kept},
};

int
main(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(all[i].name, argv[1]) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
