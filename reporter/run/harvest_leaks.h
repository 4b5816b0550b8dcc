/* harvest_leaks.h -- prints what mprof run --leaks found in the processes that it recorded. */
#ifndef MP_RUN_HARVEST_LEAKS_H
#define MP_RUN_HARVEST_LEAKS_H

#include <stdint.h>
#include <stdio.h>

#include "reporter/profile/profile.h"

/* Prints the lost blocks of the program that was started. PATH is its sealed file, and SHOWN is the name of that file
 * in messages. With --quiet, prints only why they are unknown. */
void mp_harvest_leaks(const char *path, const char *shown, const struct mp_profile *profile);

/* The text about lost blocks in the other processes of the run, printed after that of the first. Must be zeroed at
 * first. */
struct mp_other_leaks {
    FILE *out;                  /* stream that writes to TEXT */
    char *text;
    size_t size;
    uint32_t nothing, unknown;  /* number of processes without lost blocks; number of processes whose lost blocks are
                                   unknown */
};

void mp_other_leaks_add(struct mp_other_leaks *others, const char *path, const char *shown,
                        const struct mp_profile *profile);

/* Prints the text and counts to stderr, or only the count of unknown ones with --quiet. Then frees the text. */
void mp_other_leaks_say(struct mp_other_leaks *others);

#endif
