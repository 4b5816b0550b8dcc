/* SPDX-License-Identifier: MIT */
/*
 * leaks.h -- finds the lost blocks in a snapshot of C's heap, classified as by valgrind's memcheck.
 *
 * A snapshot contains the blocks, the references between them and their chains. If it is not sealed, the recording
 * has the names. The command leaks and mprof run --leaks call it.
 *
 *     struct mp_leaks *leaks = mp_leaks_find(path, recording, profile, &error);
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
    MP_LEAK_DEFINITE,           /* unreachable; no other lost block leads to it, or it represents a lost cycle */
    MP_LEAK_INDIRECT,           /* only reachable from lost blocks */
    MP_LEAK_POSSIBLE,           /* only reachable through a pointer to the inside of a block */
    MP_LEAK_REACHABLE,
    MP_LEAKS
};

struct mp_leak_sum {
    uint64_t blocks, bytes;
};

struct mp_leaks {
    struct mp_heap *heap;
    uint32_t own_sites;         /* sites from this index on are only callers of others */
    struct mp_profile *profile; /* created from the snapshot's sites */
    uint8_t *is;                /* enum mp_leak by object */
    struct mp_leak_sum sums[MP_LEAKS];
    uint64_t unseen;            /* reasons of MP_FACT_UNSEEN why blocks may be missing; if not 0, unreachable blocks
                                   count as possibly lost, because unseen blocks may point to them */
};

/* Names in options and JSON ("definite"), and in text ("definitely lost"). */
extern const char *const mp_leak_names[MP_LEAKS], *const mp_leak_words[MP_LEAKS];

/* Reads the snapshot PATH. If it is not sealed, the names of its sites are read from the live file RECORDING. PROFILE
 * is the profile of its recording, which contains what was not recorded, or NULL. Returns NULL and sets *ERROR if the
 * snapshot cannot be read, is not of C's heap, or belongs to another recording. */
struct mp_leaks *mp_leaks_find(const char *path, const char *recording, const struct mp_profile *profile,
                               struct mp_error *error);

/* Like mp_leaks_find(), for a snapshot that is already loaded. HEAP is freed with the result, or on failure. */
struct mp_leaks *mp_leaks_of(struct mp_heap *heap, const char *recording, const struct mp_profile *profile,
                             struct mp_error *error);
void mp_leaks_free(struct mp_leaks *leaks);

/* Returns a profile that contains only the blocks of class LEAK, all as kept. The caller frees it before LEAKS. */
struct mp_profile *mp_leaks_profile(const struct mp_leaks *leaks, enum mp_leak leak);

#endif
