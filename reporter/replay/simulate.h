/* SPDX-License-Identifier: MIT */
/*
 * simulate.h -- repeats a recording's collections with other settings, object by object, from its log.
 *
 * All objects of the log are allocated again in a simulated heap (simulated_heap.h). When an object finds no space,
 * libgc's policy (alloc.c: GC_collect_or_expand(), GC_should_collect(), min_bytes_allocd()) decides whether to
 * collect or to enlarge the heap:
 *
 *     enough = (2 * bytes live with pointers + bytes live without / 4 + roots) / free space divisor
 *
 * Only `roots` is not in the log. It is twice the size of the stacks plus the size of all static data. It is
 * estimated from the recorded collections, because enough was allocated before each of them. Collections that came
 * much earlier than the live objects allow were requested by the program, and are repeated at their times. The
 * collection with which libgc starts is repeated, too.
 *
 * The exact time at which an object died is not known, see log_objects.h. If an object survived a collection, its
 * time of death is chosen at random between the last collection that it survived and the one that found it dead. For an
 * object that its first collection found dead, or that was allocated after the last collection, the time of death is
 * chosen at random, so that the share of such objects that reach an age equals the share of all objects that had this
 * age at their first collection and were alive then.
 */
#ifndef MP_REPLAY_SIMULATE_H
#define MP_REPLAY_SIMULATE_H

#include "log_objects.h"
#include "replay.h"

#define MP_REPLAY_AGES 32u

/* What is learned from the log once, for all settings. */
struct mp_simulation {
    const struct mp_objects *objects;
    double lives[MP_REPLAY_AGES];       /* by age, which is measured as 1 << index allocated objects: share of the
                                           objects that reach it */
    uint64_t roots;             /* bytes, as in the formula above */
    bool *requested;            /* by collection: whether the program requested it */
    uint32_t n_requested;
};

/* Learns from OBJECTS, which must outlive *SIMULATION. DIVISOR is that of the recording. */
void mp_simulation_learn(struct mp_simulation *simulation, const struct mp_objects *objects, uint32_t divisor);
void mp_simulation_free(struct mp_simulation *simulation);

/* Sets *RESULT to the result with SETTING. REPLAY states how long a collection takes. */
void mp_simulate(const struct mp_simulation *simulation, const struct mp_replay *replay,
                 const struct mp_replay_setting *setting, struct mp_replay_result *result);

#endif
