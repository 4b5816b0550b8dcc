/* SPDX-License-Identifier: MIT */
/*
 * heap_series.h -- a series of snapshots of one process's heap: the contents of each by type, site, function or
 * package.
 *
 * Snapshots may be large, so only one of them is in memory at a time. Of each snapshot only the rows are kept,
 * identified by their texts. Sizes are shallow: each object is in one row, and the rows of a snapshot add up to its
 * total. Retained sizes of rows would overlap. Only the trees of what roots hold have retained sizes.
 */
#ifndef MP_HEAP_SERIES_H
#define MP_HEAP_SERIES_H

#include <stdio.h>

#include "reporter/profile/profile.h"
#include "heap_tree.h"
#include "retained.h"

#define MP_HEAP_SERIES_BRANCHES 20000u  /* maximum number of branches of all trees together, without sums */
#define MP_HEAP_SERIES_TREE     1000u   /* maximum number of branches of one tree, without sums */

struct mp_heap_taken {
    const char *file, *name;    /* name: given by the user, or "" */
    uint64_t number;            /* number among the snapshots of the process */
    uint64_t time;              /* ns since its recording began */
    uint64_t objects, bytes;    /* objects and bytes in the snapshot */
    uint64_t facts[MP_FACTS];   /* by enum mp_heap_fact; 0: not known */
    struct mp_heap_tree tree;   /* what its roots hold; only if the series is by MP_HEAP_BY_EACH */
};

struct mp_heap_band {
    const char *name;
    uint64_t *bytes, *objects;  /* by snapshot; 0 if the snapshot contains no such objects */
};

struct mp_heap_series {
    enum mp_heap_by by;
    struct mp_heap_taken *taken; uint32_t n;    /* sorted by time */
    struct mp_heap_band *bands; uint32_t n_bands;       /* in order of first occurrence */
    const char *program, *language, *data_file; /* "": not known */
    struct mp_arena *arena;
};

/* Loads the N snapshots FILES, at least two, in any order. If BY is MP_HEAP_BY_EACH, also makes for each snapshot a
 * tree of what its roots hold. Returns NULL and fills *ERROR if a snapshot cannot be read or has no time, if they are
 * from different processes, or if one occurs twice. The caller frees the series. */
struct mp_heap_series *mp_heap_series_load(const char *const *files, uint32_t n, enum mp_heap_by by,
                                           struct mp_error *error);

/* Returns how many branches each tree may have in a series of N snapshots. Branches that sum up others are not
 * counted. */
uint32_t mp_heap_series_most(uint32_t n);

/* Like mp_heap_files(), but only with the snapshots of the process that made the last one. Snapshots of an earlier
 * recording with the same name may be there, too, whose times count from another start. Keeps files that cannot be
 * read. */
char **mp_heap_series_files(const char *recording, uint32_t *n);

void mp_heap_series_free(struct mp_heap_series *series);

/* Returns whether SERIES is from the process and recording of PROFILE. */
bool mp_heap_series_is_of(const struct mp_heap_series *series, const struct mp_profile *profile);

/* Writes SERIES as a JSON document. BY is the value of its member "by". Returns false and fills *ERROR if writing
 * fails. */
bool mp_heap_series_json(const struct mp_heap_series *series, const char *by, FILE *file, struct mp_error *error);

#endif
