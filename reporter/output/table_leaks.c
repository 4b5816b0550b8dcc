/* The table of Figure 2 of Zorn and Hilfinger's report; fields as in its manual page, TABLE 2. */
#include "table_leaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/columns.h"
#include "reporter/base/format_number.h"
#include "reporter/graph/sites.h"
#include "reporter/profile/startup.h"

enum { ALLOCS, BYTES, PERCENT, FREES, FREED, PATH, N_COLUMNS };

static const struct mp_column columns[N_COLUMNS] = {
    [ALLOCS] = {"allocs", MP_RIGHT}, [BYTES] = {"bytes", MP_RIGHT}, [PERCENT] = {"(%)", MP_RIGHT},
    [FREES] = {"frees", MP_RIGHT},   [FREED] = {"bytes", MP_RIGHT}, [PATH] = {"path", MP_WRAP},
};

enum { L_OBJECTS, L_BYTES, L_KEPT, L_KEPT_BYTES, L_PERCENT, L_PATH, N_LISP_COLUMNS };

static const struct mp_column lisp_columns[N_LISP_COLUMNS] = {
    [L_OBJECTS] = {"objects", MP_RIGHT},    [L_BYTES] = {"bytes", MP_RIGHT},
    [L_KEPT] = {"kept", MP_RIGHT},          [L_KEPT_BYTES] = {"bytes kept", MP_RIGHT},
    [L_PERCENT] = {"(%)", MP_RIGHT},        [L_PATH] = {"path", MP_WRAP},
};

struct table {
    struct mp_sites sites;      /* those with something kept */
    const struct mp_print_options *options;
    bool lisp, any;             /* any: something was allocated */
    uint64_t kept;
};

/* Keep only chains with kept blocks. */
static void
drop_freed(struct table *t)
{
    struct mp_sites *sites = &t->sites;
    size_t n = 0;

    for (size_t i = 0; i < sites->n; i++) {
        const struct mp_counts *counts = &sites->list[i].counts;

        t->any |= counts->allocs > 0 || counts->bytes > 0;
        if (counts->kept_blocks == 0 && counts->kept == 0)
            continue;
        t->kept += counts->kept;
        sites->list[n++] = sites->list[i];
    }
    sites->n = n;
}

static bool
is_shown(const struct mp_site *site, const void *data)
{
    const struct table *t = data;
    unsigned threshold = mp_print_threshold(t->options);

    return threshold == 0 || t->kept == 0 || mp_more_than(site->counts.kept, t->kept, threshold);
}

/* By kept bytes, the largest first; then by path, so that a report is always the same. */
static int
compare_sites(const void *a, const void *b)
{
    const struct mp_site *left = a, *right = b;

    if (left->counts.kept != right->counts.kept)
        return left->counts.kept < right->counts.kept ? 1 : -1;
    return strcmp(left->path, right->path);
}

static void
add_row(struct mp_columns *rows, const struct table *t, const struct mp_site *site,
        bool with_frees)
{
    const struct mp_counts *counts = &site->counts;
    char texts[PATH][MP_NUMBER_SIZE] = {0};
    const char *cells[N_COLUMNS];
    size_t n = 0;

    snprintf(texts[ALLOCS], MP_NUMBER_SIZE, "%" PRIu64, counts->allocs);
    snprintf(texts[BYTES], MP_NUMBER_SIZE, "%" PRIu64, counts->bytes);
    mp_number_percent(counts->kept, t->kept, texts[PERCENT]);
    if (counts->frees > 0) {
        snprintf(texts[FREES], MP_NUMBER_SIZE, "%" PRIu64, counts->frees);
        snprintf(texts[FREED], MP_NUMBER_SIZE, "%" PRIu64, counts->freed);
    }
    for (size_t i = 0; i < PATH; i++)
        if (with_frees || (i != FREES && i != FREED))
            cells[n++] = texts[i];
    cells[n] = site->path;
    mp_columns_row(rows, cells);
}

