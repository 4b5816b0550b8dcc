/*
 * leaks.h -- which of the blocks in a snapshot of C's heap are lost, as valgrind's memcheck says it.
 *
 *     struct mp_leaks *leaks = mp_leaks_find(path, profile, &error);
 *     ... leaks->sums[MP_LEAK_DEFINITE].bytes ...
 *     struct mp_profile *lost = mp_leaks_profile(leaks, MP_LEAK_DEFINITE);
 *     mp_profile_free(lost);
 *     mp_leaks_free(leaks);
 */
#ifndef MP_LEAKS_H
#define MP_LEAKS_H

#include "reporter/heap/heap.h"
#include "reporter/profile/profile.h"

enum mp_leak {
    MP_LEAK_DEFINITE,           /* nothing points to it */
    MP_LEAK_INDIRECT,           /* only blocks that are lost do */
    MP_LEAK_POSSIBLE,           /* what leads to it points to the inside of a block somewhere */
    MP_LEAK_REACHABLE,
    MP_LEAKS
};

struct mp_leak_sum {
    uint64_t blocks, bytes;
};

struct mp_leaks {
    struct mp_heap *heap;
    uint32_t own_sites;         /* sites from here on are callers only */
    struct mp_profile *profile; /* made of its sites */
    uint8_t *is;                /* enum mp_leak by object */
    struct mp_leak_sum sums[MP_LEAKS];
    uint64_t unseen;            /* MP_FACT_UNSEEN; if it is not 0, nothing is lost definitely or indirectly: blocks
                                   that were not seen may lead to it */
};

/* "definite", as in options and JSON; "definitely lost", as people say. */
extern const char *const mp_leak_names[MP_LEAKS], *const mp_leak_words[MP_LEAKS];

/* Why blocks, or what leads to them, may not have been seen: a bit of `unseen`, its name in JSON, and words. */
struct mp_leak_unseen {
    uint64_t bit;
    const char *name, *text;
};
#define MP_LEAK_UNSEEN 5u
extern const struct mp_leak_unseen mp_leak_unseen[MP_LEAK_UNSEEN];

/* Read the snapshot PATH.  If it is not sealed, its sites get their names from the live file RECORDING.  PROFILE, of
 * the recording that it is said to be of, or NULL, tells what was not recorded.  NULL and *ERROR: it cannot be read,
 * or is not of C, or of another recording. */
struct mp_leaks *mp_leaks_find(const char *path, const char *recording, const struct mp_profile *profile,
                               struct mp_error *error);

/* The same of HEAP, which is freed with the result, or on failure. */
struct mp_leaks *mp_leaks_of(struct mp_heap *heap, const char *recording, const struct mp_profile *profile,
                             struct mp_error *error);
void mp_leaks_free(struct mp_leaks *leaks);

/* A profile in which what LEAK is of is all that is kept.  It must not outlive LEAKS and their profile; the caller
 * frees it. */
struct mp_profile *mp_leaks_profile(const struct mp_leaks *leaks, enum mp_leak leak);

#endif
