/* SPDX-License-Identifier: MIT */
/* mprof replay: simulates a recording's collections with other settings of the collector. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "input_files.h"
#include "option_table.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/file/reader.h"
#include "reporter/replay/trials.h"

#define MOST_DIVISOR 1000u
#define MOST_HEAP (UINT64_C(1) << 46)

struct input {
    struct mp_replay_setting setting;
    bool chosen, sums, json;
    const char *file, *real;
};

#define CHOSEN .also = MP_FIELD(bool, struct input, chosen)

static const struct mp_option options[] = {
    {"divisor", 0, "N", "Set the free space divisor (GC_FREE_SPACE_DIVISOR), 1 to 1000; higher values use less memory",
     MP_COUNT(struct input, setting.divisor, 1, MOST_DIVISOR), CHOSEN},
    {"first-heap", 0, "BYTES", "Set the initial size of the heap (GC_INITIAL_HEAP_SIZE)",
     MP_BYTES(struct input, setting.first_heap, MOST_HEAP), CHOSEN},
    {"most-heap", 0, "BYTES", "Set the maximum size of the heap (ecl --heap-size)",
     MP_BYTES(struct input, setting.most_heap, MOST_HEAP), CHOSEN},
    {"incremental", 0, NULL, "Collect in steps (GC_ENABLE_INCREMENTAL)",
     MP_FLAG(struct input, setting.incremental), CHOSEN},
    {.help = ""},
    {"real", 0, "FILE", "Compare the prediction with FILE, a recording with these settings",
     MP_TEXT(struct input, real)},
    {"sums", 0, NULL, "Replay the sums of collections, even if there is a log of each object",
     MP_FLAG(struct input, sums)},
    {MP_JSON("mprof-replay(1)", struct input, json)},
    {0},
};

/* ------------------------------------------------------------ output */

#define TEXT 96

/* Describes in TEXT how SETTING differs from OWN, as environment variables and options of ECL. Returns a part of
 * TEXT, or a constant if they are equal. */
static const char *
describe(const struct mp_replay_setting *setting, const struct mp_replay_setting *own, char text[TEXT])
{
    int n = 0;

    text[0] = '\0';
    if (setting->divisor != own->divisor)
        n += snprintf(text + n, TEXT - (size_t)n, " GC_FREE_SPACE_DIVISOR=%" PRIu32, setting->divisor);
    if (setting->first_heap)
        n += snprintf(text + n, TEXT - (size_t)n, " GC_INITIAL_HEAP_SIZE=%" PRIu64, setting->first_heap);
    if (setting->most_heap)
        n += snprintf(text + n, TEXT - (size_t)n, " --heap-size %" PRIu64, setting->most_heap);
    if (setting->incremental != own->incremental)
        snprintf(text + n, TEXT - (size_t)n, setting->incremental ? " GC_ENABLE_INCREMENTAL=1" : " not incremental");
    return text[0] ? text + 1 : "the same";
}

static void
put_row(struct mp_columns *table, const char *setting, const struct mp_replay_result *result, bool timed)
{
    char count[MP_NUMBER_SIZE], time[MP_NUMBER_SIZE], heap[MP_NUMBER_SIZE], end[TEXT] = "", at[MP_NUMBER_SIZE];

    if (result->ends_at)
        snprintf(end, sizeof end, "out of memory after %s", mp_number_bytes(result->ends_at, at));
    mp_columns_row(table, (const char *const[]){setting, mp_number_grouped(result->collections, count),
                                                timed ? mp_number_duration(result->pauses, time) : "?",
                                                mp_number_bytes(result->heap, heap), end});
}

/* Measured with the programs and settings that mprof-replay(1) lists. */
#define REAL_RUNS \
    "In real runs of four programs with other settings the number of collections was predicted 55 %% too\n" \
    "low to 50 %% too high, the heap 37 %% too small to 17 %% too large.\n"

