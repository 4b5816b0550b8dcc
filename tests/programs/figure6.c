/*
 * figure6.c -- the report's Figure 6: main calls F, F calls G, G calls F, F calls G; G allocates
 * 10 bytes.  With caller/callee pairs alone F seems to have asked G for 20 bytes.
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
