/*
 * replay.h -- a recording's collections once more, with other settings of the collector.
 *
 * The collector is libgc, as ECL uses it, whose policy is simulated (Boehm, libgc 8.2, alloc.c: GC_collect_or_expand,
 * GC_should_collect, min_bytes_allocd): when the heap is full, it is collected if enough was allocated since the
 * last collection,
 *
 *     enough = (2 * bytes live with pointers + bytes live without / 4) / free space divisor, half of it if it
 *              collects in steps, then as soon as enough was allocated
 *
 * and else it grows by its size / the divisor, by MP_REPLAY_STEP at most.  What lived after so many allocated bytes is
 * taken from the recording, straight lines between its collections.  So is, for how much has pointers, what enough
 * was: at the first collections, which come as soon as that was allocated, since the heap is small; and for most that
 * lived, from the types of what lived at the peak, but no more than was allocated before any of the collections
 * there.  What a collection costs is fitted to those of
 * the recording: a fixed time, and so much for each byte that lived.
 *
 * All that comes out is a prediction.  How good it is, the recording itself tells: it is replayed with its own
 * settings first, and the differences are shown with the result.
 */
#ifndef MP_REPLAY_H
#define MP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"

#define MP_REPLAY_STEP ((uint64_t)2048 * 4096)  /* bytes: libgc's MAXHINCR blocks */

struct mp_replay_setting {
    uint32_t divisor;           /* 1 or more */
    uint64_t first_heap;        /* bytes that it begins with; 0: as libgc does */
    uint64_t most_heap;         /* bytes that it may have; 0: as many as it wants */
    bool incremental;
};

struct mp_replay_result {
    uint64_t collections;
    uint64_t pauses;            /* ns, together */
    uint64_t heap;              /* bytes, at most */
    uint64_t ends_at;           /* bytes allocated when it was out of memory; 0: it was not */
};

/* What is known of a recording. */
struct mp_replay {
    struct mp_replay_setting setting;   /* of the recording */
    struct mp_replay_result recorded;   /* what it had */
    uint64_t allocated;         /* bytes, from the first collection to the last */
    uint64_t most_live;         /* bytes, after a collection */
    uint32_t start;             /* the collection at which the replay begins: the first that left anything */
    double least_live, least_enough;    /* bytes: at the first collections, what lived, and divisor * enough; */
    double most_enough;         /* that of most_live */
    double filled;              /* share of the heap that was live or garbage when it was full */
    double fixed, each;         /* ns of a collection: fixed, and of each byte that lives after it */
    const struct mp_collections *collections;
};

/* Learn from PROFILE, which must outlive *REPLAY.  False and *ERROR: there is too little to learn from. */
bool mp_replay_learn(struct mp_replay *replay, const struct mp_profile *profile, struct mp_error *error);

/* What the run in PROFILE, read from FILE, had, and with which setting.  False and *ERROR: nothing was collected. */
bool mp_replay_real(const struct mp_profile *profile, const char *file, struct mp_replay_setting *setting,
                    struct mp_replay_result *real, struct mp_error *error);

void mp_replay_run(const struct mp_replay *replay, const struct mp_replay_setting *setting,
                   struct mp_replay_result *result);

/* Of the results of N settings the one that takes least time, which of steps is not predicted, among those whose
 * heap is not larger than MOST bytes; N: none. */
unsigned mp_replay_best(const struct mp_replay_setting settings[], const struct mp_replay_result results[],
                        unsigned n, uint64_t most);

#endif
