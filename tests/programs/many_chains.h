/*
 * many_chains.h -- calls with a different chain for each number.
 *
 * on_chain(NUMBER, LEVELS) calls at_end(NUMBER), which the including file defines, through one of eight functions for
 * each of the last LEVELS octal digits of NUMBER.
 */
#ifndef MP_TEST_MANY_CHAINS_H
#define MP_TEST_MANY_CHAINS_H

#include "program.h"

static void at_end(unsigned number);
static void on_chain(unsigned number, unsigned level);

/* Calls on, if LEVEL digits of NUMBER remain. */
#define CALLER(name) \
    static FRAME void name(unsigned number, unsigned level) \
    { \
        on_chain(number, level); \
        KEEP(&level); \
    }
CALLER(zero)
CALLER(one)
CALLER(two)
CALLER(three)
CALLER(four)
CALLER(five)
CALLER(six)
CALLER(seven)

static FRAME void
on_chain(unsigned number, unsigned level)
{
    static void (*const callers[8])(unsigned, unsigned) = {zero, one,  two, three,
                                                           four, five, six, seven};

    if (level == 0)
        at_end(number);
    else
        callers[number >> 3 * (level - 1) & 7](number, level - 1);
    KEEP(&level);
}

#endif
/* SPDX-License-Identifier: MIT */
