/* SPDX-License-Identifier: MIT */
#include "trials.h"

#include <stdlib.h>

#include "reporter/base/arena.h"

#define SAVES 10u               /* minimum saving of pause time, in percent, for a recommendation */

static void
run(const struct mp_replay_trials *trials, const struct mp_replay_setting *setting, struct mp_replay_result *result)
{
    if (trials->simulation)
        mp_simulate(trials->simulation, &trials->replay, setting, result);
    else
        mp_replay_run(&trials->replay, setting, result);
}

static void
add(struct mp_replay_trials *trials, const struct mp_replay_setting *setting)
{
    trials->settings[trials->n] = *setting;
    run(trials, setting, &trials->results[trials->n]);
    trials->n++;
}

/* Returns the smallest power of two that is at least BYTES and at least 1 MiB. */
static uint64_t
round_heap(uint64_t bytes)
{
    uint64_t size = (uint64_t)1 << 20;

    while (size < bytes)
        size *= 2;
    return size;
}

static void
try_usual(struct mp_replay_trials *trials)
{
    static const uint32_t divisors[] = {1, 2, 3, 4, 6, 8};
    const struct mp_replay_setting *own = &trials->replay.setting;
    const uint64_t heap = round_heap(trials->replay.recorded.heap);

    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++)
        if (divisors[i] != own->divisor)
            add(trials, &(struct mp_replay_setting){.divisor = divisors[i], .incremental = own->incremental});
    for (unsigned part = 4; part > 0; part /= 2)
        add(trials, &(struct mp_replay_setting){.divisor = own->divisor, .first_heap = heap / part,
                                                .incremental = own->incremental});
    add(trials, &(struct mp_replay_setting){.divisor = own->divisor, .incremental = !own->incremental});
}

/* Returns the setting with the least pause time whose heap is at most a tenth larger, or n if it does not save a
 * tenth of the pause time. */
static unsigned
best_of(const struct mp_replay_trials *trials)
{
    const uint64_t most = trials->own.heap + trials->own.heap / 10;
    const unsigned best = mp_replay_best(trials->settings, trials->results, trials->n, most);

    if (best < trials->n &&
        (double)trials->results[best].pauses > (double)trials->own.pauses * (100 - SAVES) / 100)
        return trials->n;
    return best;
}

bool
mp_replay_try(struct mp_replay_trials *trials, const struct mp_profile *profile, const struct mp_objects *objects,
              const struct mp_replay_setting *setting, struct mp_error *error)
{
    *trials = (struct mp_replay_trials){.n = 0};
    if (!mp_replay_learn(&trials->replay, profile, error))
        return false;
    trials->timed = trials->replay.recorded.pauses > 0;
    if (objects) {
        trials->simulation = mp_need(malloc(sizeof *trials->simulation));
        mp_simulation_learn(trials->simulation, objects, trials->replay.setting.divisor);
    }
    run(trials, &trials->replay.setting, &trials->own);
    if (setting) {
        struct mp_replay_setting one = *setting;

        if (one.divisor == 0)
            one.divisor = trials->replay.setting.divisor;
        add(trials, &one);
        mp_replay_run(&trials->replay, &one, &trials->sums);
    } else {
        try_usual(trials);
    }
    trials->best = !setting && trials->timed ? best_of(trials) : trials->n;
    return true;
}

void
mp_replay_trials_free(struct mp_replay_trials *trials)
{
    if (trials->simulation)
        mp_simulation_free(trials->simulation);
    free(trials->simulation);
    trials->simulation = NULL;
}

double
mp_replay_off(uint64_t predicted, uint64_t real)
{
    return real > 0 ? 100 * ((double)predicted - (double)real) / (double)real : 0;
}
