/* summary.h -- what mprof run says at the end, on stderr. */
#ifndef MP_SUMMARY_H
#define MP_SUMMARY_H

#include <stdio.h>

#include "profile.h"

struct mp_summary {
    const char *file;           /* data file of the first process, as the user may type it */
    uint64_t size;              /* bytes of it */
    bool follow;
    uint32_t children;          /* data files of other processes, */
    uint32_t children_running;  /* and how many of those still run */
    const char *child_example;  /* one of their files, or NULL */
};

void mp_summary_print(const struct mp_profile *profile, const struct mp_summary *summary,
                      FILE *out);

#endif
