/* trials.h -- replays of one recording with several settings, and what is said of them. */
#ifndef MP_REPLAY_TRIALS_H
#define MP_REPLAY_TRIALS_H

#include <stdio.h>

#include "replay.h"

#define MP_REPLAY_TRIALS 12u

struct mp_replay_trials {
    struct mp_replay replay;
    struct mp_replay_result own;        /* with its own settings */
    bool timed;                         /* it is known how long collections took */
    struct mp_replay_setting settings[MP_REPLAY_TRIALS];
    struct mp_replay_result results[MP_REPLAY_TRIALS];
    unsigned n;
    unsigned best;                      /* the one to choose; n: none, or that was not asked for */
    const char *real_file;              /* a recording with the only setting; NULL: none */
    struct mp_replay_result real;       /* what it had */
};

/* Learn from PROFILE, which must outlive it, and replay: with SETTING, where a divisor of 0 is the recording's own;
 * NULL: with several usual ones, and say which of them to choose.  False and *ERROR: see mp_replay_learn(). */
bool mp_replay_try(struct mp_replay_trials *trials, const struct mp_profile *profile,
                   const struct mp_replay_setting *setting, struct mp_error *error);

/* By how many percent PREDICTED is more than REAL, or less. */
double mp_replay_off(uint64_t predicted, uint64_t real);

/* One object, see doc/mprof-replay.schema.json.  FILE: what was replayed.  False: there is no memory. */
bool mp_replay_json(const struct mp_replay_trials *trials, const struct mp_profile *profile, const char *file,
                    FILE *out);

#endif
