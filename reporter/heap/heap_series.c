/* SPDX-License-Identifier: MIT */
#include "heap_series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "heap_files.h"
#include "heap_names.h"
#include "heap_stream.h"
#include "heap_texts.h"
#include "reporter/base/search.h"
#include "reporter/table/json_head.h"

struct loading {
    struct mp_heap_series *series;
    struct mp_map names;
    uint32_t room;
    const char *const *files;
    uint32_t n;
};

/* ------------------------------------------------------------------- rows */

/* Returns the length of NAME, which is several texts if BY is MP_HEAP_BY_EACH. */
static size_t
length_of(const char *name, enum mp_heap_by by)
{
    size_t length = strlen(name);

    for (unsigned i = 1; by == MP_HEAP_BY_EACH && i < MP_HEAP_TEXTS; i++)
        length += 1 + strlen(name + length + 1);
    return length;
}

/* Returns the band called NAME, and adds it if needed. Its figures are in the order of the files. */
static struct mp_heap_band *
band_of(struct loading *loading, const char *name)
{
    struct mp_heap_series *series = loading->series;
    uint32_t id;

    name = *name || series->by == MP_HEAP_BY_EACH ? name : "(not known)";
    id = mp_map_add(&loading->names, name, length_of(name, series->by));
    if (id == series->n_bands) {
        series->bands = mp_arena_grow(series->arena, series->bands, id, &loading->room, sizeof *series->bands);
        series->bands[id] = (struct mp_heap_band){
            .name = mp_map_key(&loading->names, id),
            .bytes = mp_arena_alloc(series->arena, loading->n * sizeof *series->bands->bytes),
            .objects = mp_arena_alloc(series->arena, loading->n * sizeof *series->bands->objects)};
        series->n_bands++;
    }
    return &series->bands[id];
}

static void
add_rows(struct loading *loading, const struct mp_heap *heap, uint32_t index)
{
    struct mp_heap_rows rows = mp_heap_sums(heap, NULL, loading->series->by);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_heap_band *band = band_of(loading, rows.list[i].name);

        band->bytes[index] += rows.list[i].bytes;
        band->objects[index] += rows.list[i].objects;
    }
    mp_heap_rows_free(&rows);
}

/* ------------------------------------------------------------------ heads */

/* Returns whether HEAP, which is number INDEX, can share a time axis with the snapshots that are loaded already. If
 * not, fills *ERROR. */
static bool
check(const struct loading *loading, const struct mp_heap *heap, uint32_t index, struct mp_error *error)
{
    const struct mp_heap_taken *taken = loading->series->taken;
    const char *file = loading->files[index];

    if (heap->facts[MP_FACT_SINCE_START] == 0)
        return mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s does not say when it was taken", file);
    for (uint32_t i = 0; i < index; i++) {
        if (!mp_heap_facts_same_process(taken[i].facts, heap->facts))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                           "%s and %s are snapshots of different processes, whose times are not comparable",
                           taken[i].file, file);
        if (taken[i].time == heap->facts[MP_FACT_SINCE_START] &&
            taken[i].facts[MP_FACT_NUMBER] == heap->facts[MP_FACT_NUMBER])
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s and %s are the same snapshot", taken[i].file, file);
    }
    return true;
}

static void
keep_head(struct loading *loading, const struct mp_heap *heap, uint32_t index)
{
    struct mp_heap_series *series = loading->series;
    struct mp_heap_taken *taken = &series->taken[index];

    *taken = (struct mp_heap_taken){
        .file = mp_arena_strdup(series->arena, loading->files[index]),
        .name = mp_arena_strdup(series->arena, heap->texts[MP_FACT_NAME]),
        .number = heap->facts[MP_FACT_NUMBER], .time = heap->facts[MP_FACT_SINCE_START],
        .objects = heap->n_whole, .bytes = heap->bytes};
    memcpy(taken->facts, heap->facts, sizeof taken->facts);
    if (index > 0)
        return;
    series->program = mp_arena_strdup(series->arena, heap->texts[MP_FACT_PROGRAM]);
    series->language = mp_arena_strdup(series->arena, heap->texts[MP_FACT_LANGUAGE]);
    series->data_file = mp_arena_strdup(series->arena, heap->texts[MP_FACT_DATA_FILE]);
}

