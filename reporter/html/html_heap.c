/* SPDX-License-Identifier: MIT */
/* html_heap.c -- writes snapshots of the heap. */
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "reporter/base/json.h"

#define MOST_CELLS 200000u      /* approximate limit of the cells in the page */
#define SMALLER    "[smaller rows]"

/* ------------------------------------------------------------------- rows */

struct rows {
    const struct mp_heap_series *series;
    struct mp_map texts;        /* texts of rows and branches, by their index in the model */
    struct mp_heap_band *list; uint32_t n;      /* sorted by maximum bytes; if rows are merged, the last row is their
                                                   sum */
    uint32_t left;              /* number of merged rows */
    struct mp_arena *arena;
};

/* Returns the maximum bytes of BAND in any of the N snapshots. */
static uint64_t
most_of(const struct mp_heap_band *band, uint32_t n)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < n; i++)
        most = band->bytes[i] > most ? band->bytes[i] : most;
    return most;
}

struct rank {
    uint64_t most;
    uint32_t band;
};

static int
by_most(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->most != y->most)
        return x->most > y->most ? -1 : 1;
    return x->band < y->band ? -1 : x->band > y->band;
}

static void
add_band(struct mp_heap_band *sum, const struct mp_heap_band *band, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sum->bytes[i] += band->bytes[i];
        sum->objects[i] += band->objects[i];
    }
}

static struct rows
choose_rows(const struct mp_heap_series *series, struct mp_arena *arena)
{
    const uint32_t most = MOST_CELLS / (series->n + 1) + 1;
    struct rows rows = {.series = series, .arena = arena, .texts = {.arena = arena}, .n = series->n_bands};
    struct rank *ranks = mp_arena_alloc(arena, ((size_t)series->n_bands + 1) * sizeof *ranks);

    for (uint32_t i = 0; i < series->n_bands; i++)
        ranks[i] = (struct rank){most_of(&series->bands[i], series->n), i};
    qsort(ranks, series->n_bands, sizeof *ranks, by_most);
    if (rows.n > most) {
        rows.left = rows.n - most;
        rows.n = most;
    }
    rows.list = mp_arena_alloc(arena, ((size_t)rows.n + 1) * sizeof *rows.list);
    for (uint32_t i = 0; i < rows.n; i++)
        rows.list[i] = series->bands[ranks[i].band];
    if (rows.left == 0)
        return rows;
    rows.list[rows.n] = (struct mp_heap_band){
        .name = SMALLER "\0" SMALLER "\0" SMALLER "\0" SMALLER "\0" SMALLER,
        .bytes = mp_arena_alloc(arena, series->n * sizeof(uint64_t)),
        .objects = mp_arena_alloc(arena, series->n * sizeof(uint64_t))};
    for (uint32_t i = rows.n; i < series->n_bands; i++)
        add_band(&rows.list[rows.n], &series->bands[ranks[i].band], series->n);
    rows.n++;
    return rows;
}

/* ------------------------------------------------------------------ texts */

/* Returns the text of BAND with index WHICH. The name of a band by MP_HEAP_BY_EACH consists of several texts. */
static const char *
text_of(const struct mp_heap_band *band, unsigned which)
{
    const char *text = band->name;

    while (which-- > 0)
        text += strlen(text) + 1;
    return *text ? text : "(not known)";
}

/* Writes the index of TEXT. */
static void
write_text(struct rows *rows, const char *text, struct mp_buffer *out)
{
    mp_json_number(out, mp_map_add(&rows->texts, text, strlen(text)));
}

static void
write_rows(struct rows *rows, struct mp_buffer *out)
{
    static const char *const keys[MP_HEAP_TEXTS] = {"type", "package", "function", "site", "file"};

    mp_json_key_open(out, "rows", '{');
    for (unsigned which = 0; which < MP_HEAP_TEXTS; which++) {
        mp_json_key_open(out, keys[which], '[');
        for (uint32_t i = 0; i < rows->n; i++)
            write_text(rows, text_of(&rows->list[i], which), out);
        mp_json_close(out, ']');
    }
    mp_json_close(out, '}');
}

