/* A function is called from two lines of another function, and the code of a function comes from two files. */
#include <stdlib.h>

void *volatile kept;

__attribute__((noinline)) void one(void);

void
one(void)
{
    kept = malloc(500);
}

__attribute__((noinline)) void two(size_t size);

void
two(size_t size)
{
    kept = malloc(size);
}

__attribute__((noinline)) void mixed(void);

void
mixed(void)
{
    kept = malloc(300);
#include "call_lines.h"
}

int
main(void)
{
    one();
    two(1000);
    two(3000);
    mixed();
    return 0;
}
/* SPDX-License-Identifier: MIT */
