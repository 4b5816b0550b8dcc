/*
 * cycles.c -- recursion of each kind, with known bytes.
 *
 *     direct    direct() calls itself: 5 deep, 10 bytes in each
 *     mutual    ping() -> pong() -> ping() ..., 6 deep, 100 bytes at the end
 *     nested    outer() -> inner() -> inner() -> outer(): a cycle in a cycle, 1000 bytes
 *     sorted    sorter() -> qsort() -> compare() -> sorter(): through the C library, 7 bytes
 *
 * All blocks are kept. Prints `self FUNCTION ALLOCS BYTES` and `inclusive FUNCTION BYTES`, where each byte counts
 * once for a function, however often the function is on the chain.
 */
#include "program.h"

static void
take(void *volatile block)
{
    if (block == NULL)
        abort();
    KEEP(block);
}

static FRAME void
direct(int n)
{
    take(malloc(10));
    if (n > 1)
        direct(n - 1);
    KEEP(&n);
}

static void pong(int n);

static FRAME void
ping(int n)
{
    if (n > 1)
        pong(n - 1);
    else
        take(malloc(100));
    KEEP(&n);
}

static FRAME void
pong(int n)
{
    if (n > 1)
        ping(n - 1);
    else
        take(malloc(100));
    KEEP(&n);
}

static void outer(int n);

static FRAME void
inner(int n)
{
    if (n % 3 != 0)
        inner(n - 1);
    else if (n > 0)
        outer(n - 1);
    else
        take(malloc(1000));
    KEEP(&n);
}

static FRAME void
outer(int n)
{
    inner(n);
    KEEP(&n);
}

static int sorting;
static void sorter(int n);

static FRAME int
compare(const void *a, const void *b)
{
    if (sorting < 3)
        sorter(sorting);
    return *(const int *)a - *(const int *)b;
}

static FRAME void
sorter(int n)
{
    int numbers[2] = {n + 1, n};

    if (++sorting == 3)
        take(malloc(7));
    qsort(numbers, 2, sizeof *numbers, compare);
    KEEP(numbers);
}

int
main(void)
{
    direct(5);
    ping(6);
    outer(8);
    sorter(0);
    say("allocs 8\nbytes 1157\n");
    say("self direct 5 50\nself pong 1 100\nself inner 1 1000\nself sorter 1 7\n");
    say("inclusive direct 50\ninclusive ping 100\ninclusive pong 100\ninclusive outer 1000\n"
        "inclusive inner 1000\ninclusive sorter 7\ninclusive compare 7\ninclusive main 1157\n");
    return 0;
}
/* SPDX-License-Identifier: MIT */
