/*
 * one_place.c -- blocks of many sizes, all allocated at one place.
 *
 *     one_place small      25 % of the bytes are in blocks of up to 32 bytes, the others in blocks of up to 256
 *     one_place large      25 % of the bytes are in blocks of up to 2048 bytes, the others in larger ones
 *     one_place border     the same as large, but both groups have more than three sizes, and one size is 2048 bytes
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void *volatile last;

static FRAME void
place(size_t size)
{
    last = malloc(size);
}

int
main(int argc, char **argv)
{
    static const size_t small[] = { 8, 16, 24, 32, 64, 40, 136, 0 },
                        large[] = { 288, 320, 512, 1280, 2400, 4800, 0 },
                        border[] = { 1000, 1024, 1048, 2048, 3000, 3840, 4000, 4520, 0 };
    const char *wanted = argc > 1 ? argv[1] : "";
    const size_t *sizes = strcmp(wanted, "large") == 0 ? large : strcmp(wanted, "border") == 0 ? border : small;

    for (int round = 0; round < 100; round++)
        for (const size_t *size = sizes; *size; size++)
            place(*size);
    return 0;
}
/* SPDX-License-Identifier: MIT */