static void
add_lisp_row(struct mp_columns *rows, const struct table *t, const struct mp_site *site)
{
    const struct mp_counts *counts = &site->counts;
    char texts[L_PATH][MP_NUMBER_SIZE];

    snprintf(texts[L_OBJECTS], MP_NUMBER_SIZE, "%" PRIu64, counts->allocs);
    snprintf(texts[L_BYTES], MP_NUMBER_SIZE, "%" PRIu64, counts->bytes);
    snprintf(texts[L_KEPT], MP_NUMBER_SIZE, "%" PRIu64, counts->kept_blocks);
    snprintf(texts[L_KEPT_BYTES], MP_NUMBER_SIZE, "%" PRIu64, counts->kept);
    mp_number_percent(counts->kept, t->kept, texts[L_PERCENT]);
    mp_columns_row(rows, (const char *[N_LISP_COLUMNS]){
        [L_OBJECTS] = texts[L_OBJECTS], [L_BYTES] = texts[L_BYTES], [L_KEPT] = texts[L_KEPT],
        [L_KEPT_BYTES] = texts[L_KEPT_BYTES], [L_PERCENT] = texts[L_PERCENT],
        [L_PATH] = site->path,
    });
}

/* The fields about frees are left out where nothing was freed. */
static bool
print_shown(const struct table *t, size_t shown, FILE *out, struct mp_error *error)
{
    struct mp_column used[N_COLUMNS];
    struct mp_columns *rows;
    bool with_frees = false;
    size_t n = 0;

    for (size_t i = 0; i < shown; i++)
        with_frees |= t->sites.list[i].counts.frees > 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (with_frees || (i != FREES && i != FREED))
            used[n++] = columns[i];
    rows = t->lisp ? mp_columns_new(lisp_columns, N_LISP_COLUMNS, t->options->width)
                   : mp_columns_new(used, n, t->options->width);
    for (size_t i = 0; i < shown; i++) {
        if (t->lisp)
            add_lisp_row(rows, t, &t->sites.list[i]);
        else
            add_row(rows, t, &t->sites.list[i], with_frees);
    }
    return mp_columns_print(rows, out, error);
}

static void
print_left_out(const struct table *t, size_t shown, FILE *out)
{
    struct mp_counts rest = mp_sites_rest(&t->sites, shown);
    const char *allocs = t->lisp ? "object" : "allocation", *kept = t->lisp ? "object" : "block";
    uint64_t chains = t->sites.n - shown;
    char number[4][MP_NUMBER_SIZE], why[64] = "";

    if (chains == 0)
        return;
    if (mp_print_room(t->options, shown))
        snprintf(why, sizeof why, " of %s %% or less",
                 mp_print_threshold_text(t->options, number[0]));
    fprintf(out, "%s chain%s%s left out: %s %s%s, %s %s%s kept, %s bytes kept\n",
            mp_number_grouped(chains, number[0]), mp_plural(chains), why,
            mp_number_grouped(rest.allocs, number[1]), allocs, mp_plural(rest.allocs),
            mp_number_grouped(rest.kept_blocks, number[2]), kept, mp_plural(rest.kept_blocks),
            mp_number_grouped(rest.kept, number[3]));
}

static const char *
nothing(const struct table *t)
{
    if (!t->any)
        return MP_PRINT_NOTHING;
    return t->lisp ? "Nothing survived a collection and is still there.\n"
                   : "No leaks: every block was freed.\n";
}

static bool
print_all(struct table *t, FILE *out, struct mp_error *error)
{
    size_t shown;

    mp_columns_title(out, t->lisp ? "TABLE 2: KEPT OBJECTS" : "TABLE 2: MEMORY LEAKS",
                     t->options->color);
    if (t->sites.n == 0) {
        fputs(nothing(t), out);
        return true;
    }
    shown = mp_sites_choose(&t->sites, is_shown, t);
    if (shown == SIZE_MAX)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot list the leaks");
    qsort(t->sites.list, shown, sizeof *t->sites.list, compare_sites);
    if (t->options->most > 0 && shown > t->options->most)
        shown = t->options->most;
    if (shown > 0 && !print_shown(t, shown, out, error))
        return false;
    print_left_out(t, shown, out);
    return true;
}

bool
mp_table_leaks(const struct mp_profile *profile, const struct mp_print_options *options,
               struct mp_leaks_wanted wanted, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct table t = {
        .options = options, .lisp = wanted.lisp,
        .sites = {
            .profile = profile,
            .chain = {.limit = options->chain, .offsets = options->offsets,
                      .lines = options->lines,
                      .hidden = wanted.all_frames ? NULL : mp_startup_contexts(profile, arena)},
        },
    };
    bool ok;

    mp_sites_collect(&t.sites, wanted.lisp ? MP_OBJECTS_LISP : MP_OBJECTS_C);
    drop_freed(&t);
    ok = print_all(&t, out, error);
    mp_sites_free(&t.sites);
    mp_arena_free(arena);
    return ok;
}
