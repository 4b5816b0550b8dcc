/*
 * api.c -- calls the functions of mprof.h. The program also runs without the library.
 *
 *     api FILE...   calls mprof_restart() with each FILE, and goes on with the last one
 *
 * Prints `without` if the library is missing, otherwise the returned values, as differences.
 */
#include "program.h"
#include "runtime/mprof.h"

static FRAME void *
counted(size_t size)
{
    void *volatile block = malloc(size);

    return block;
}

static FRAME void *
uncounted(size_t size)
{
    void *volatile block = malloc(size);

    return block;
}

static FRAME void *
counted_again(size_t size)
{
    void *volatile block = malloc(size);

    return block;
}

static FRAME void
from_pool(char *pool, int n)
{
    for (int i = 0; i < n; i++)
        mprof_record_alloc(pool, pool + i * 100, 100);
    for (int i = 1; i < n; i++)
        mprof_record_free(pool, pool + i * 100);
    KEEP(pool);
}

static long
total(void)
{
    return (long)mprof_total();
}

static long
current(void)
{
    return (long)mprof_current();
}

static long
blocks_in_all(void)
{
    return (long)mprof_total_blocks();
}

static long
blocks_now(void)
{
    return (long)mprof_current_blocks();
}

static void
numbers(void)
{
    long total0 = total(), current0 = current(), in_all0 = blocks_in_all(), now0 = blocks_now();
    void *blocks[1000];

    for (int i = 0; i < 1000; i++)
        blocks[i] = counted(100);
    say("total +%ld\ncurrent +%ld\n", total() - total0, current() - current0);
    say("blocks: total +%ld, current +%ld\n", blocks_in_all() - in_all0, blocks_now() - now0);
    for (int i = 0; i < 1000; i++)
        free(blocks[i]);
    say("after free: total +%ld\ncurrent +%ld\n", total() - total0, current() - current0);
    say("blocks: total +%ld, current +%ld\n", blocks_in_all() - in_all0, blocks_now() - now0);
    say("peak above %d\n", (long)mprof_peak() >= current0 + 100000);
    mprof_reset_peak();
    say("peak reset %d\n", (long)mprof_peak() < current0 + 100000);
}

int
main(int argc, char **argv)
{
    static char pool[10000];

    if (mprof_is_active == NULL) {
        say("without\n");
        return 0;
    }
    if (argc < 2)
        return 2;
    say("active %d\n", mprof_is_active() != 0);
    numbers();
    from_pool(pool, 10);
    set_mprof_autosave(100);
    for (int i = 0; i < 250; i++)
        KEEP(counted(8));
    mprof_stop();
    say("active %d\n", mprof_is_active() != 0);
    for (int i = 0; i < 50; i++)
        KEEP(uncounted(64));
    for (int i = 1; i < argc; i++)
        say("restart %d\n", mprof_restart(argv[i]));
    say("active %d\n", mprof_is_active() != 0);
    for (int i = 0; i < 70; i++)
        KEEP(counted_again(32));
    return 0;
}
/* SPDX-License-Identifier: MIT */
