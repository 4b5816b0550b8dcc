#include "report.h"

#include <string.h>

#include "head.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/reduce.h"
#include "table_bins.h"
#include "table_direct.h"
#include "table_functions.h"
#include "table_graph.h"
#include "table_leaks.h"
#include "table_sites.h"
#include "table_survival.h"
#include "table_types.h"

/* ------------------------------------------------------------------ tables */

/* What tables are made of; the graph is there if one of them needs it. */
struct source {
    const struct mp_profile *profile;   /* as it is shown */
    enum mp_frames frames;
    const struct mp_graph *graph;
    const struct mp_reduced *reduced;
    const struct mp_report_options *options;
};

/* Functions of the runtime are charged for themselves only where they were asked for. */
static bool
is_raw(const struct source *source)
{
    return source->frames != MP_FRAMES_LISP;
}

static bool
bins(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_bins(source->profile, &source->options->print, out, error);
}

static bool
types(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_types(source->profile, &source->options->print, out, error);
}

static bool
leaks(const struct source *source, FILE *out, struct mp_error *error)
{
    const struct mp_leaks_wanted wanted = {source->options->all_frames, source->options->lisp};

    return mp_table_leaks(source->profile, &source->options->print, wanted, out, error);
}

static bool
direct(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_direct_print(out, source->reduced, &source->options->print, error);
}

static bool
graph(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_graph_print(out, source->reduced, &source->options->print, error);
}

static bool
survival(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_survival(source->profile, &source->options->print,
                             source->options->all_frames, out, error);
}

static bool
sites(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_sites(source->profile, &source->options->print, source->options->lisp,
                          source->options->all_frames, out, error);
}

static bool
flat(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_flat(source->profile, source->graph, &source->options->print, is_raw(source),
                         out, error);
}

static bool
function_types(const struct source *source, FILE *out, struct mp_error *error)
{
    return mp_table_function_types(source->profile, &source->options->print, is_raw(source), out,
                                   error);
}

static const struct {
    const char *name;
    unsigned table;
    bool (*write)(const struct source *source, FILE *out, struct mp_error *error);
} tables[] = {
    {"bins", MP_TABLE_BINS, bins},
    {"types", MP_TABLE_TYPES, types},
    {"leaks", MP_TABLE_LEAKS, leaks},
    {"direct", MP_TABLE_DIRECT, direct},
    {"graph", MP_TABLE_GRAPH, graph},
    {"gc", MP_TABLE_GC, survival},
    {"sites", MP_TABLE_SITES, sites},
    {"flat", MP_TABLE_FLAT, flat},
    {"function-types", MP_TABLE_FUNCTION_TYPES, function_types},
};
enum { N_TABLES = sizeof tables / sizeof *tables };

unsigned
mp_report_table(const char *name)
{
    for (size_t i = 0; i < N_TABLES; i++)
        if (strcmp(tables[i].name, name) == 0)
            return tables[i].table;
    return 0;
}

static bool
write_tables(const struct source *source, unsigned which, FILE *out, struct mp_error *error)
{
    bool first = source->options->no_head || source->options->focus;

    for (size_t i = 0; i < N_TABLES && !ferror(out); i++) {
        if (!(which & tables[i].table))
            continue;
        if (!first)
            fputc('\n', out);
        first = false;
        if (!tables[i].write(source, out, error))
            return false;
    }
    return true;
}

/* The tables that say something about PROFILE, of those that are asked for. */
static unsigned
useful_tables(const struct mp_profile *profile, const struct mp_report_options *options)
{
    unsigned useful = options->tables;
    bool c = false, lisp = false;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        c |= !mp_is_lisp(&profile->cells[i]);
        lisp |= mp_is_lisp(&profile->cells[i]);
    }
    if (options->chosen || options->lisp)
        return useful;
    if (!lisp)
        useful &= ~(unsigned)MP_TABLE_TYPES;
    else if (!c)
        useful &= ~(unsigned)(MP_TABLE_BINS | MP_TABLE_LEAKS);
    return useful;
}

static bool
write_view(const struct mp_profile *view, const struct mp_view_options *wanted,
           const struct mp_report_options *options, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_graph_options graph_options = {
        .keep_startup = options->all_frames, .style = mp_breakdown_of(view, arena)};
    struct source source = {
        .profile = view, .frames = mp_frames_shown(wanted), .options = options};
    unsigned which = useful_tables(view, options);
    struct mp_reduced *reduced = NULL;
    struct mp_graph *function_graph = NULL;
    bool ok;

    if (which & (MP_TABLE_DIRECT | MP_TABLE_GRAPH | MP_TABLE_FLAT))
        source.graph = function_graph = mp_graph_build(view, &graph_options);
    if (which & (MP_TABLE_DIRECT | MP_TABLE_GRAPH))
        source.reduced = reduced = mp_reduce(view, function_graph);
    ok = write_tables(&source, which, out, error);
    mp_reduced_free(reduced);
    mp_graph_free(function_graph);
    mp_arena_free(arena);
    return ok;
}

/* What part of it all goes through the function that was asked for. */
static void
print_focus(const struct mp_profile *view, const struct mp_profile *whole,
            const struct mp_report_options *options, FILE *out)
{
    char number[2][MP_NUMBER_SIZE], percent[MP_NUMBER_SIZE];
    struct mp_totals part, totals;
    const struct mp_counts *all = options->lisp ? &totals.lisp : &totals.all;

    mp_profile_totals(view, &part);
    mp_profile_totals(whole, &totals);
    fprintf(out, "%sOnly what was allocated through %s: %s of %s bytes (%s %%)\n\n",
            options->no_head ? "" : "\n", options->focus,
            mp_number_grouped(part.all.bytes, number[0]), mp_number_grouped(all->bytes, number[1]),
            mp_number_tenths(part.all.bytes, all->bytes, percent));
}

bool
mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                FILE *out, struct mp_error *error)
{
    const struct mp_view_options wanted = {
        .frames = options->frames, .lisp_only = options->lisp, .all_frames = options->all_frames,
        .places = options->print.lines, .focus = options->focus};
    struct mp_profile *view = mp_view(profile, &wanted, error);
    bool ok;

    if (!view)
        return false;
    if (!options->no_head) {
        mp_head_print(profile, &options->print, options->lisp, out);
        mp_head_sources(view, out);
    }
    if (options->focus)
        print_focus(view, profile, options, out);
    ok = write_view(view, &wanted, options, out, error);
    mp_profile_free(view);
    return ok;
}

/* That nobody reads it to its end is no error. */
static bool
write_out(const struct mp_profile *profile, const struct mp_report_options *options,
          struct mp_error *error)
{
    if (mp_report_write(profile, options, stdout, error))
        return true;
    if (!ferror(stdout) || !mp_term_reader_gone())
        return false;
    error->code = MP_ERR_NONE;
    return true;
}

bool
mp_report_show(const struct mp_profile *profile, const struct mp_report_options *options,
               struct mp_error *error)
{
    struct mp_report_options local = *options;
    struct mp_pager pager = {0};
    struct mp_error late;
    bool ok;

    local.print.width = mp_term_width();
    local.print.color = mp_term_color(options->color);
    if (!options->no_pager)
        mp_pager_start(&pager);
    ok = write_out(profile, &local, error);
    if (!mp_pager_finish(&pager, &late)) {
        if (ok)
            *error = late;
        return false;
    }
    return pager.failed ? ok && write_out(profile, &local, error) : ok;
}
