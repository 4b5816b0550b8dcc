/* mprof replay: a recording's collections once more, with other settings of the collector. */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/read/reader.h"
#include "reporter/replay/replay.h"
#include "reporter/run/data_file.h"

#define MOST_DIVISOR 1000u
#define MOST_HEAP ((unsigned long)1 << 46)
#define MOST_SETTINGS 12u
#define SAVES 10u               /* percent of the pauses: what saves less is not proposed */

enum { OPT_DIVISOR = 256, OPT_FIRST_HEAP, OPT_MOST_HEAP, OPT_INCREMENTAL };

static const struct argp_option options[] = {
    {"divisor", OPT_DIVISOR, "N", 0, "The free space divisor (GC_FREE_SPACE_DIVISOR): higher, less memory", 1},
    {"first-heap", OPT_FIRST_HEAP, "BYTES", 0, "The heap begins with so many (GC_INITIAL_HEAP_SIZE)", 1},
    {"most-heap", OPT_MOST_HEAP, "BYTES", 0, "It has so many at most (ecl --heap-size)", 1},
    {"incremental", OPT_INCREMENTAL, NULL, 0, "Collect in steps (GC_ENABLE_INCREMENTAL)", 1},
    {0},
};

struct input {
    struct mp_replay_setting setting;
    bool chosen;
    const char *file;
};

static error_t
set_bytes(struct input *input, uint64_t *bytes, const char *option, const char *text)
{
    unsigned long number;

    if (!mp_options_bytes(text, MOST_HEAP, &number))
        return mp_options_refuse("--%s=%s: not a number of bytes, with K or M for units of 1024", option, text);
    *bytes = number;
    input->chosen = true;
    return 0;
}

static error_t
set_divisor(struct input *input, const char *text)
{
    unsigned long number;

    if (!mp_options_number(text, 1, MOST_DIVISOR, &number))
        return mp_options_refuse("--divisor=%s: not a number from 1 to %u", text, MOST_DIVISOR);
    input->setting.divisor = (uint32_t)number;
    input->chosen = true;
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case OPT_DIVISOR:
        return set_divisor(input, arg);
    case OPT_FIRST_HEAP:
        return set_bytes(input, &input->setting.first_heap, "first-heap", arg);
    case OPT_MOST_HEAP:
        return set_bytes(input, &input->setting.most_heap, "most-heap", arg);
    case OPT_INCREMENTAL:
        input->chosen = input->setting.incremental = true;
        return 0;
    case ARGP_KEY_ARG:
        return mp_options_file(&input->file, arg, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    options, parse, "[FILE]",
    "Predict how often the collector of the Lisp that was recorded in FILE (" MP_DEFAULT_FILE
    ") would have run, for how long, and how large the heap would have become, with other settings; without "
    "any, with several usual ones, and say which of them to choose.", NULL, NULL, NULL};

/* ------------------------------------------------------------ what is replayed */

struct trial {
    struct mp_replay_setting settings[MOST_SETTINGS];
    struct mp_replay_result results[MOST_SETTINGS];
    unsigned n;
};

static void
add(struct trial *trial, const struct mp_replay *replay, const struct mp_replay_setting *setting)
{
    trial->settings[trial->n] = *setting;
    mp_replay_run(replay, setting, &trial->results[trial->n]);
    trial->n++;
}

/* A round number of MiB, a power of two, that is BYTES at least. */
static uint64_t
round_heap(uint64_t bytes)
{
    uint64_t size = (uint64_t)1 << 20;

    while (size < bytes)
        size *= 2;
    return size;
}

static void
try_usual(struct trial *trial, const struct mp_replay *replay)
{
    static const uint32_t divisors[] = {1, 2, 3, 4, 6, 8};
    const struct mp_replay_setting *own = &replay->setting;
    const uint64_t heap = round_heap(replay->recorded.heap);

    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++)
        if (divisors[i] != own->divisor)
            add(trial, replay, &(struct mp_replay_setting){.divisor = divisors[i],
                                                           .incremental = own->incremental});
    for (unsigned part = 4; part > 0; part /= 2)
        add(trial, replay, &(struct mp_replay_setting){.divisor = own->divisor, .first_heap = heap / part,
                                                       .incremental = own->incremental});
    add(trial, replay, &(struct mp_replay_setting){.divisor = own->divisor, .incremental = !own->incremental});
}

/* ------------------------------------------------------------ how it is shown */

#define TEXT 96