/* Formats a difference in percent, for example "+12 %", "0 %" or "-3 %". */
static const char *
percent(double off, char text[MP_NUMBER_SIZE])
{
    const long rounded = lround(off);

    snprintf(text, MP_NUMBER_SIZE, rounded == 0 ? "%ld %%" : "%+ld %%", rounded);
    return text;
}

/* Prints the errors of a prediction, for example "+12 % in collections, -3 % in their time and +5 % in the heap". */
static void
put_off(const struct mp_replay_result *predicted, const struct mp_replay_result *real, bool timed)
{
    char text[MP_NUMBER_SIZE];

    printf("%s in collections", percent(mp_replay_off(predicted->collections, real->collections), text));
    if (timed)
        printf(", %s in their time", percent(mp_replay_off(predicted->pauses, real->pauses), text));
    printf(" and %s in the heap.\n", percent(mp_replay_off(predicted->heap, real->heap), text));
}

static void
put_errors(const struct mp_replay_trials *trials)
{
    const struct mp_replay_result *recorded = &trials->replay.recorded;
    const bool timed = trials->timed && trials->real.pauses > 0 && !trials->settings[0].incremental;

    printf("\nA replay with the recorded settings%s differs from the recording by\n",
           trials->simulation ? "" : ", to which it was fitted,");
    put_off(&trials->own, recorded, trials->timed);
    if (trials->real_file) {
        mp_text_printf(stdout, "The prediction differs from the real run in %s by\n", trials->real_file);
        put_off(&trials->results[0], &trials->real, timed);
        if (trials->simulation) {
            printf("A prediction from sums alone would differ by\n");
            put_off(&trials->sums, &trials->real, timed);
        }
    } else if (!trials->simulation) {
        printf(REAL_RUNS);
    }
}

/* Prints what the replay is made from. */
static void
put_source(const struct mp_replay_trials *trials, const char *file)
{
    char allocations[MP_NUMBER_SIZE], ended[MP_NUMBER_SIZE], missing[MP_NUMBER_SIZE];
    const struct mp_objects *objects = trials->simulation ? trials->simulation->objects : NULL;

    if (!objects) {
        printf("replayed from sums of the collections\n\n");
        return;
    }
    mp_text_printf(stdout, "replayed from %s.log: %s allocations, %s of them freed or found dead, ", file,
                   mp_number_grouped(objects->n, allocations), mp_number_grouped(objects->ended, ended));
    if (objects->missing > 0)
        printf("missing %s events\n\n", mp_number_grouped(objects->missing, missing));
    else
        printf("no event is missing\n\n");
}

static void
propose(const struct mp_replay_trials *trials)
{
    const struct mp_replay_result *result;
    char text[TEXT], times[2][MP_NUMBER_SIZE];
    long larger;

    if (trials->best == trials->n) {
        printf("\nNone of these settings saves a tenth of the time with a heap at most a tenth larger.\n");
        return;
    }
    result = &trials->results[trials->best];
    larger = lround(mp_replay_off(result->heap, trials->own.heap));
    printf("\nRecommended: %s\n  %s of collections instead of %s, with a heap that is %ld %% %s.\n",
           describe(&trials->settings[trials->best], &trials->replay.setting, text),
           mp_number_duration(result->pauses, times[0]), mp_number_duration(trials->own.pauses, times[1]),
           labs(larger), larger < 0 ? "smaller" : "larger");
}

