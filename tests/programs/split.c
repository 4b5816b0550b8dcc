/*
 * split -- a program for tests of differences. gcc -O2 splits its function many() into a test, which is inlined into
 * one() and other(), and the rest, many.part.0.
 */
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

static void *volatile sink;

struct list {
    void *blocks[16];
    int n;
};

int many(struct list *list, int i);

int
many(struct list *list, int i)
{
    if (i % 10 != 0)
        return 0;
    for (int k = 0; k < 4; k++) {
        list->blocks[list->n] = malloc((size_t)(100 + 10 * k));
        sink = list->blocks[list->n++];
    }
    for (int k = 0; k < 2; k++) {
        free(list->blocks[--list->n]);
        sink = list;
    }
    for (int k = 0; k < 2; k++) {
        free(list->blocks[--list->n]);
        sink = list;
    }
    return list->n + 1;
}

APART static int
one(struct list *list, int i)
{
    return many(list, i) + 1;
}

APART static int
other(struct list *list, int i)
{
    return many(list, i + 5) + 2;
}

int
main(void)
{
    struct list list = {.n = 0};
    int sum = 0;

    for (int i = 0; i < 100; i++)
        sum += one(&list, i) + other(&list, i);
    sink = NULL;
    return sum == 0;
}
/* SPDX-License-Identifier: MIT */
