/* dump.h -- every chain with its figures, a line each, for scripts: see mprof-report(1). */
#ifndef MP_DUMP_H
#define MP_DUMP_H

#include <stdio.h>

#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

struct mp_dump_options {
    bool all_frames;            /* functions that start main and threads, too */
    bool lisp;                  /* objects of Lisp only, by type */
    enum mp_frames frames;
};

/* Write the chains of PROFILE, which is symbolised, to OUT. */
void mp_dump_write(const struct mp_profile *profile, const struct mp_dump_options *options,
                   FILE *out);
#endif
