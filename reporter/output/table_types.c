#include "table_types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"

enum { OBJECTS, BYTES, PERCENT, MEAN, KEPT, KEPT_BYTES, KEPT_PERCENT, TYPE, N_COLUMNS };

static const struct mp_column columns[N_COLUMNS] = {
    [OBJECTS] = {"objects", MP_RIGHT}, [BYTES] = {"bytes", MP_RIGHT},
    [PERCENT] = {"(%)", MP_RIGHT},     [MEAN] = {"mean size", MP_RIGHT},
    [KEPT] = {"kept", MP_RIGHT},       [KEPT_BYTES] = {"bytes kept", MP_RIGHT},
    [KEPT_PERCENT] = {"(%)", MP_RIGHT}, [TYPE] = {"type", MP_LEFT},
};

/* A row: a class, or a built-in type with all of its classes. */
struct row {
    const struct mp_object_kind *kind;
    struct mp_counts own;       /* without classes */
    struct mp_counts all;
    const struct row *base;     /* itself: built-in */
};

struct table {
    const struct mp_profile *profile;
    const struct mp_print_options *options;
    struct row *rows;           /* one for each kind of the profile */
    struct row **order;         /* n_order of them, as they are printed */
    uint32_t n_order, n_shown, n_left;
    struct mp_counts total, left;
};

static bool
is_used(const struct mp_counts *counts)
{
    return counts->allocs > 0 || counts->bytes > 0;
}

static struct row *
row_of(const struct table *t, uint32_t kind)
{
    return &t->rows[mp_profile_kind(t->profile, kind) - t->profile->kinds];
}

static void
sum_rows(struct table *t)
{
    const struct mp_profile *profile = t->profile;

    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        t->rows[i].kind = &profile->kinds[i];
        t->rows[i].base = row_of(t, profile->kinds[i].base);
    }
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (mp_is_lisp(&profile->cells[i]))
            mp_counts_add(&row_of(t, profile->cells[i].kind)->own, &profile->cells[i].counts);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        struct row *row = &t->rows[i];

        mp_counts_add(&t->total, &row->own);
        mp_counts_add(&row->all, &row->own);
        if (row->base != row)
            mp_counts_add(&row_of(t, row->kind->base)->all, &row->own);
    }
}

