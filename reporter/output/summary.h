/* summary.h -- what mprof run says at the end, on stderr. */
#ifndef MP_SUMMARY_H
#define MP_SUMMARY_H

#include <stdio.h>

#include "reporter/profile/profile.h"

/* A data file beside the one that is summed up. */
struct mp_other {
    const char *program, *file; /* its name; the file as the user may type it; fit to be printed */
    uint64_t size;              /* bytes of the file */
    uint64_t allocs, bytes;
    uint32_t pid;
    bool running;               /* still */
    bool not_seen;              /* it has another allocator, whose blocks are not recorded */
    const char *arguments;      /* as they are typed, cut if they are long; NULL: none */
};

struct mp_summary {
    /* name and became are fit to be printed */
    const char *name;           /* of the program as it was typed, NULL: the profile's */
    const char *became;         /* what it was at its end, after exec; NULL or "": not known */
    const char *ended;          /* how the program ended, */
    uint64_t duration;          /* and after how many ns */
    const char *taken;          /* the file that was asked for, in which another process records, so
                                   that `file` is beside it; NULL: it was free */
    const char *file;           /* data file of the first process, as the user may type it */
    uint64_t size;              /* bytes of it */
    uint64_t not_recorded;      /* processes that were forked behind a seccomp filter */
    bool follow;
    struct mp_other *others;    /* sorted by the summary */
    uint32_t n_others;
};

void mp_summary_print(const struct mp_profile *profile, const struct mp_summary *summary,
                      FILE *out);

#endif
