/* dump.h -- every chain with its figures, for scripts: see mprof(1). */
#ifndef MP_DUMP_H
#define MP_DUMP_H

#include <stdio.h>

#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

enum mp_dump_format {
    MP_DUMP_CHAINS = 0,         /* a line for each context */
    MP_DUMP_IDS,                /* functions and chains once, with numbers */
    MP_DUMP_FOLDED,             /* "outer;inner 123", for tools that draw flame graphs */
    MP_DUMP_LIFETIMES           /* how long blocks lived, by chain */
};

struct mp_dump_options {
    enum mp_dump_format format;
    enum mp_sort cost;          /* of MP_DUMP_FOLDED: what is counted */
    bool all_frames;            /* functions that start main and threads, too */
    bool lisp;                  /* objects of Lisp only, by type */
    enum mp_frames frames;
    struct mp_window_ends window;       /* only this part of the time; what is temporary or was alive at
                                   the peak is 0 then */
};

/* Write the chains of PROFILE, which is symbolised, to OUT.  False and *ERROR: there is no such time,
 * or no lifetimes. */
bool mp_dump_write(const struct mp_profile *profile, const struct mp_dump_options *options,
                   FILE *out, struct mp_error *error);
#endif
