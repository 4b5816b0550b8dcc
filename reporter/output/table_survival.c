#include "table_survival.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/graph/sites.h"
#include "reporter/profile/startup.h"

/* How often an object was found alive. */
enum { NEVER, ONCE, TWICE, OFTEN, NEW, N_AGES };

static const char *const ages[N_AGES] = {
    [NEVER] = "0", [ONCE] = "1", [TWICE] = "2-3", [OFTEN] = "4+", [NEW] = "new",
};

enum { N_COLUMNS = 5 + 2 * N_AGES };

struct table {
    struct mp_sites sites;
    const struct mp_print_options *options;
    struct mp_counts total;
    bool with_new;              /* some objects were not examined yet */
};

static void
split_by_age(const struct mp_counts *counts, uint64_t parts[static N_AGES])
{
    parts[NEVER] = counts->frees - counts->aged_frees;
    parts[ONCE] = counts->survived[0] - counts->survived[1];
    parts[TWICE] = counts->survived[1] - counts->survived[2];
    parts[OFTEN] = counts->survived[2];
    parts[NEW] = mp_counts_new(counts);
}

/* What survived, or all of it: garbage counts, too. */
static bool
is_shown(const struct mp_site *site, const void *data)
{
    const struct table *t = data;
    const struct mp_counts *counts = &site->counts;

    return mp_print_shows(t->options, counts->bytes, t->total.bytes) ||
           (counts->aged > 0 && mp_print_shows(t->options, counts->aged, t->total.aged));
}

/* What rows are sorted by: bytes are those that survived. */
static uint64_t
key_of(const struct table *t, const struct mp_counts *counts)
{
    return t->options->sort == MP_SORT_OBJECTS ? counts->allocs
           : t->options->sort == MP_SORT_KEPT  ? counts->kept
                                               : counts->aged;
}

static int
compare_sites(const void *a, const void *b, void *table)
{
    const struct mp_site *left = a, *right = b;
    const struct mp_counts *x = &left->counts, *y = &right->counts;
    uint64_t key_x = key_of(table, x), key_y = key_of(table, y);

    if (key_x != key_y)
        return key_x < key_y ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(left->path, right->path);
}

static struct mp_columns *
begin(const struct table *t)
{
    struct mp_column titled[N_COLUMNS] = {{"objects", MP_RIGHT}, {"bytes", MP_RIGHT}};
    size_t n = 2;

    for (int age = 0; age < N_AGES; age++) {
        if (age == NEW && !t->with_new)
            continue;
        titled[n++] = (struct mp_column){ages[age], MP_RIGHT};
        titled[n++] = (struct mp_column){"(%)", MP_RIGHT};
    }
    titled[n++] = (struct mp_column){"bytes survived", MP_RIGHT};
    titled[n++] = (struct mp_column){"kept", MP_RIGHT};
    if (t->sites.chain.bare)
        titled[n++] = (struct mp_column){"name", MP_LEFT};
    else
        titled[n++] = (struct mp_column){"path", MP_WRAP};
    return mp_columns_new(titled, n, t->options->width);
}

static void
add_row(const struct table *t, struct mp_columns *rows, const struct mp_counts *counts,
        const char *site)
{
    char texts[N_COLUMNS][MP_NUMBER_SIZE];
    const char *cells[N_COLUMNS];
    uint64_t parts[N_AGES];
    size_t n = 2;

    split_by_age(counts, parts);
    snprintf(texts[0], MP_NUMBER_SIZE, "%" PRIu64, counts->allocs);
    snprintf(texts[1], MP_NUMBER_SIZE, "%" PRIu64, counts->bytes);
    for (int age = 0; age < N_AGES; age++) {
        if (age == NEW && !t->with_new)
            continue;
        snprintf(texts[n++], MP_NUMBER_SIZE, "%" PRIu64, parts[age]);
        mp_number_percent(parts[age], counts->allocs, texts[n++]);
    }
    snprintf(texts[n++], MP_NUMBER_SIZE, "%" PRIu64, counts->aged);
    snprintf(texts[n++], MP_NUMBER_SIZE, "%" PRIu64, counts->kept);
    for (size_t i = 0; i < n; i++)
        cells[i] = texts[i];
    cells[n] = site;
    mp_columns_row(rows, cells);
}

static void
print_head(const struct mp_profile *profile, FILE *out)
{
    uint64_t n = profile->meta.collections;
    char number[MP_NUMBER_SIZE];

    fprintf(out, "%s collection%s; objects by how many of them they survived\n",
            mp_number_grouped(n, number), mp_plural(n));
}

static void
print_left_out(const struct table *t, size_t shown, FILE *out)
{
    struct mp_counts rest = mp_sites_rest(&t->sites, shown);
    uint64_t n = t->sites.n - shown;
    char number[4][MP_NUMBER_SIZE], why[64] = "";

    if (n == 0)
        return;
    if (mp_print_room(t->options, shown))
        snprintf(why, sizeof why, " of less than %s %%",
                 mp_print_threshold_text(t->options, number[0]));
    fprintf(out, "%s site%s%s left out: %s object%s, %s byte%s, of which %s survived\n",
            mp_number_grouped(n, number[0]), mp_plural(n), why,
            mp_number_grouped(rest.allocs, number[1]), mp_plural(rest.allocs),
            mp_number_grouped(rest.bytes, number[2]), mp_plural(rest.bytes),
            mp_number_grouped(rest.aged, number[3]));
}

static bool
print_sites(struct table *t, FILE *out, struct mp_error *error)
{
    size_t shown = mp_sites_choose(&t->sites, is_shown, t);
    struct mp_columns *rows;

    if (shown == SIZE_MAX)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot list the sites");
    qsort_r(t->sites.list, shown, sizeof *t->sites.list, compare_sites, t);
    if (!mp_print_room(t->options, shown))
        shown = t->options->most;
    rows = begin(t);
    for (size_t i = 0; i < shown; i++)
        add_row(t, rows, &t->sites.list[i].counts, t->sites.list[i].path);
    add_row(t, rows, &t->total, "<TOTAL>");
    if (!mp_columns_print(rows, out, error))
        return false;
    print_left_out(t, shown, out);
    return true;
}

static bool
print_all(struct table *t, FILE *out, struct mp_error *error)
{
    t->total = mp_sites_rest(&t->sites, 0);
    t->with_new = mp_counts_new(&t->total) > 0;
    print_head(t->sites.profile, out);
    if (t->sites.n > 0)
        return print_sites(t, out, error);
    mp_head_print_no_objects(t->sites.profile, out);
    return true;
}

bool
mp_table_survival(const struct mp_profile *profile, const struct mp_print_options *options,
                  bool all_frames, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct table t = {
        .options = options,
        .sites = {
            .profile = profile,
            .chain = {.limit = options->sites, .bare = options->sites == 1,
                      .offsets = options->offsets, .lines = options->lines,
                      .hidden = all_frames ? NULL : mp_startup_contexts(profile, arena)},
        },
    };
    bool ok;

    mp_columns_title(out, "TABLE 5: SURVIVAL", options->color);
    mp_sites_collect(&t.sites, MP_OBJECTS_LISP);
    ok = print_all(&t, out, error);
    mp_sites_free(&t.sites);
    mp_arena_free(arena);
    return ok;
}