static int
compare_values(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int
compare_rows(const struct table *t, const struct row *x, const struct row *y)
{
    int order = compare_values(mp_print_key(t->options, &y->all), mp_print_key(t->options, &x->all));

    if (order == 0)
        order = compare_values(y->all.bytes, x->all.bytes);
    if (order == 0)
        order = strcmp(x->kind->name, y->kind->name);
    return order ? order : compare_values(x->kind->kind, y->kind->kind);
}

/* Built-in types by what all their classes have, each before its classes. */
static int
compare_places(const void *a, const void *b, void *data)
{
    const struct table *t = data;
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

    if (x->base != y->base)
        return compare_rows(t, x->base, y->base);
    if (x == x->base || y == y->base)
        return (x != x->base) - (y != y->base);
    return compare_rows(t, x, y);
}

static void
sort_rows(struct table *t)
{
    t->n_order = 0;
    for (uint32_t i = 0; i < t->profile->n_kinds; i++)
        if (is_used(&t->rows[i].all))
            t->order[t->n_order++] = &t->rows[i];
    qsort_r(t->order, t->n_order, sizeof *t->order, compare_places, t);
}

/* A type is shown for its share of what rows are sorted by, or of the bytes that are kept. */
static bool
is_shown(const struct table *t, const struct row *row)
{
    return mp_print_room(t->options, t->n_shown) &&
           (mp_print_shows(t->options, mp_print_key(t->options, &row->all), mp_print_key(t->options, &t->total)) ||
            (row->all.kept > 0 && mp_print_shows(t->options, row->all.kept, t->total.kept)));
}

static const char *
mean(const struct mp_counts *counts, char out[static MP_NUMBER_SIZE])
{
    out[0] = '\0';
    if (counts->allocs > 0 && counts->bytes % counts->allocs == 0)
        snprintf(out, MP_NUMBER_SIZE, "%" PRIu64, counts->bytes / counts->allocs);
    else if (counts->allocs > 0)
        snprintf(out, MP_NUMBER_SIZE, "%.1f", (double)counts->bytes / (double)counts->allocs);
    return out;
}

static void
add_row(struct mp_columns *table, const struct mp_counts *row, const struct mp_counts *whole,
        const char *type)
{
    char texts[TYPE][MP_NUMBER_SIZE];

    snprintf(texts[OBJECTS], MP_NUMBER_SIZE, "%" PRIu64, row->allocs);
    snprintf(texts[BYTES], MP_NUMBER_SIZE, "%" PRIu64, row->bytes);
    mp_number_percent(row->bytes, whole ? whole->bytes : 0, texts[PERCENT]);
    mean(row, texts[MEAN]);
    snprintf(texts[KEPT], MP_NUMBER_SIZE, "%" PRIu64, row->kept_blocks);
    snprintf(texts[KEPT_BYTES], MP_NUMBER_SIZE, "%" PRIu64, row->kept);
    mp_number_percent(row->kept, whole ? whole->kept : 0, texts[KEPT_PERCENT]);
    mp_columns_row(table, (const char *[N_COLUMNS]){
        [OBJECTS] = texts[OBJECTS], [BYTES] = texts[BYTES], [PERCENT] = texts[PERCENT],
        [MEAN] = texts[MEAN], [KEPT] = texts[KEPT], [KEPT_BYTES] = texts[KEPT_BYTES],
        [KEPT_PERCENT] = texts[KEPT_PERCENT], [TYPE] = type,
    });
}

static void
add_type(struct table *t, struct mp_columns *columns_of, const struct row *row)
{
    char *name = NULL;

    t->n_shown++;
    if (row->base == row)
        add_row(columns_of, &row->all, &t->total, row->kind->name);
    else if (asprintf(&name, "  %s", row->kind->name) >= 0)
        add_row(columns_of, &row->all, &t->total, name);
    free(name);
}

static bool
print_rows(struct table *t, FILE *out, struct mp_error *error)
{
    struct mp_columns *table = mp_columns_new(columns, N_COLUMNS, t->options->width);

    for (uint32_t i = 0; i < t->n_order; i++) {
        if (is_shown(t, t->order[i])) {
            add_type(t, table, t->order[i]);
        } else {
            t->n_left++;
            mp_counts_add(&t->left, &t->order[i]->own);
        }
    }
    add_row(table, &t->total, NULL, "<TOTAL>");
    return mp_columns_print(table, out, error);
}

static void
print_left_out(const struct table *t, FILE *out)
{
    char number[4][MP_NUMBER_SIZE], why[64] = "";

    if (t->n_left == 0)
        return;
    if (mp_print_room(t->options, t->n_shown))
        snprintf(why, sizeof why, " of less than %s %%",
                 mp_print_threshold_text(t->options, number[0]));
    fprintf(out, "%" PRIu32 " type%s%s left out: %s object%s, %s byte%s, %s bytes kept\n",
            t->n_left, mp_plural(t->n_left), why, mp_number_grouped(t->left.allocs, number[1]),
            mp_plural(t->left.allocs), mp_number_grouped(t->left.bytes, number[2]),
            mp_plural(t->left.bytes), mp_number_grouped(t->left.kept, number[3]));
}

bool
mp_table_types(const struct mp_profile *profile, const struct mp_print_options *options, FILE *out,
               struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct table t = {.profile = profile, .options = options};
    bool ok = true;

    t.rows = mp_arena_alloc(arena, profile->n_kinds * sizeof *t.rows);
    t.order = mp_arena_alloc(arena, profile->n_kinds * sizeof *t.order);
    sum_rows(&t);
    mp_columns_title(out, "TABLE 1: ALLOCATION BY TYPE", options->color);
    if (!is_used(&t.total)) {
        mp_head_print_no_objects(profile, out);
    } else {
        sort_rows(&t);
        ok = print_rows(&t, out, error);
        if (ok)
            print_left_out(&t, out);
    }
    mp_arena_free(arena);
    return ok;
}
