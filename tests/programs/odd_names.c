/*
 * odd_names.c -- functions whose names hostile.sh overwrites in the executable file with other bytes of the same
 * length. Prints nothing.
 */
#include "program.h"

FRAME static void
odd_name_escape(void)
{
    void *p = malloc(100);

    KEEP(p);
}

FRAME static void
odd_name_fields(void)
{
    void *p = malloc(200);

    KEEP(p);
    odd_name_escape();
}

FRAME static void
odd_name_letter(void)
{
    void *p = malloc(300);

    KEEP(p);
    odd_name_fields();
}

int
main(void)
{
    odd_name_letter();
    return 0;
}
/* SPDX-License-Identifier: MIT */
