/* harvest_leaks.h -- what mprof run --leaks says of the processes that it recorded. */
#ifndef MP_RUN_HARVEST_LEAKS_H
#define MP_RUN_HARVEST_LEAKS_H

#include <stdint.h>
#include <stdio.h>

#include "reporter/profile/profile.h"

/* Say what is lost of the program that was started, whose file was sealed as PATH and is called SHOWN; if QUIET, only
 * that it is not known. */
void mp_harvest_leaks(const char *path, const char *shown, const struct mp_profile *profile, bool quiet);

/* Of other processes it is said after that.  Zeroed: there are none. */
struct mp_other_leaks {
    FILE *out;                  /* to TEXT */
    char *text;
    size_t size;
    uint32_t nothing, unknown;  /* processes that lost nothing, and those of which it is not known */
};

void mp_other_leaks_add(struct mp_other_leaks *others, const char *path, const char *shown,
                        const struct mp_profile *profile);

/* Say it, unless QUIET, and let go of it. */
void mp_other_leaks_say(struct mp_other_leaks *others, bool quiet);

#endif
