/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "reporter/base/search.h"

enum {
    OBJECTS, BYTES, PERCENT, MEAN, KEPT, KEPT_BYTES, KEPT_PERCENT, SORTED,
    TYPE = SORTED + MP_SORTED_COLUMNS, N_COLUMNS
};

static const struct mp_table_column columns[N_COLUMNS] = {
    [OBJECTS] = {"objects", "objects", MP_UNIT_BLOCKS, "Objects of this type that were allocated.", MP_OF(ALLOCS)},
    [BYTES] = MP_COLUMN_OBJECT_BYTES,
    [PERCENT] = MP_COLUMN_BYTES_SHARE,
    [MEAN] = {"mean_size", "mean size", MP_UNIT_MEAN, "Bytes of an object on average."},
    [KEPT] = MP_COLUMN_KEPT_OBJECTS,
    [KEPT_BYTES] = MP_COLUMN_KEPT_OBJECT_BYTES,
    [KEPT_PERCENT] = MP_COLUMN_KEPT_OBJECT_SHARE(MP_LAYOUT_AFTER | MP_LAYOUT_KEPT_SHARE),
    MP_SORTED_COLUMNS_AT(SORTED),
    [TYPE] = {"type", "type", MP_UNIT_TEXT,
              "A built-in type, with what all of its classes have; or a class, under its type."},
};

static const struct mp_table_said said[] = {
    {OBJECTS, "%s object", "%s objects"},
    {BYTES, "%s byte", "%s bytes"},
    {KEPT_BYTES, "%s bytes kept", "%s bytes kept"},
    MP_SORTED_SAID_AT(SORTED),
};

const struct mp_table_kind mp_table_types_kind = {
    .key = "types", .title = "TABLE 1: ALLOCATION BY TYPE", .one = "type", .many = "types",
    .explanation = "Objects of Lisp by their type.",
    .columns = columns, .n_columns = N_COLUMNS,
    .said = said, .n_said = sizeof said / sizeof *said, .plain_count = true,
};

/* A row: a class, or a built-in type including its classes. */
struct row {
    const struct mp_object_kind *kind;
    struct mp_counts own;       /* without classes */
    struct mp_counts all;
    const struct row *base;     /* built-in type of the row; the row itself if it is a built-in type */
    bool objects_exact, bytes_exact;    /* whether the figures are exact, in a sampled recording */
};

struct types {
    const struct mp_profile *profile;
    const struct mp_print_options *options;
    struct row *rows;           /* one for each kind of the profile */
    struct row **order;         /* rows in the order of display, n_order of them */
    uint32_t n_order, n_shown;
    struct mp_counts total;
    bool exact;                 /* objects are sampled, but also counted by type, and everything is shown */
};

static struct row *
row_of(const struct types *t, uint32_t kind)
{
    return &t->rows[mp_profile_kind(t->profile, kind) - t->profile->kinds];
}

static void
sum_rows(struct types *t)
{
    const struct mp_profile *profile = t->profile;

    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        t->rows[i].kind = &profile->kinds[i];
        t->rows[i].base = row_of(t, profile->kinds[i].base);
    }
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (mp_is_lisp(&profile->cells[i]))
            mp_counts_add_cell(&row_of(t, profile->cells[i].kind)->own, &profile->cells[i]);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        struct row *row = &t->rows[i];

        mp_counts_add(&t->total, &row->own);
        mp_counts_add(&row->all, &row->own);
        if (row->base != row)
            mp_counts_add(&row_of(t, row->kind->base)->all, &row->own);
    }
}

/* Replaces estimates by what was counted exactly: the objects of all built-in types with their classes, and the bytes
 * of conses and floats. Other types may have blocks that belong to the objects, which were not counted by type. */
static void
set_exact(struct types *t)
{
    struct mp_totals totals;

    if (!t->exact)
        return;
    for (uint32_t i = 0; i < t->profile->n_kinds; i++) {
        struct row *row = &t->rows[i];
        const struct mp_object_kind *kind = row->kind;

        if (row->base != row)
            continue;
        row->objects_exact = true;
        row->bytes_exact = kind->category == 'c' || kind->category == 'f';
        row->all.allocs = kind->allocs;
        row->all.bytes = row->bytes_exact ? kind->bytes : row->all.bytes;
    }
    mp_profile_totals(t->profile, &totals);
    t->total.allocs = totals.objects;
    t->total.bytes = totals.object_bytes;
}

static int
compare_rows(const struct types *t, const struct row *x, const struct row *y)
{
    int order = mp_order(mp_print_key(t->options, &y->all), mp_print_key(t->options, &x->all));

    if (order == 0)
        order = mp_order(y->all.bytes, x->all.bytes);
    if (order == 0)
        order = strcmp(x->kind->name, y->kind->name);
    return order ? order : mp_order(x->kind->kind, y->kind->kind);
}

