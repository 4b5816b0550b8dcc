/*
 * changed BLOCKS -- a program in two versions, for tests of differences. The size of a block identifies the function
 * that allocates it.
 *
 * grown() allocates BLOCKS blocks of 50 bytes, shrunk() 100 - BLOCKS blocks of 70 bytes, same() ten of 100. With
 * -DAFTER, gone() is missing and fresh() exists, renamed() is a clone such as gcc makes, and moved() has another
 * caller.
 */
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

static void *volatile sink;

#ifdef AFTER
void renamed(size_t size) __asm__("renamed.constprop.0");
#endif

APART void
renamed(size_t size)
{
    sink = malloc(size);
}

APART static void
same(void)
{
    for (int i = 0; i < 10; i++)
        sink = malloc(100);
}

APART static void
grown(int blocks)
{
    for (int i = 0; i < blocks; i++)
        sink = malloc(50);
}

APART static void
shrunk(int blocks)
{
    for (int i = blocks; i < 100; i++)
        free(sink = malloc(70));
}

APART static void
moved(void)
{
    sink = malloc(3000);
    sink = NULL;
}

APART static void
one_caller(int calls)
{
    if (calls)
        moved();
    sink = NULL;
}

/* It differs from the other caller, because gcc would merge equal functions. */
APART static void
other_caller(int calls)
{
    if (calls)
        moved();
    sink = (void *)&sink;
}

#ifdef AFTER
APART static void
fresh(void)
{
    sink = malloc(2000);
    sink = NULL;
}
#else
APART static void
gone(void)
{
    sink = malloc(1000);
    sink = NULL;
}
#endif

int
main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 10;
#ifdef AFTER
    const int after = 1;
#else
    const int after = 0;
#endif

    same();
    grown(blocks);
    shrunk(blocks);
    renamed(400);
    one_caller(!after);
    other_caller(after);
#ifdef AFTER
    fresh();
#else
    gone();
#endif
    return 0;
}
/* SPDX-License-Identifier: MIT */
