/* no_memory.h -- what failing.c and no_memory.c share, in the file failing.page of the working directory. */
#ifndef MP_TEST_NO_MEMORY_H
#define MP_TEST_NO_MEMORY_H

#include <stdbool.h>

struct no_memory {
    unsigned at;                /* number of the call that fails, from 1; 0 means none */
    bool onwards;               /* later ones fail, too */
    unsigned count;             /* number of calls so far */
};

#endif
/* SPDX-License-Identifier: MIT */
