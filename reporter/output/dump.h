/* dump.h -- writes every chain with its figures, for scripts; the formats are described in mprof(1). */
#ifndef MP_DUMP_H
#define MP_DUMP_H

#include <stdio.h>

#include "reporter/profile/profile.h"
#include "reporter/profile/tree.h"
#include "reporter/profile/view.h"

enum mp_dump_format {
    MP_DUMP_CHAINS = 0,         /* one line for each context */
    MP_DUMP_IDS,                /* each function and chain once, referred to by number */
    MP_DUMP_FOLDED,             /* "outer;inner 123", for tools that draw flame graphs */
    MP_DUMP_LIFETIMES           /* lifetimes of blocks, by chain */
};

struct mp_dump_options {
    enum mp_dump_format format;
    enum mp_sort cost;          /* the figure counted by MP_DUMP_FOLDED */
    bool all_frames;            /* include the functions that start main and threads */
    bool lisp;                  /* only Lisp objects, by type */
    enum mp_frames frames;
    struct mp_window_ends window;       /* only this part of the time; temporary blocks and the peak are then 0 */
};

/* Writes the chains of PROFILE, which is symbolised, to OUT. Returns false and sets *ERROR if the window is not in
 * the recording, if the profile lacks the cost to count, or if lifetimes were requested but not recorded. */
bool mp_dump_write(const struct mp_profile *profile, const struct mp_dump_options *options,
                   FILE *out, struct mp_error *error);

/* Writes collapsed stacks, "outer;inner 123", one line for each chain for which COST is not 0. */
void mp_dump_folded(const struct mp_tree *tree, enum mp_sort cost, FILE *out);

/* Writes a function's name. Control characters are already escaped as \xNN. This function also escapes semicolons and
 * a beginning that looks like the number of a part. */
void mp_dump_name(const char *name, FILE *out);

#endif
