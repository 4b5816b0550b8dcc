/* static_prog.c -- a program that is linked statically, so that nothing can be preloaded into it. */
#include "program.h"

int
main(void)
{
    void *volatile block = malloc(123);

    free(block);
    say("static\n");
    return 0;
}
/* SPDX-License-Identifier: MIT */
