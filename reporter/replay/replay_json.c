/* SPDX-License-Identifier: MIT */
/* replay_json.c -- machine-readable output of replays. */
#include <math.h>

#include "config.h"
#include "reporter/base/json.h"
#include "trials.h"

/* The version of the schema. The first number is raised by incompatible changes, the second by compatible ones.
 * doc/mprof-replay.schema.json and mprof-replay(1) contain the same version. */
#define SCHEMA_VERSION "1.1"

static void
put_setting(struct mp_buffer *out, const struct mp_replay_setting *setting)
{
    mp_json_key(out, "setting");
    mp_json_open(out, '{');
    mp_json_key_number(out, "divisor", setting->divisor);
    mp_json_key_number_or_null(out, "first_heap_bytes", setting->first_heap, setting->first_heap > 0);
    mp_json_key_number_or_null(out, "most_heap_bytes", setting->most_heap, setting->most_heap > 0);
    mp_json_key_bool(out, "incremental", setting->incremental);
    mp_json_close(out, '}');
}

static void
put_result(struct mp_buffer *out, const struct mp_replay_result *result, bool timed)
{
    mp_json_key_number(out, "collections", result->collections);
    mp_json_key_number_or_null(out, "pauses_ns", result->pauses, timed);
    mp_json_key_number(out, "heap_bytes", result->heap);
    mp_json_key_number_or_null(out, "out_of_memory_after_bytes", result->ends_at, result->ends_at > 0);
}

static void
put_percent(struct mp_buffer *out, const char *key, bool known, uint64_t predicted, uint64_t real)
{
    mp_json_key(out, key);
    if (known && real > 0)
        mp_json_signed(out, lround(mp_replay_off(predicted, real)));
    else
        mp_json_null(out);
}

/* Writes the deviation of PREDICTED from REAL in percent. */
static void
put_error(struct mp_buffer *out, const char *key, const struct mp_replay_result *predicted,
          const struct mp_replay_result *real, bool timed)
{
    mp_json_key(out, key);
    mp_json_open(out, '{');
    put_percent(out, "collections", true, predicted->collections, real->collections);
    put_percent(out, "pauses", timed, predicted->pauses, real->pauses);
    put_percent(out, "heap", true, predicted->heap, real->heap);
    mp_json_close(out, '}');
}

static void
put_run(struct mp_buffer *out, const char *key, const struct mp_replay_trials *trials,
        const struct mp_replay_result *result, bool predicted)
{
    mp_json_line(out);
    mp_json_key(out, key);
    mp_json_open(out, '{');
    put_setting(out, &trials->replay.setting);
    put_result(out, result, trials->timed);
    if (predicted)
        put_error(out, "error_percent", result, &trials->replay.recorded, trials->timed);
    mp_json_close(out, '}');
}

static void
put_trials(struct mp_buffer *out, const struct mp_replay_trials *trials)
{
    mp_json_line(out);
    mp_json_key(out, "predictions");
    mp_json_open(out, '[');
    for (unsigned i = 0; i < trials->n; i++) {
        mp_json_line(out);
        mp_json_open(out, '{');
        put_setting(out, &trials->settings[i]);
        put_result(out, &trials->results[i], trials->timed && !trials->settings[i].incremental);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
    mp_json_key_number_or_null(out, "choose", trials->best, trials->best < trials->n);
}

static void
put_real(struct mp_buffer *out, const struct mp_replay_trials *trials)
{
    const bool timed = trials->timed && trials->real.pauses > 0 && !trials->settings[0].incremental;

    mp_json_line(out);
    mp_json_key(out, "real");
    if (!trials->real_file) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_text(out, "file", trials->real_file);
    put_result(out, &trials->real, trials->real.pauses > 0);
    put_error(out, "error_percent", &trials->results[0], &trials->real, timed);
    if (trials->simulation)
        put_error(out, "error_percent_of_sums", &trials->sums, &trials->real, timed);
    mp_json_close(out, '}');
}

static void
put_log(struct mp_buffer *out, const struct mp_replay_trials *trials)
{
    const struct mp_objects *objects = trials->simulation ? trials->simulation->objects : NULL;

    mp_json_line(out);
    mp_json_key(out, "log");
    if (!objects) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_number(out, "allocations", objects->n);
    mp_json_key_number(out, "allocated_bytes", objects->bytes);
    mp_json_key_number(out, "ended", objects->ended);
    mp_json_key_number(out, "ended_bytes", objects->ended_bytes);
    mp_json_key_number(out, "collections", objects->n_collections);
    mp_json_key_number(out, "requested_collections", trials->simulation->n_requested);
    mp_json_key_number(out, "missing_events", objects->missing);
    mp_json_close(out, '}');
}

void
mp_replay_json(const struct mp_replay_trials *trials, const struct mp_profile *profile, const char *file, FILE *to)
{
    struct mp_buffer out = {0};

    mp_json_open(&out, '{');
    mp_json_schema(&out, "mprof-replay", SCHEMA_VERSION);
    mp_json_key_text(&out, "mprof", PACKAGE_VERSION);
    mp_json_key_text(&out, "file", file);
    mp_json_key_text(&out, "language", profile->meta.language);
    mp_json_key_number(&out, "allocated_bytes", trials->replay.allocated);
    mp_json_key_number(&out, "most_live_bytes", trials->replay.most_live);
    put_log(&out, trials);
    put_run(&out, "recorded", trials, &trials->replay.recorded, false);
    put_run(&out, "replayed", trials, &trials->own, true);
    put_trials(&out, trials);
    put_real(&out, trials);
    mp_json_close(&out, '}');
    mp_json_end(&out, to);
}
