#include "report.h"

#include "head.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/reduce.h"
#include "reporter/profile/bins.h"
#include "reporter/profile/sort.h"

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

/* A view as if only what is sorted by had been allocated, for the call graph. */
struct sorted {
    struct mp_profile *view;
    struct mp_graph *graph;
    struct mp_reduced *reduced;
};

static const struct mp_reduced *
sort_graph(struct sorted *sorted, const struct mp_profile *view, enum mp_sort sort,
           const struct mp_graph_options *options)
{
    sorted->view = mp_sort_view(view, sort);
    sorted->graph = mp_graph_build(sorted->view, options);
    sorted->reduced = mp_reduce(sorted->view, sorted->graph);
    return sorted->reduced;
}

static void
sorted_free(struct sorted *sorted)
{
    mp_reduced_free(sorted->reduced);
    mp_graph_free(sorted->graph);
    mp_profile_free(sorted->view);
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
    struct sorted sorted = {0};
    struct mp_table_request request = {
        .profile = view, .graph = graph, .reduced = reduced, .options = &options->print,
        .lisp = options->lisp, .all_frames = options->all_frames,
        .raw = mp_frames_shown(wanted) != MP_FRAMES_LISP,   /* the runtime's, too */
    };
    bool ok;

    if ((which & MP_TABLE_GRAPH) && options->print.sort != MP_SORT_BYTES)
        request.sorted = sort_graph(&sorted, view, options->print.sort, &graph_options);
    if (share_tree(which))
        request.tree = mp_table_tree(&request);
    ok = write_tables(&request, which, options->no_head || options->focus || options->print.at_peak, out,
                      error);
    mp_tree_free(request.tree);
    sorted_free(&sorted);
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

    if (mp_print_sorted(&options->print))
        mp_head_say(head, "sorted_by", "Sorted by", "%s", mp_sorts[options->print.sort].what);
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

/* What was alive at the peak.  Of several threads, chains' shares need not add up to the peak. */
static void
print_at_peak(const struct mp_profile *view, const struct mp_profile *whole,
              const struct mp_report_options *options, FILE *out)
{
    char number[3][MP_NUMBER_SIZE];
    struct mp_totals alive;
    int64_t peak = whole->meta.peak_bytes;

    mp_profile_totals(view, &alive);
    fprintf(out, "%sOnly what was alive at the peak: %s%s bytes in %s blocks",
            options->no_head || options->focus ? "" : "\n",
            whole->meta.sample_period > 0 ? "estimated " : "",
            mp_number_grouped(alive.all.bytes, number[0]),
            mp_number_grouped(alive.all.allocs, number[1]));
    if (!options->focus && !options->lisp && whole->meta.sample_period == 0 && peak > 0 &&
        alive.all.bytes != (uint64_t)peak)
        fprintf(out, "; the peak is %s bytes, of which chains have shares of several moments",
                mp_number_grouped((uint64_t)peak, number[2]));
    fputs("\n\n", out);
}

bool
mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                FILE *out, struct mp_error *error)
{
    const struct mp_view_options wanted = {
        .frames = options->frames, .lisp_only = options->lisp, .all_frames = options->all_frames,
        .places = options->print.lines, .focus = options->focus};
    struct mp_profile *whole = mp_view(profile, &wanted, error), *view = whole;
    bool ok;

    if (!view)
        return false;
    if (options->print.at_peak)
        view = mp_sort_view(whole, MP_SORT_PEAK);
    if (options->print.at_peak || !mp_sorts[options->print.sort].by_size)
        mp_bins_of_cells(view);
    if (!options->no_head)
        print_head(profile, view, options, out);
    if (options->focus)
        print_focus(whole, profile, options, out);
    if (options->print.at_peak)
        print_at_peak(view, profile, options, out);
    ok = write_view(view, &wanted, options, out, error);
    if (view != whole)
        mp_profile_free(view);
    mp_profile_free(whole);
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
