/* SPDX-License-Identifier: MIT */
/* trials.h -- replays of one recording with several settings. */
#ifndef MP_REPLAY_TRIALS_H
#define MP_REPLAY_TRIALS_H

#include <stdio.h>

#include "replay.h"
#include "simulate.h"

#define MP_REPLAY_TRIALS 12u

struct mp_replay_trials {
    struct mp_replay replay;
    struct mp_replay_result own;        /* replay with the recording's own setting */
    struct mp_simulation *simulation;   /* learned from the recording's log; NULL if only sums are known */
    struct mp_replay_result sums;       /* result of the first setting from sums, if there is a simulation */
    bool timed;                         /* the pauses of collections were recorded */
    struct mp_replay_setting settings[MP_REPLAY_TRIALS];
    struct mp_replay_result results[MP_REPLAY_TRIALS];
    unsigned n;
    unsigned best;                      /* index of the recommended setting; n = none, or not asked for */
    const char *real_file;              /* a recording made with the only setting, or NULL */
    struct mp_replay_result real;       /* its result */
};

/* Learns from PROFILE, which must outlive *TRIALS, and replays it. Uses SETTING, in which a divisor of 0 means the
 * recording's own. If SETTING is NULL, uses several common settings and recommends one. If OBJECTS, the recording's
 * log, is not NULL, replays object by object; then mp_replay_trials_free() frees what was learned. Returns false and
 * sets *ERROR if mp_replay_learn() fails. */
bool mp_replay_try(struct mp_replay_trials *trials, const struct mp_profile *profile,
                   const struct mp_objects *objects, const struct mp_replay_setting *setting,
                   struct mp_error *error);
void mp_replay_trials_free(struct mp_replay_trials *trials);

/* Returns the difference of PREDICTED from REAL in percent, positive if PREDICTED is larger. */
double mp_replay_off(uint64_t predicted, uint64_t real);

/* Writes one JSON object, see doc/mprof-replay.schema.json. FILE is the name of the recording. */
void mp_replay_json(const struct mp_replay_trials *trials, const struct mp_profile *profile, const char *file,
                    FILE *out);

#endif