/* ------------------------------------------------------------------ cells */

enum column { ROW, SNAPSHOT, OBJECTS, BYTES };

static void
write_column(const struct rows *rows, const char *key, enum column column, struct mp_buffer *out)
{
    uint32_t last = 0;

    mp_json_key_open(out, key, '[');
    for (uint32_t i = 0; i < rows->n; i++)
        for (uint32_t j = 0; j < rows->series->n; j++) {
            const struct mp_heap_band *band = &rows->list[i];

            if (band->objects[j] == 0 && band->bytes[j] == 0)
                continue;
            mp_json_number(out, column == ROW ? i - last : column == SNAPSHOT ? j
                                : column == OBJECTS ? band->objects[j] : band->bytes[j]);
            last = i;
        }
    mp_json_close(out, ']');
}

/* -------------------------------------------------------------- snapshots */

static void
write_branch(struct rows *rows, const struct mp_heap_branch *branch, struct mp_buffer *out)
{
    static const char *const words[] = {
        [MP_BRANCH_ALL] = "all", [MP_BRANCH_KIND] = "kind", [MP_BRANCH_ROOT] = "root",
        [MP_BRANCH_SHARED] = "shared", [MP_BRANCH_TYPE] = "type", [MP_BRANCH_OTHERS] = "others"};

    mp_json_open(out, '[');
    mp_json_text(out, words[branch->sort]);
    mp_json_number(out, branch->parent);
    write_text(rows, branch->name, out);
    write_text(rows, branch->group, out);
    mp_json_number(out, branch->left);
    mp_json_number(out, branch->objects);
    mp_json_number(out, branch->bytes);
    mp_json_number(out, branch->retained);
    mp_json_close(out, ']');
}

static void
write_snapshots(struct rows *rows, struct mp_buffer *out)
{
    const struct mp_heap_series *series = rows->series;

    mp_json_key_open(out, "snapshots", '[');
    for (uint32_t i = 0; i < series->n; i++) {
        const struct mp_heap_taken *taken = &series->taken[i];

        mp_json_open(out, '{');
        mp_json_key_text(out, "name", taken->name);
        mp_json_key_number(out, "number", taken->number);
        mp_json_key_text(out, "trigger", mp_heap_trigger_words(taken->facts[MP_FACT_TRIGGER]));
        mp_json_key_number(out, "time", taken->time);
        mp_json_key_number(out, "objects", taken->objects);
        mp_json_key_number(out, "bytes", taken->bytes);
        mp_json_key_number_or_null(out, "heap", taken->facts[MP_FACT_HEAP], taken->facts[MP_FACT_HEAP] > 0);
        mp_json_key_number_or_null(out, "live", taken->facts[MP_FACT_LIVE], taken->facts[MP_FACT_LIVE] > 0);
        mp_json_key_number(out, "word", taken->facts[MP_FACT_WORD]);
        mp_json_key_open(out, "roots", '[');
        for (uint32_t j = 0; j < taken->tree.n; j++)
            write_branch(rows, &taken->tree.list[j], out);
        mp_json_close(out, ']');
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

void
mp_html_heap_write(const struct mp_heap_series *series, struct mp_buffer *out)
{
    struct mp_arena *arena = mp_arena_new();
    struct rows rows = choose_rows(series, arena);

    mp_json_key_open(out, "heap", '{');
    write_snapshots(&rows, out);
    mp_json_key_number(out, "mostRoots", mp_heap_series_most(series->n));
    mp_json_key_number(out, "deepestRoots", MP_HEAP_TREE_DEEPEST);
    write_rows(&rows, out);
    mp_html_names_write("texts", &rows.texts, out);
    mp_json_key_open(out, "cells", '{');
    write_column(&rows, "row", ROW, out);
    write_column(&rows, "snapshot", SNAPSHOT, out);
    write_column(&rows, "objects", OBJECTS, out);
    write_column(&rows, "bytes", BYTES, out);
    mp_json_close(out, '}');
    mp_json_key_number(out, "left", rows.left);
    mp_json_close(out, '}');
    mp_arena_free(arena);
}
