/*
 * heap_series.h -- snapshots of one process's heap, one after the other: what was in each, by type, site, function or
 * package.
 *
 * A graph may be large, so one snapshot is in memory at a time; what stays are its rows, known by their texts.  Sizes
 * are shallow: an object is in one row, and the rows of a snapshot add up to it.  Retained sizes overlap.
 */
#ifndef MP_HEAP_SERIES_H
#define MP_HEAP_SERIES_H

#include <stdio.h>

#include "reporter/profile/profile.h"
#include "retained.h"

struct mp_heap_taken {
    const char *file, *name;    /* name: what the user called it, or "" */
    uint64_t number;            /* of the process's snapshots */
    uint64_t time;              /* ns since its recording began */
    uint64_t objects, bytes;    /* in it */
    uint64_t facts[MP_FACTS];   /* 0: not known */
};

struct mp_heap_band {
    const char *name;
    uint64_t *bytes, *objects;  /* by snapshot; 0 where there are none */
};

struct mp_heap_series {
    enum mp_heap_by by;
    struct mp_heap_taken *taken; uint32_t n;    /* by time */
    struct mp_heap_band *bands; uint32_t n_bands;       /* in the order in which they were met */
    const char *program, *language, *data_file; /* "": not known */
    struct mp_arena *arena;
};

/* The series of the N snapshots FILES, at least two, in any order.  NULL and *ERROR: one cannot be read, they are of
 * different processes, or one is there twice; else the caller frees it. */
struct mp_heap_series *mp_heap_series_load(const char *const *files, uint32_t n, enum mp_heap_by by,
                                           struct mp_error *error);
/* As mp_heap_files(), of the process only that left the last one: what one before it left under the same name has
 * times of its own.  What cannot be read is among them. */
char **mp_heap_series_files(const char *recording, uint32_t *n);

void mp_heap_series_free(struct mp_heap_series *series);

/* Are they of the process and recording that PROFILE is of? */
bool mp_heap_series_is_of(const struct mp_heap_series *series, const struct mp_profile *profile);

/* All of it as a document for programs, BY: by what its rows are, in a word. */
bool mp_heap_series_json(const struct mp_heap_series *series, const char *by, FILE *file, struct mp_error *error);

#endif
