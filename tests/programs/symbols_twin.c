/* symbols_twin.c -- another program, with a function keep() like symbols_c's. */
#include <stdlib.h>

#include "symbols.h"

struct badger {                         /* 204 bytes */
    char name[204];
};

struct badger sett;
void *kept;

__attribute__((noinline)) void
keep(void)
{
    kept = malloc(204);
    SITE(site_keep_twin);
}

__attribute__((noinline)) static struct badger *
dig_out(void)
{
    struct badger *badger = malloc(sizeof *badger);

    SITE(site_dig_out);
    return badger;
}

int
main(void)
{
    keep();
    free(dig_out());
    return kept == NULL;
}
/* SPDX-License-Identifier: MIT */