/* What is other in SETTING than in OWN, as the environment says it. */
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

static double
off_by(uint64_t predicted, uint64_t real)
{
    return real > 0 ? 100 * ((double)predicted - (double)real) / (double)real : 0;
}

/* Of the programs and settings that mprof-replay(1) lists, which tests/e2e/ecl_replay.sh runs. */
#define REAL_RUNS \
    "In real runs of three programs with other settings the number of collections was predicted 55 %% too\n" \
    "low to 50 %% too high, the heap 37 %% too small to 17 %% too large.\n"

static void
put_error(const struct mp_replay_result *real, const struct mp_replay_result *own)
{
    printf("\nReplayed with its own settings, to which the replay was fitted, this recording has %+.0f %% "
           "collections", off_by(own->collections, real->collections));
    if (real->pauses > 0)
        printf(",\n%+.0f %% of their time", off_by(own->pauses, real->pauses));
    printf(" and %+.0f %% of the heap.\n" REAL_RUNS, off_by(own->heap, real->heap));
}

static void
propose(const struct mp_replay *replay, const struct mp_replay_result *own, const struct trial *trial)
{
    const uint64_t most = own->heap + own->heap / 10;
    const unsigned best = mp_replay_best(trial->settings, trial->results, trial->n, most);
    const struct mp_replay_result *result = best < trial->n ? &trial->results[best] : NULL;
    char text[TEXT], times[2][MP_NUMBER_SIZE];

    if (!result || (double)result->pauses > (double)own->pauses * (100 - SAVES) / 100) {
        printf("\nNone of these saves a tenth of the time with a heap that is no more than a tenth larger.\n");
        return;
    }
    printf("\nTo choose: %s\n  %s of collections in place of %s, with a heap that is %+.0f %% larger.\n",
           describe(&trial->settings[best], &replay->setting, text), mp_number_duration(result->pauses, times[0]),
           mp_number_duration(own->pauses, times[1]), off_by(result->heap, own->heap));
}

static bool
show(const struct input *input, const struct mp_profile *profile, struct mp_error *error)
{
    static const struct mp_column columns[] = {
        {"setting", MP_LEFT}, {"collections", MP_RIGHT}, {"their time", MP_RIGHT}, {"heap", MP_RIGHT},
        {"", MP_LEFT}};
    struct mp_replay replay;
    struct mp_replay_setting setting = input->setting;
    struct mp_replay_result own;
    struct trial trial = {.n = 0};
    struct mp_columns *table;
    bool timed;
    char text[TEXT], allocated[MP_NUMBER_SIZE], live[MP_NUMBER_SIZE];

    if (!mp_replay_learn(&replay, profile, error))
        return false;
    if (setting.divisor == 0)
        setting.divisor = replay.setting.divisor;
    if (input->chosen)
        add(&trial, &replay, &setting);
    else
        try_usual(&trial, &replay);
    mp_replay_run(&replay, &replay.setting, &own);
    printf("%s: %s allocated between the first collection and the last, %s lived at most after one;\n"
           "free space divisor %" PRIu32 "%s\n\n", profile->meta.language,
           mp_number_bytes(replay.allocated, allocated), mp_number_bytes(replay.most_live, live),
           replay.setting.divisor, replay.setting.incremental ? ", incremental" : "");
    table = mp_columns_new(columns, sizeof columns / sizeof *columns, 0);
    timed = replay.recorded.pauses > 0;
    put_row(table, "as it was recorded", &replay.recorded, timed);
    put_row(table, "the same, replayed", &own, timed);
    for (unsigned i = 0; i < trial.n; i++)
        put_row(table, describe(&trial.settings[i], &replay.setting, text), &trial.results[i],
                timed && !trial.settings[i].incremental);
    if (!mp_columns_print(table, stdout, error))
        return false;
    put_error(&replay.recorded, &own);
    if (!input->chosen && timed)
        propose(&replay, &own, &trial);
    return true;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.chosen = false};
    int status = mp_options_parse(&parser, "replay", argc, argv, 0, &input, error);
    struct mp_profile *profile;

    if (status >= 0)
        return status;
    profile = mp_read(input.file ? input.file : MP_DEFAULT_FILE, error);
    status = profile && show(&input, profile, error) ? 0 : MP_EXIT_ERROR;
    mp_profile_free(profile);
    return status;
}

const struct mp_command mp_cmd_replay = {
    "replay", "predict collections with other settings of Lisp's collector", &parser, run};
