/* head.h -- the head of the report: what was recorded, and whether anything is missing. */
#ifndef MP_HEAD_H
#define MP_HEAD_H

#include <stdio.h>

#include "print.h"
#include "reporter/profile/profile.h"

/* LISP: of objects of Lisp only. */
void mp_head_print(const struct mp_profile *profile, const struct mp_print_options *options,
                   bool lisp, FILE *out);

/* Why a table of Lisp objects has no rows: there are none, or none could be recorded.  In ARENA. */
const char *mp_head_no_objects(const struct mp_profile *profile, struct mp_arena *arena);

/* After the head: which source files VIEW wanted lines of in vain. */
void mp_head_sources(const struct mp_profile *view, FILE *out);

#endif
