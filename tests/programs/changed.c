/*
 * changed BLOCKS: a program in two builds, for tests of what differs.  Sizes tell who allocated.
 *
 * grown() makes as many blocks of 50 bytes as it is told, shrunk() 100 less that of 70 bytes, same() ten of 100.
 * With -DAFTER, gone() is not there and fresh() is; renamed() is a clone as gcc makes them; and moved() is called
 * by another function.
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

/* Not the same code: that would be one function, for gcc. */
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
