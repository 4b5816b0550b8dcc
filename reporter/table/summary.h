/* SPDX-License-Identifier: MIT */
/* summary.h -- the summary that mprof run prints on stderr at the end. */
#ifndef MP_SUMMARY_H
#define MP_SUMMARY_H

#include <stdio.h>

#include "reporter/profile/profile.h"

/* A data file in addition to the main one. */
struct mp_other {
    const char *program, *file; /* program name, and the file as the user may type it; both printable */
    uint64_t size;              /* of the file, in bytes */
    uint64_t allocs, bytes;
    uint32_t pid;
    bool running;               /* still running */
    bool lisp;                  /* has objects of Lisp */
    bool not_seen;              /* its own allocator was not recorded */
    const char *arguments;      /* as typed, shortened if long; NULL if there were none */
    uint64_t programs_started;  /* by this process, and not profiled */
    uint64_t dropped;           /* allocations that were not recorded */
    const char *why;            /* why its recording is incomplete, see mp_missing_why(); NULL if it is complete */
    const char *part;           /* if others are in the file, too: what selects this one with --process; else NULL */
};

struct mp_summary {
    /* name and became are printable */
    const char *name;           /* program name as typed, or NULL to use the profile's */
    const char *became;         /* program at the end, after exec; NULL or "" if unknown */
    const char *ended;          /* how the program ended */
    uint64_t duration;          /* in ns */
    const char *taken;          /* the requested file, if another process already records there and `file` was chosen
                                   instead; else NULL */
    const char *file;           /* data file of the first process, as the user may type it */
    uint64_t size;              /* of `file`, in bytes */
    struct mp_unrecorded_list unrecorded;       /* processes of the run that were not recorded */
    const struct mp_other *most;        /* the one of `others` that has more in it than the first recording and all
                                           others; NULL if the first has the most */
    const char *finding;        /* first sentence of the first finding in that, printable; NULL if there is none */
    const char *before;         /* programs that the first process was before exec and whose recordings are left out,
                                   printable; NULL if there are none */
    uint64_t before_allocs, before_bytes, before_started;       /* what they allocated, and the number of programs that
                                                                   they started unprofiled */
    bool follow;
    struct mp_other *others;    /* n_others of them; mp_summary_print() sorts them */
    uint32_t n_others;
};

void mp_summary_print(const struct mp_profile *profile, const struct mp_summary *summary,
                      FILE *out);

#endif
