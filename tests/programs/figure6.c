/*
 * figure6.c -- Figure 6 of the report of 1988: main calls F, F calls G, G calls F, F calls G; G allocates 10 bytes.
 * From pairs of caller and callee alone, F would seem to have requested 20 bytes from G.
 */
#include "program.h"

static void G(int again);

static FRAME void
F(int again)
{
    G(again);
    KEEP(&again);
}

static FRAME void
G(int again)
{
    void *volatile block = NULL;

    if (again)
        F(0);
    else
        block = malloc(10);
    KEEP(block);
}

int
main(void)
{
    F(1);
    return 0;
}
/* SPDX-License-Identifier: MIT */
