/* symbols_c_two.c -- a second source file, with a static function of the same name. */
#include <stdlib.h>

#include "symbols.h"

extern void init_two(void);
extern void *kept;

static __attribute__((noinline)) void
init(void)
{
    kept = malloc(16);
    SITE(site_init_two);
}

void
init_two(void)
{
    init();
    SITE(site_caller_two);
    kept = NULL;
}
/* SPDX-License-Identifier: MIT */
