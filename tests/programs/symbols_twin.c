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

int
main(void)
{
    keep();
    return kept == NULL;
}