uint32_t
mp_heap_series_most(uint32_t n)
{
    const uint32_t most = MP_HEAP_SERIES_BRANCHES / (n > 0 ? n : 1);

    return most < MP_HEAP_SERIES_TREE ? most : MP_HEAP_SERIES_TREE;
}

static bool
add_tree(struct loading *loading, struct mp_heap *heap, uint32_t index, struct mp_error *error)
{
    struct mp_dominators dominators;

    mp_heap_prefer_lasting(heap);
    if (!mp_dominate(heap, &dominators, error))
        return false;
    loading->series->taken[index].tree =
        mp_heap_tree(heap, &dominators, mp_heap_series_most(loading->n), loading->series->arena);
    mp_dominators_free(&dominators);
    return true;
}

static bool
add_snapshot(struct loading *loading, uint32_t index, struct mp_error *error)
{
    struct mp_heap *heap = mp_heap_load(loading->files[index], error);
    bool ok = heap && check(loading, heap, index, error);

    if (ok) {
        if (loading->series->by != MP_HEAP_BY_EACH)
            mp_heap_forget_references(heap);
        mp_heap_name(heap, NULL);
        mp_heap_charge(heap);
        mp_heap_forget_states(heap);
        keep_head(loading, heap, index);
        add_rows(loading, heap, index);
        ok = loading->series->by != MP_HEAP_BY_EACH || add_tree(loading, heap, index, error);
    }
    mp_heap_free(heap);
    return ok;
}

/* ------------------------------------------------------------------ order */

struct place {
    uint64_t time, number;
    uint32_t index;
};

static int
by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->time != y->time ? mp_order(x->time, y->time) : mp_order(x->number, y->number);
}

static void
reorder(uint64_t *figures, const struct place *places, uint32_t n, uint64_t *scratch)
{
    memcpy(scratch, figures, n * sizeof *figures);
    for (uint32_t i = 0; i < n; i++)
        figures[i] = scratch[places[i].index];
}

static void
sort(struct loading *loading)
{
    struct mp_heap_series *series = loading->series;
    struct mp_arena *arena = mp_arena_new();
    struct place *places = mp_arena_alloc(arena, loading->n * sizeof *places);
    uint64_t *scratch = mp_arena_alloc(arena, loading->n * sizeof *scratch);
    struct mp_heap_taken *taken = mp_arena_alloc(arena, loading->n * sizeof *taken);

    memcpy(taken, series->taken, loading->n * sizeof *taken);
    for (uint32_t i = 0; i < loading->n; i++)
        places[i] = (struct place){taken[i].time, taken[i].number, i};
    qsort(places, loading->n, sizeof *places, by_time);
    for (uint32_t i = 0; i < loading->n; i++)
        series->taken[i] = taken[places[i].index];
    for (uint32_t i = 0; i < series->n_bands; i++) {
        reorder(series->bands[i].bytes, places, loading->n, scratch);
        reorder(series->bands[i].objects, places, loading->n, scratch);
    }
    mp_arena_free(arena);
}

/* -------------------------------------------------------------- the whole */

struct mp_heap_series *
mp_heap_series_load(const char *const *files, uint32_t n, enum mp_heap_by by, struct mp_error *error)
{
    struct mp_heap_series *series = mp_need(calloc(1, sizeof *series));
    struct loading loading = {.series = series, .files = files, .n = n};
    bool ok = true;

    series->arena = loading.names.arena = mp_arena_new();
    series->by = by;
    series->n = n;
    series->taken = mp_arena_alloc(series->arena, ((size_t)n + 1) * sizeof *series->taken);
    if (n < 2)
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "one snapshot is no series: two at least are wanted");
    for (uint32_t i = 0; i < n && ok; i++)
        ok = add_snapshot(&loading, i, error);
    if (ok) {
        sort(&loading);
        return series;
    }
    mp_heap_series_free(series);
    return NULL;
}

