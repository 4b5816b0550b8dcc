#include "table_sites.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/graph/sites.h"
#include "reporter/profile/startup.h"

enum { BYTES, PERCENT, OBJECTS, KEPT_BYTES, KEPT, TYPE, CHAIN, N_COLUMNS };

static const struct mp_column columns[N_COLUMNS] = {
    [BYTES] = {"bytes", MP_RIGHT},           [PERCENT] = {"(%)", MP_RIGHT},
    [OBJECTS] = {"objects", MP_RIGHT},       [KEPT_BYTES] = {"bytes kept", MP_RIGHT},
    [KEPT] = {"kept", MP_RIGHT},             [TYPE] = {"type", MP_LEFT},
    [CHAIN] = {"function < its callers", MP_WRAP},
};

struct table {
    struct mp_sites sites;
    const struct mp_print_options *options;
    struct mp_counts total;
    size_t shown;
};

static int
compare_sites(const void *a, const void *b, void *data)
{
    const struct table *t = data;
    const struct mp_site *x = a, *y = b;
    uint64_t left = mp_print_key(t->options, &x->counts);
    uint64_t right = mp_print_key(t->options, &y->counts);

    if (left != right)
        return left < right ? 1 : -1;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static size_t
count_shown(const struct table *t)
{
    uint64_t whole = mp_print_key(t->options, &t->total);
    size_t n = 0;

    while (n < t->sites.n && mp_print_room(t->options, n) &&
           mp_print_shows(t->options, mp_print_key(t->options, &t->sites.list[n].counts), whole))
        n++;
    return n;
}

static void
add_row(const struct table *t, struct mp_columns *rows, const struct mp_counts *counts,
        const char *type, const char *chain)
{
    char texts[TYPE][MP_NUMBER_SIZE];

    snprintf(texts[BYTES], MP_NUMBER_SIZE, "%" PRIu64, counts->bytes);
    mp_number_percent(counts->bytes, t->total.bytes, texts[PERCENT]);
    snprintf(texts[OBJECTS], MP_NUMBER_SIZE, "%" PRIu64, counts->allocs);
    snprintf(texts[KEPT_BYTES], MP_NUMBER_SIZE, "%" PRIu64, counts->kept);
    snprintf(texts[KEPT], MP_NUMBER_SIZE, "%" PRIu64, counts->kept_blocks);
    mp_columns_row(rows, (const char *[N_COLUMNS]){
        [BYTES] = texts[BYTES], [PERCENT] = texts[PERCENT], [OBJECTS] = texts[OBJECTS],
        [KEPT_BYTES] = texts[KEPT_BYTES], [KEPT] = texts[KEPT], [TYPE] = type, [CHAIN] = chain,
    });
}

static bool
add_site(const struct table *t, struct mp_columns *rows, const struct mp_site *site)
{
    const struct mp_object_kind *kind = mp_profile_kind(t->sites.profile, site->kind);
    char *chain = mp_chain_text(t->sites.profile, &t->sites.chain, site->context);

    if (!chain)
        return false;
    add_row(t, rows, &site->counts, kind ? kind->name : "malloc", chain);
    free(chain);
    return true;
}

static void
print_left_out(const struct table *t, FILE *out)
{
    struct mp_counts rest = mp_sites_rest(&t->sites, t->shown);
    uint64_t n = t->sites.n - t->shown;
    char number[4][MP_NUMBER_SIZE], why[64] = "";

    if (n == 0)
        return;
    if (mp_print_room(t->options, t->shown))
        snprintf(why, sizeof why, " of less than %s %%",
                 mp_print_threshold_text(t->options, number[0]));
    fprintf(out, "%s site%s%s left out: %s byte%s, %s object%s\n", mp_number_grouped(n, number[0]),
            mp_plural(n), why, mp_number_grouped(rest.bytes, number[1]), mp_plural(rest.bytes),
            mp_number_grouped(rest.allocs, number[2]), mp_plural(rest.allocs));
}

static bool
print_sites(struct table *t, FILE *out, struct mp_error *error)
{
    struct mp_columns *rows;
    bool ok = true;

    t->total = mp_sites_rest(&t->sites, 0);
    if (t->sites.n == 0) {
        fputs(MP_PRINT_NOTHING, out);
        return true;
    }
    qsort_r(t->sites.list, t->sites.n, sizeof *t->sites.list, compare_sites, t);
    t->shown = count_shown(t);
    rows = mp_columns_new(columns, N_COLUMNS, t->options->width);
    for (size_t i = 0; i < t->shown; i++)
        ok = ok && add_site(t, rows, &t->sites.list[i]);
    add_row(t, rows, &t->total, "<TOTAL>", "");
    if (!mp_columns_print(rows, out, error))
        return false;
    if (!ok)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot list the sites");
    print_left_out(t, out);
    return true;
}

bool
mp_table_sites(const struct mp_profile *profile, const struct mp_print_options *options, bool lisp,
               bool all_frames, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct table t = {
        .options = options,
        .sites = {
            .profile = profile,
            .by_kind = true,
            .chain = {.limit = options->callers, .inside_out = true, .offsets = options->offsets,
                      .lines = options->lines,
                      .hidden = all_frames ? NULL : mp_startup_contexts(profile, arena)},
        },
    };
    bool ok;

    mp_columns_title(out, "TABLE 6: ALLOCATION SITES", options->color);
    mp_sites_collect(&t.sites, lisp ? MP_OBJECTS_LISP : MP_OBJECTS_ALL);
    ok = print_sites(&t, out, error);
    mp_sites_free(&t.sites);
    mp_arena_free(arena);
    return ok;
}