/* Sorts built-in types by their figures including classes, each followed by its classes. */
static int
compare_places(const void *a, const void *b, void *data)
{
    const struct types *t = data;
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

    if (x->base != y->base)
        return compare_rows(t, x->base, y->base);
    if (x == x->base || y == y->base)
        return (x != x->base) - (y != y->base);
    return compare_rows(t, x, y);
}

static void
sort_rows(struct types *t)
{
    t->n_order = 0;
    for (uint32_t i = 0; i < t->profile->n_kinds; i++)
        if (mp_counts_any(&t->rows[i].all))
            t->order[t->n_order++] = &t->rows[i];
    qsort_r(t->order, t->n_order, sizeof *t->order, compare_places, t);
}

/* Returns true if the share of ROW reaches the threshold, in the figure that rows are sorted by or in kept bytes. */
static bool
is_shown(const struct types *t, const struct row *row)
{
    return mp_print_room(t->options, t->n_shown) &&
           (mp_print_shows(t->options, mp_print_key(t->options, &row->all),
                           mp_print_key(t->options, &t->total)) ||
            (row->all.kept > 0 && mp_print_shows(t->options, row->all.kept, t->total.kept)));
}

static void
fill(const struct mp_table *table, const struct types *t, struct mp_value values[static N_COLUMNS],
     const struct mp_counts *counts)
{
    mp_table_fill(table, values, counts, &t->total);
    values[MEAN] = mp_value_share(counts->bytes, counts->allocs);
}

/* Fills a row that sums up others, which has no shares. */
static void
fill_sum(const struct mp_table *table, const struct types *t, struct mp_value values[static N_COLUMNS],
         const struct mp_counts *counts)
{
    fill(table, t, values, counts);
    values[PERCENT] = values[KEPT_PERCENT] = (struct mp_value){0};
}

static void
add_row(const struct types *t, struct mp_table *table, const struct row *row, uint32_t base)
{
    struct mp_table_row *added = mp_table_add(table);

    added->under = row->base == row ? MP_NO_ID : base;
    fill(table, t, added->values, &row->all);
    if (row->objects_exact)
        added->values[OBJECTS] = mp_value_number(row->all.allocs);
    if (row->bytes_exact)
        added->values[BYTES] = mp_value_number(row->all.bytes);
    added->values[TYPE] = mp_value_text(row->kind->name);
}

/* Adds the rows. A class has no larger figures than its type, so the type of a visible class is visible, too, and
 * precedes it. A class that is left out is still counted in the row of its visible type. */
static void
add_rows(struct types *t, struct mp_table *table)
{
    struct mp_counts left = {0};
    struct mp_value *values;
    const struct row *type = NULL;      /* the last visible built-in type; `base` is the index of its row */
    uint32_t base = 0;
    bool overlaps = false;

    for (uint32_t i = 0; i < t->n_order; i++) {
        const struct row *row = t->order[i];

        if (!is_shown(t, row)) {
            mp_counts_add(&left, &row->own);
            overlaps |= row->base == type;
            continue;
        }
        if (row->base == row) {
            type = row;
            base = t->n_shown;
        }
        add_row(t, table, row, base);
        t->n_shown++;
    }
    values = mp_table_add_total(table);
    fill_sum(table, t, values, &t->total);
    if (t->exact) {
        values[OBJECTS] = mp_value_number(t->total.allocs);
        values[BYTES] = mp_value_number(t->total.bytes);
    }
    values[TYPE] = mp_value_none("<TOTAL>");
    fill_sum(table, t, mp_table_leave_out(table, t->n_order - t->n_shown), &left);
    table->left_out.overlaps = overlaps;
    table->full = !mp_print_room(t->options, t->n_shown);
}

struct mp_table *
mp_table_types(const struct mp_table_request *request)
{
    struct mp_table *table = mp_table_begin(&mp_table_types_kind, request->options);
    const struct mp_profile *profile = request->profile;
    struct types t = {.profile = profile, .options = request->options,
                      .exact = profile->meta.objects_sampled && !profile->cell_bins};

    t.rows = mp_arena_alloc(table->arena, profile->n_kinds * sizeof *t.rows);
    t.order = mp_arena_alloc(table->arena, profile->n_kinds * sizeof *t.order);
    sum_rows(&t);
    set_exact(&t);
    if (!mp_counts_any(&t.total)) {
        table->nothing = mp_head_no_objects(profile, table->arena);
        return table;
    }
    sort_rows(&t);
    add_rows(&t, table);
    return table;
}
