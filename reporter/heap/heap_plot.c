/* SPDX-License-Identifier: MIT */
#include "heap_plot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_files.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/file/reader.h"

/* -------------------------------------------------------------- recording */

static struct mp_profile *
read_if_of(const struct mp_heap_series *series, const char *path)
{
    struct mp_error ignored;
    struct mp_profile *profile = *path && access(path, R_OK) == 0 ? mp_read(path, &ignored) : NULL;

    if (profile && mp_heap_series_is_of(series, profile))
        return profile;
    mp_profile_free(profile);
    return NULL;
}

/* Returns the data file's name as contained in the name of the snapshot FILE, or "" if FILE is not named like a
 * snapshot. */
static const char *
data_file_of(const char *file, struct mp_arena *arena)
{
    size_t length = strlen(file);

    for (unsigned dots = 0; dots < 3 && length > 1; dots++) {
        while (length > 1 && file[--length] != '.')
            ;
        if (mp_heap_file_number(file + length) > 0)
            return mp_arena_printf(arena, "%.*s", (int)length, file);
    }
    return "";
}

static struct mp_profile *
find_recording(const struct mp_heap_series *series, const char *path)
{
    struct mp_profile *profile;

    if (path)
        return read_if_of(series, path);
    profile = read_if_of(series, data_file_of(series->taken[0].file, series->arena));
    return profile ? profile : read_if_of(series, series->data_file);
}

/* ---------------------------------------------------------------- moments */

static int
by_time(const void *a, const void *b)
{
    const struct mp_moment *x = a, *y = b;

    return x->time != y->time ? mp_order(x->time, y->time) : mp_order(x->kind, y->kind);
}

/* Copies the recording's moments that are markers, without the changes of cells. Skips its start, observations and
 * snapshots. Returns their number. */
static uint32_t
take_marks(const struct mp_timeline *from, struct mp_moment *to)
{
    uint32_t n = 0;

    for (uint32_t i = 0; from && i < from->n_moments; i++) {
        const enum mp_moment_kind kind = from->moments[i].kind;

        if (kind == MP_MOMENT_START || kind == MP_MOMENT_SEEN || kind == MP_MOMENT_SNAPSHOT)
            continue;
        to[n] = from->moments[i];
        to[n].has_changes = false;
        to[n].first_change = to[n].n_changes = 0;
        n++;
    }
    return n;
}

static struct mp_moment
moment_of(const struct mp_heap_taken *taken, struct mp_arena *arena)
{
    return (struct mp_moment){
        .kind = MP_MOMENT_SNAPSHOT, .time = taken->time, .exact = true, .pause = MP_NOT_SEEN,
        .heap_before = MP_NOT_SEEN, .heap_after = MP_NOT_SEEN,
        .name = *taken->name ? mp_arena_strdup(arena, taken->name)
                             : mp_arena_printf(arena, "%llu", (unsigned long long)taken->number)};
}

static struct mp_timeline *
new_timeline(const struct mp_heap_series *series, const struct mp_timeline *from, struct mp_arena *arena)
{
    struct mp_timeline *timeline = mp_arena_alloc(arena, sizeof *timeline);
    struct mp_moment *moments = mp_arena_alloc(
        arena, ((size_t)series->n + (from ? from->n_moments : 0) + 1) * sizeof *moments);
    uint32_t n = 0;

    if (from)
        *timeline = *from;
    moments[n++] = (struct mp_moment){.kind = MP_MOMENT_START, .name = "", .exact = true};
    n += take_marks(from, moments + n);
    for (uint32_t i = 0; i < series->n; i++)
        moments[n++] = moment_of(&series->taken[i], arena);
    qsort(moments, n, sizeof *moments, by_time);
    timeline->moments = moments;
    timeline->n_moments = n;
    timeline->n_changes = 0;
    return timeline;
}

struct mp_profile *
mp_heap_plot_profile(const struct mp_heap_series *series, const char *recording)
{
    struct mp_profile *profile = find_recording(series, recording);

    if (!profile) {
        profile = mp_profile_new();
        profile->meta.program = mp_arena_strdup(profile->arena, series->program);
        profile->meta.language = mp_arena_strdup(profile->arena, series->language);
    }
    profile->timeline = new_timeline(series, profile->timeline, profile->arena);
    return profile;
}

/* ------------------------------------------------------------------- plot */

static uint64_t
or_not_seen(uint64_t fact)
{
    return fact > 0 ? fact : MP_NOT_SEEN;
}

static struct mp_plot_snapshot
snapshot_of(const struct mp_heap_taken *taken)
{
    return (struct mp_plot_snapshot){
        .objects = taken->objects, .bytes = taken->bytes,
        .heap = or_not_seen(taken->facts[MP_FACT_HEAP]), .free = or_not_seen(taken->facts[MP_FACT_FREE]),
        .live = or_not_seen(taken->facts[MP_FACT_LIVE]), .allocated = or_not_seen(taken->facts[MP_FACT_ALLOCATED]),
        .collections = or_not_seen(taken->facts[MP_FACT_COLLECTIONS]),
        .trigger = mp_heap_trigger_words(taken->facts[MP_FACT_TRIGGER])};
}

/* Chooses the snapshots within the plot's time. Returns the number of snapshots before that time. */
static uint32_t
choose_moments(struct mp_plot *plot, const struct mp_heap_series *series)
{
    const struct mp_timeline *timeline = plot->view->timeline;
    struct mp_plot_snapshot *snapshots = mp_arena_alloc(plot->arena, (size_t)series->n * sizeof *snapshots);
    uint32_t first = 0, at = 0;

    plot->moments = mp_arena_alloc(plot->arena, (size_t)series->n * sizeof *plot->moments);
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        if (moment->kind != MP_MOMENT_SNAPSHOT)
            continue;
        if (moment->time >= plot->options.from && moment->time <= plot->options.to) {
            snapshots[plot->n_moments] = snapshot_of(&series->taken[at]);
            plot->moments[plot->n_moments++] = moment;
        }
        first += moment->time < plot->options.from;
        at++;
    }
    plot->snapshots = snapshots;
    return first;
}

static int64_t
bounded(uint64_t bytes)
{
    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

struct mp_plot *
mp_heap_plot_new(const struct mp_heap_series *series, const struct mp_profile *profile,
                 const struct mp_plot_options *options)
{
    struct mp_plot *plot = mp_need(calloc(1, sizeof *plot));
    const char **names;
    int64_t *bytes;
    uint32_t first;

    plot->view = profile;
    plot->options = *options;
    plot->arena = mp_arena_new();
    first = choose_moments(plot, series);
    mp_plot_choose_points(plot);
    names = mp_need(calloc((size_t)series->n_bands + 1, sizeof *names));
    bytes = mp_need(calloc((size_t)series->n_bands * plot->n_moments + 1, sizeof *bytes));
    for (uint32_t i = 0; i < series->n_bands; i++) {
        names[i] = series->bands[i].name;
        for (uint32_t j = 0; j < plot->n_moments; j++)
            bytes[(size_t)i * plot->n_moments + j] = bounded(series->bands[i].bytes[first + j]);
    }
    mp_plot_take(plot, names, bytes, series->n_bands);
    free(names);
    free(bytes);
    return plot;
}
