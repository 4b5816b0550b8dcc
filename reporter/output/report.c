#include "report.h"

#include "head.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/reduce.h"

/* ------------------------------------------------------------------ tables */

static bool
write_table(const struct mp_output *output, const struct mp_table_request *request, FILE *out,
            struct mp_error *error)
{
    struct mp_table *table = output->compute(request);
    bool ok = output->print(table, request->options, out, error);

    mp_table_free(table);
    return ok;
}

/* Do several tables of WHICH show chains?  Then one tree is for all. */
static bool
share_tree(unsigned which)
{
    const unsigned shown = which & (MP_TABLE_LEAKS | MP_TABLE_GC | MP_TABLE_SITES);

    return (shown & (shown - 1)) != 0;
}

static bool
write_tables(const struct mp_table_request *request, unsigned which, bool first, FILE *out,
             struct mp_error *error)
{
    for (size_t i = 0; i < mp_n_outputs; i++) {
        if (!(which & mp_outputs[i].table))
            continue;
        if (!first)
            fputc('\n', out);
        first = false;
        if (!write_table(&mp_outputs[i], request, out, error))
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
    for (size_t i = 0; i < mp_n_outputs; i++)
        if ((mp_outputs[i].applies == MP_FOR_LISP && !lisp) ||
            (mp_outputs[i].applies == MP_FOR_C && lisp && !c))
            useful &= ~(unsigned)mp_outputs[i].table;
    return useful;
}

/* What the tables of WHICH need at most. */
static enum mp_needs
needs_of(unsigned which)
{
    enum mp_needs most = MP_NEEDS_PROFILE;

    for (size_t i = 0; i < mp_n_outputs; i++)
        if ((which & mp_outputs[i].table) && mp_outputs[i].needs > most)
            most = mp_outputs[i].needs;
    return most;
}

static bool
write_view(const struct mp_profile *view, const struct mp_view_options *wanted,
           const struct mp_report_options *options, FILE *out, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_graph_options graph_options = {
        .keep_startup = options->all_frames, .style = mp_breakdown_of(view, arena)};
    unsigned which = useful_tables(view, options);
    enum mp_needs needs = needs_of(which);
    struct mp_graph *graph =
        needs >= MP_NEEDS_GRAPH ? mp_graph_build(view, &graph_options) : NULL;
    struct mp_reduced *reduced = needs >= MP_NEEDS_REDUCED ? mp_reduce(view, graph) : NULL;
    struct mp_table_request request = {
        .profile = view, .graph = graph, .reduced = reduced, .options = &options->print,
        .lisp = options->lisp, .all_frames = options->all_frames,
        .raw = mp_frames_shown(wanted) != MP_FRAMES_LISP,   /* the runtime's, too */
    };
    bool ok;

    if (share_tree(which))
        request.tree = mp_table_tree(&request);
    ok = write_tables(&request, which, options->no_head || options->focus, out, error);
    mp_tree_free(request.tree);
    mp_reduced_free(reduced);
    mp_graph_free(graph);
    mp_arena_free(arena);
    return ok;
}

static void
print_head(const struct mp_profile *profile, const struct mp_profile *view,
           const struct mp_report_options *options, FILE *out)
{
    struct mp_head *head = mp_head(profile, view, options->lisp);

    mp_head_print(head, &options->print, out);
    mp_head_free(head);
}

/* What part of it all goes through the function that was asked for. */
static void
print_focus(const struct mp_profile *view, const struct mp_profile *whole,
            const struct mp_report_options *options, FILE *out)
{
    char number[2][MP_NUMBER_SIZE], percent[MP_NUMBER_SIZE];
    struct mp_totals part, totals;
    const struct mp_counts *all = options->lisp ? &totals.lisp : &totals.all;
    const char *about = whole->meta.sample_period > 0 ? "estimated " : "";

    mp_profile_totals(view, &part);
    mp_profile_totals(whole, &totals);
    fprintf(out, "%sOnly what was allocated through %s: %s%s of %s bytes (%s %%)\n\n",
            options->no_head ? "" : "\n", options->focus, about,
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
    if (!options->no_head)
        print_head(profile, view, options, out);
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