static void
show(const struct input *input, const struct mp_profile *profile, const struct mp_replay_trials *trials,
     const char *file)
{
    static const struct mp_column columns[] = {
        {"setting", MP_LEFT}, {"collections", MP_RIGHT}, {"their time", MP_RIGHT}, {"heap", MP_RIGHT},
        {"", MP_LEFT}};
    const struct mp_replay *replay = &trials->replay;
    struct mp_columns *table;
    char text[TEXT], allocated[MP_NUMBER_SIZE], live[MP_NUMBER_SIZE];

    printf("%s: %s allocated between the first and the last collection, at most %s live after a collection;\n"
           "free space divisor %" PRIu32 "%s\n", profile->meta.language,
           mp_number_bytes(replay->allocated, allocated), mp_number_bytes(replay->most_live, live),
           replay->setting.divisor, replay->setting.incremental ? ", incremental" : "");
    put_source(trials, file);
    table = mp_columns_new(columns, sizeof columns / sizeof *columns, 0);
    put_row(table, "as it was recorded", &replay->recorded, trials->timed);
    put_row(table, "the same, replayed", &trials->own, trials->timed);
    for (unsigned i = 0; i < trials->n; i++)
        put_row(table, describe(&trials->settings[i], &replay->setting, text), &trials->results[i],
                trials->timed && !trials->settings[i].incremental);
    if (trials->real_file)
        put_row(table, "the real run", &trials->real, trials->real.pauses > 0);
    mp_columns_print(table, stdout);
    put_errors(trials);
    if (!input->chosen && !input->real && trials->timed)
        propose(trials);
}

/* ------------------------------------------------------------ the command */

/* Reads the figures of the real run in FILE into RESULT, and completes SETTING with the settings of that run. On
 * failure returns false and fills *ERROR. */
static bool
take_real(const struct input *input, struct mp_replay_setting *setting, struct mp_replay_result *result,
          struct mp_error *error)
{
    struct mp_profile *profile = mp_read(input->real, error);
    struct mp_replay_setting real = {0};
    const bool ok = profile && mp_replay_real(profile, input->real, &real, result, error);

    if (ok) {
        if (setting->divisor == 0)
            setting->divisor = real.divisor;
        setting->incremental = real.incremental;
    }
    mp_profile_free(profile);
    return ok;
}

static bool
replay_all(const struct input *input, const struct mp_profile *profile, const struct mp_objects *objects,
           struct mp_error *error)
{
    struct mp_replay_setting setting = input->setting;
    struct mp_replay_trials trials;
    struct mp_replay_result real;
    const char *file = mp_text_clean(profile->arena, input->file, strlen(input->file));

    if ((input->real && !take_real(input, &setting, &real, error)) ||
        !mp_replay_try(&trials, profile, objects, input->chosen || input->real ? &setting : NULL, error))
        return false;
    if (input->real) {
        trials.real_file = mp_text_clean(profile->arena, input->real, strlen(input->real));
        trials.real = real;
    }
    if (input->json)
        mp_replay_json(&trials, profile, file, stdout);
    else
        show(input, profile, &trials, file);
    mp_replay_trials_free(&trials);
    return true;
}

/* Reads the log of the recording FILE, which was read into PROFILE. Sets *OBJECTS to NULL if there is no log. */
static bool
read_log(const char *file, const struct mp_profile *profile, struct mp_objects **objects, struct mp_error *error)
{
    const struct mp_log_of of = {profile->meta.pid, profile->meta.start_realtime};
    const char *path = mp_arena_printf(profile->arena, "%s.log", file);

    *objects = NULL;
    return access(path, F_OK) != 0 || (*objects = mp_objects_read(path, &of, error)) != NULL;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&mp_cmd_replay, argc, argv, &input, error);
    struct mp_objects *objects = NULL;
    struct mp_profile *profile;
    bool ok;

    if (status >= 0)
        return status;
    profile = mp_input_profile(input.file, NULL, error);
    ok = profile && (input.sums || read_log(input.file, profile, &objects, error)) &&
         replay_all(&input, profile, objects, error);
    status = mp_exit_status(ok, error);
    mp_objects_free(objects);
    mp_profile_free(profile);
    return status;
}

const struct mp_command mp_cmd_replay = {
    "replay", "predict collections with other settings of Lisp's collector", run,
    .options = options, .argument = {.value = "[FILE|PID]", MP_FILE(struct input, file)},
    .doc = "Predict how the collector of the Lisp heap recorded in FILE (" MP_DEFAULT_FILE ") would have behaved with "
           "other settings: how often and how long it would have run, and how large the heap would have become.  "
           "Without a setting, try several usual ones and recommend one.",
};
