/*
 * random_calls.c -- functions that call each other along a random graph, and allocate.
 *
 *     random_calls [SEED]         default 1
 *
 * SEED determines how many of 24 functions there are, which ones each may call (only later ones, so that there is no
 * recursion; any; or those in its group of three and later ones), how deep the calls go, and what is allocated and
 * freed: each size class, and blocks of no bytes. Prints nothing.
 */
#include "program.h"

#define FUNCTIONS 24
#define CALLEES 4
#define LIVE 64

static uint64_t state;
static unsigned functions, deepest;
static unsigned callees[FUNCTIONS][CALLEES];
static long left = 3000;                /* steps */
static void *live[LIVE];

static unsigned
below(unsigned n)
{
    return next_random(&state) % n;
}

static size_t
size(void)
{
    static const unsigned sizes[] = {1, 33, 257, 2049, 5000};
    unsigned sort = below(4);

    return below(8) ? sizes[sort] + below(sizes[sort + 1] - sizes[sort]) : 0;
}

/* Returns the function that FUNCTION calls next, or FUNCTIONS if it calls none. */
static unsigned
next(unsigned function, unsigned depth)
{
    unsigned callee = callees[function][below(CALLEES)];

    return depth < deepest && left-- > 0 && callee < functions ? callee : FUNCTIONS;
}

/* A macro, because an inlined function would be on the chain. */
static void (*const all[FUNCTIONS])(unsigned);
#define FUNCTION(n) \
    static FRAME void function_##n(unsigned depth) \
    { \
        unsigned slot = below(LIVE); \
        if (below(2) == 0) { \
            free(live[slot]); \
            live[slot] = malloc(size()); \
        } \
        if (below(6) == 0) { \
            free(live[slot]); \
            live[slot] = NULL; \
        } \
        for (unsigned i = below(3); i > 0; i--) { \
            unsigned callee = next(n, depth); \
            if (callee < FUNCTIONS) \
                all[callee](depth + 1); \
        } \
        KEEP(&depth); \
    }
FUNCTION(0)  FUNCTION(1)  FUNCTION(2)  FUNCTION(3)  FUNCTION(4)  FUNCTION(5)
FUNCTION(6)  FUNCTION(7)  FUNCTION(8)  FUNCTION(9)  FUNCTION(10) FUNCTION(11)
FUNCTION(12) FUNCTION(13) FUNCTION(14) FUNCTION(15) FUNCTION(16) FUNCTION(17)
FUNCTION(18) FUNCTION(19) FUNCTION(20) FUNCTION(21) FUNCTION(22) FUNCTION(23)

static void (*const all[FUNCTIONS])(unsigned) = {
    function_0,  function_1,  function_2,  function_3,  function_4,  function_5,
    function_6,  function_7,  function_8,  function_9,  function_10, function_11,
    function_12, function_13, function_14, function_15, function_16, function_17,
    function_18, function_19, function_20, function_21, function_22, function_23};

int
main(int argc, char **argv)
{
    unsigned sort;

    state = (uint64_t)number_or(argv[argc > 1 ? 1 : argc], 1) * 2654435761u + 1;
    for (int i = 0; i < 16; i++)        /* small seeds begin with similar numbers */
        next_random(&state);
    functions = 2 + below(FUNCTIONS - 1);
    deepest = 2 + below(30);
    sort = below(3);
    for (unsigned f = 0; f < functions; f++)
        for (unsigned i = 0; i < CALLEES; i++)
            callees[f][i] = sort == 0   ? f + 1 + below(FUNCTIONS)
                            : sort == 1 ? below(functions)
                            : below(2)  ? f / 3 * 3 + below(3)
                                        : f + 1 + below(6);
    while (left-- > 0)
        all[below(functions)](0);
    return 0;
}
/* SPDX-License-Identifier: MIT */
