/* SPDX-License-Identifier: MIT */
/*
 * merge.h -- merges the profiles of many processes into one, their sum, in which things are identified by name.
 *
 * It reads and writes no files: profiles go in, and one comes out. Only mprof merge calls it, through this header.
 *
 *     struct mp_merge *merge = mp_merge_new(&options);
 *     for each profile, in any order:
 *         mp_merge_add(merge, profile, file, label, &error);     then it may be freed
 *     merged = mp_merge_finish(merge, left_out, &error);
 *
 * A merge needs memory for the result and for one profile at a time. The result does not depend on the order of the
 * profiles, nor on whether some of them were merged before. Labels (profile/processes.h) have the level requested, or a
 * coarser level if one of the profiles is a merged one that has only coarser labels.
 */
#ifndef MP_MERGE_H
#define MP_MERGE_H

#include "reporter/profile/profile.h"

/* If no level is chosen, labels have the finest level that needs at most this many. */
#define MP_MERGE_LABELS 32u

struct mp_merge_options {
    bool chosen;                /* `level` was chosen by the user */
    enum mp_label_level level;
    uint32_t expected;          /* number of profiles that will be added, as far as known. If it is more than
                                   MP_MERGE_LABELS, processes get no labels of their own */
};

/* New host and program of processes. NULL means unchanged. */
struct mp_merge_label {
    const char *host, *program;
};

struct mp_merge *mp_merge_new(const struct mp_merge_options *options);
void mp_merge_free(struct mp_merge *merge);

/* Adds PROFILE, which is symbolised and not a view. FILE is the name of its file. LABEL renames its processes
 * and may be NULL. Returns false, fills *ERROR and adds nothing if another tool wrote the profile, if one of its
 * processes has already been added, or if its sampling differs. */
bool mp_merge_add(struct mp_merge *merge, const struct mp_profile *profile, const char *file,
                  const struct mp_merge_label *label, struct mp_error *error);

/* Returns the number of processes added. */
uint32_t mp_merge_count(const struct mp_merge *merge);

/* Returns the sum of everything added, at least one process. LEFT_OUT is the number of files that could not be
 * added. Nothing can be added afterwards. The result must be freed before MERGE. Returns NULL and fills *ERROR
 * if the sums exceed what a file can store. */
struct mp_profile *mp_merge_finish(struct mp_merge *merge, uint64_t left_out, struct mp_error *error);

#endif