void
mp_heap_series_free(struct mp_heap_series *series)
{
    if (!series)
        return;
    mp_arena_free(series->arena);
    free(series);
}

bool
mp_heap_series_is_of(const struct mp_heap_series *series, const struct mp_profile *profile)
{
    return mp_heap_facts_are_of(series->taken[0].facts, &profile->meta);
}

char **
mp_heap_series_files(const char *recording, uint32_t *n)
{
    char **files = mp_heap_files(recording, n);
    struct mp_heap_facts last, facts;
    struct mp_error ignored = {0};
    uint32_t at = *n, kept = 0;

    while (at > 0 && !mp_heap_facts_read(files[at - 1], &last, &ignored))
        at--;
    for (uint32_t i = 0; i < *n && at > 0; i++) {
        char *file = files[i];

        files[i] = NULL;
        if (mp_heap_facts_read(file, &facts, &ignored) && !mp_heap_facts_same_process(facts.numbers, last.numbers))
            free(file);
        else
            files[kept++] = file;
    }
    *n = at > 0 ? kept : *n;
    return files;
}

/* ---------------------------------------------------------------- JSON */

static void
put_fact(struct mp_buffer *out, const char *key, uint64_t fact)
{
    mp_json_key_number_or_null(out, key, fact, fact > 0);
}

static void
put_taken(struct mp_buffer *out, const struct mp_heap_taken *taken)
{
    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text(out, "file", taken->file);
    mp_json_key_text_or_null(out, "name", taken->name);
    mp_json_key_text_or_null(out, "trigger", mp_heap_trigger_words(taken->facts[MP_FACT_TRIGGER]));
    put_fact(out, "number", taken->number);
    mp_json_key_number(out, "since_start_ns", taken->time);
    put_fact(out, "heap_bytes", taken->facts[MP_FACT_HEAP]);
    put_fact(out, "free_bytes", taken->facts[MP_FACT_FREE]);
    put_fact(out, "live_bytes", taken->facts[MP_FACT_LIVE]);
    put_fact(out, "allocated_bytes", taken->facts[MP_FACT_ALLOCATED]);
    put_fact(out, "collections", taken->facts[MP_FACT_COLLECTIONS]);
    mp_json_key_number(out, "objects", taken->objects);
    mp_json_key_number(out, "bytes", taken->bytes);
    mp_json_close(out, '}');
}

static void
put_band(struct mp_buffer *out, const struct mp_heap_band *band, uint32_t n)
{
    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text(out, "name", band->name);
    mp_json_key_numbers(out, "objects", band->objects, n);
    mp_json_key_numbers(out, "shallow", band->bytes, n);
    mp_json_close(out, '}');
}

bool
mp_heap_series_json(const struct mp_heap_series *series, const char *by, FILE *file, struct mp_error *error)
{
    struct mp_json_out to = {.file = file};
    struct mp_buffer *out = &to.buffer;

    mp_json_open(out, '{');
    mp_json_schema(out, "mprof-heap-series", "1.0");
    mp_json_key_text(out, "mprof", PACKAGE_VERSION);
    mp_json_key_text_or_null(out, "program", series->program);
    mp_json_key_text_or_null(out, "language", series->language);
    put_fact(out, "pid", series->taken[0].facts[MP_FACT_PID]);
    mp_json_line(out);
    mp_json_key(out, "snapshots");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < series->n; i++)
        put_taken(out, &series->taken[i]);
    mp_json_close(out, ']');
    mp_json_line(out);
    mp_json_key_text(out, "by", by);
    mp_json_key(out, "rows");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < series->n_bands; i++) {
        put_band(out, &series->bands[i], series->n);
        mp_json_piece(&to);
    }
    mp_json_close(out, ']');
    return mp_json_finish(&to, error);
}
