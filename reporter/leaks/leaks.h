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
    const struct mp_profile *profile;   /* of its recording, with names; or */
    struct mp_profile *own;     /* made of what the snapshot tells itself; NULL: the former is given */
    uint8_t *is;                /* enum mp_leak by object */
    struct mp_leak_sum sums[MP_LEAKS];
};

/* "definite", as in options and JSON; "definitely lost", as people say. */
extern const char *const mp_leak_names[MP_LEAKS], *const mp_leak_words[MP_LEAKS];

/* Read the snapshot PATH.  If it is not sealed, its sites are contexts of PROFILE, with names, of the live file, which
 * must outlive the result; else that may be NULL.  NULL and *ERROR: it cannot be read, or is not of C, or of another
 * recording. */
struct mp_leaks *mp_leaks_find(const char *path, const struct mp_profile *profile, struct mp_error *error);
void mp_leaks_free(struct mp_leaks *leaks);

/* A profile in which what LEAK is of is all that is kept.  It must not outlive LEAKS and their profile; the caller
 * frees it. */
struct mp_profile *mp_leaks_profile(const struct mp_leaks *leaks, enum mp_leak leak);

/* Was HEAP written by the process of PROFILE, during that recording or later? */
bool mp_leaks_is_of(const struct mp_heap *heap, const struct mp_profile *profile);

/* The context of PROFILE, of a live file, that SITE of a snapshot has, which is called ID there; the root where it is
 * not known, or SITE is 0. */
uint32_t mp_leaks_context(const struct mp_profile *profile, uint32_t site, uint64_t id);

#endif
