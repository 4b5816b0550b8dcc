/* SPDX-License-Identifier: MIT */
/*
 * replay.h -- repeats a recording's garbage collections with other settings of the collector.
 *
 * reporter/replay/ owns logs of all allocations and frees, and simulations of a collector. It starts no program. The
 * command replay calls it, and mprof run seals logs by it.
 *
 * Simulates the policy of libgc as ECL uses it (Boehm, libgc 8.2, alloc.c: GC_collect_or_expand, GC_should_collect,
 * min_bytes_allocd). When the heap is full, the collector runs if enough was allocated since the last collection:
 *
 *     enough = (2 * bytes live with pointers + bytes live without / 4) / free space divisor
 *
 * Otherwise the heap grows by its size / the divisor, by at most MP_REPLAY_STEP. An incremental collector needs
 * half as much, and runs as soon as that is allocated.
 *
 * Live bytes at a given amount of allocation are interpolated linearly between the recorded collections. Which
 * bytes contain pointers is not recorded, so `enough` is estimated for a small and for the largest live heap, and
 * interpolated. For the small heap, `enough` is derived from the allocations between the first collections, which occur
 * as soon as enough was allocated. For the largest heap, it is derived from the types that lived at the peak, but does
 * not exceed the bytes that were allocated before any collection with at least half of the largest live heap. Finally
 * `enough` is scaled so that a replay has about as many collections as the recording. The cost of a collection is a
 * fixed time plus a time for each live byte, fitted to the recorded collections.
 *
 * All results are predictions. To show their accuracy, the recording is first replayed with its own settings, and
 * the differences are shown with the result.
 */
#ifndef MP_REPLAY_H
#define MP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"

#define MP_REPLAY_STEP ((uint64_t)2048 * 4096)  /* in bytes, libgc's MAXHINCR blocks */

struct mp_replay_setting {
    uint32_t divisor;           /* free space divisor, 1 or more */
    uint64_t first_heap;        /* initial heap size in bytes; 0 = libgc's default */
    uint64_t most_heap;         /* maximum heap size in bytes; 0 = unlimited */
    bool incremental;
};

struct mp_replay_result {
    uint64_t collections;
    uint64_t pauses;            /* sum of pauses in ns */
    uint64_t heap;              /* maximum heap size in bytes */
    uint64_t ends_at;           /* bytes allocated when memory was exhausted; 0 = never */
};

/* The parameters learned from a recording. */
struct mp_replay {
    struct mp_replay_setting setting;   /* setting of the recording */
    struct mp_replay_result recorded;   /* result of the recording */
    uint64_t allocated;         /* bytes allocated between the first and the last collection */
    uint64_t most_live;         /* maximum bytes live after a collection */
    uint32_t start;             /* index of the collection at which the replay begins, the first with a significant
                                   live heap */
    double least_live, least_enough;    /* bytes live at `start`, and divisor * enough there */
    double most_enough;         /* divisor * enough in bytes at most_live */
    double filled;              /* share of the heap that was live or garbage when it was full */
    double fixed, each;         /* time of a collection in ns: fixed, and for each byte that lives after it */
    const struct mp_collections *collections;
};

/* Learns from PROFILE, which must outlive *REPLAY. Returns false and sets *ERROR if there are too few collections. */
bool mp_replay_learn(struct mp_replay *replay, const struct mp_profile *profile, struct mp_error *error);

/* Sets *SETTING and *REAL to the setting and the result of the run in PROFILE, which was read from FILE. Returns
 * false and sets *ERROR if there was no collection. */
bool mp_replay_real(const struct mp_profile *profile, const char *file, struct mp_replay_setting *setting,
                    struct mp_replay_result *real, struct mp_error *error);

/* Sets *RESULT to the result of a replay with SETTING. */
void mp_replay_run(const struct mp_replay *replay, const struct mp_replay_setting *setting,
                   struct mp_replay_result *result);

/* Returns the index of the result with the least pause time among N settings whose heap is at most MOST bytes.
 * Ignores incremental settings, whose pauses are not predicted. Returns N if no heap is that small. */
unsigned mp_replay_best(const struct mp_replay_setting settings[], const struct mp_replay_result results[],
                        unsigned n, uint64_t most);

#endif
