/*
 * merge.h -- profiles of many processes become one: their sum, by names.
 *
 *     struct mp_merge *merge = mp_merge_new(&options);
 *     for each profile, in any order:
 *         mp_merge_add(merge, profile, file, &error);     and it may be freed
 *     merged = mp_merge_finish(merge, left_out, &error);
 *
 * Memory is that of the result, and of one profile at a time.  The result is the same for any order, and if
 * some were merged before: labels (profile/processes.h) are as fine as is wanted, and as all have.
 */
#ifndef MP_MERGE_H
#define MP_MERGE_H

#include "reporter/profile/profile.h"

/* Unless a level is chosen, labels are of the finest one that makes so many of them at most. */
#define MP_MERGE_LABELS 32u

struct mp_merge_options {
    bool chosen;                /* of labels: */
    enum mp_label_level level;
    uint32_t expected;          /* so many profiles will be added, as far as is known: more than there may be
                                   labels, and processes have none from the beginning */
};

/* What processes are called from now on: their host, their program; NULL: what they were. */
struct mp_merge_label {
    const char *host, *program;
};

struct mp_merge *mp_merge_new(const struct mp_merge_options *options);
void mp_merge_free(struct mp_merge *merge);

/* Add PROFILE, which is symbolised and whole.  FILE: how its file is called; LABEL: what its processes are; NULL: as
 * they were.  False and *ERROR, and nothing was
 * added: another tool wrote it, or a process of it is there already, or was sampled in another way than the others. */
bool mp_merge_add(struct mp_merge *merge, const struct mp_profile *profile, const char *file,
                  const struct mp_merge_label *label, struct mp_error *error);

/* How many processes were added. */
uint32_t mp_merge_count(const struct mp_merge *merge);

/* The sum of all that was added, which is one process at least; LEFT_OUT: how many files could not be.  It
 * must be freed before MERGE, to which nothing can be added any more.  NULL and *ERROR: the sums are beyond
 * what a file can hold. */
struct mp_profile *mp_merge_finish(struct mp_merge *merge, uint64_t left_out, struct mp_error *error);

#endif
