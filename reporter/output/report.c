#include "report.h"

#include "chart.h"
#include "head.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/reduce.h"
#include "reporter/profile/bins.h"
#include "reporter/profile/sort.h"
#include "said_part.h"

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
    const unsigned shown = which & (MP_TABLE_LEAKS | MP_TABLE_GC | MP_TABLE_SITES | MP_TABLE_TREE);

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
           const struct mp_report_options *options, const struct mp_findings *findings, bool first,
           FILE *out, struct mp_error *error)
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
        .findings = findings,
        .lisp = options->lisp, .all_frames = options->all_frames,
        .raw = mp_frames_shown(wanted) != MP_FRAMES_LISP,   /* the runtime's, too */
    };
    bool ok;

    if ((which & MP_TABLE_GRAPH) && options->print.sort != MP_SORT_BYTES)
        request.sorted = sort_graph(&sorted, view, options->print.sort, &graph_options);
    if (share_tree(which))
        request.tree = mp_table_tree(&request);
    ok = write_tables(&request, which, first, out, error);
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
    if (options->chart)
        mp_chart_print(profile, options->lisp, options->print.width, mp_term_utf8(), out);
    mp_head_free(head);
}

/* What is shown of a profile, and of what. */
struct shown {
    const struct mp_profile *profile;
    struct mp_profile *view;
    struct mp_counts undecided; /* see mp_filter() */
};

static bool
is_part(const struct mp_report_options *options)
{
    return options->focus || options->filters || mp_window_is_wanted(&options->window);
}

static bool
choose(struct shown *shown, const struct mp_view_options *wanted,
       const struct mp_report_options *options, struct mp_error *error)
{
    const struct mp_print_options *print = &options->print;
    const struct mp_filters *filters = options->filters;

    shown->view = mp_view(shown->profile, wanted, error);
    if (!shown->view)
        return false;
    if (filters && !mp_filter(shown->view, shown->profile, filters, &shown->undecided, error)) {
        mp_profile_free(shown->view);
        return false;
    }
    if (is_part(options) || !mp_sorts[print->sort].by_size)
        mp_bins_of_cells(shown->view);
    return true;
}

/* Is it only a part of the profile that is shown?  Then it is said of which. */
static bool
print_part(const struct shown *shown, const struct mp_report_options *options, FILE *out)
{
    const struct mp_said_part part = {
        .profile = shown->profile, .view = shown->view, .focus = options->focus,
        .filters = options->filters, .undecided = shown->undecided, .lisp = options->lisp};

    if (!is_part(options))
        return false;
    if (!options->no_head)
        fputc('\n', out);
    mp_said_part_print(&part, out);
    fputc('\n', out);
    return true;
}

bool
mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                FILE *out, struct mp_error *error)
{
    const struct mp_view_options wanted = {
        .frames = options->frames, .lisp_only = options->lisp, .all_frames = options->all_frames,
        .places = options->print.lines, .short_names = !options->full_names,
        .skip = options->skip, .focus = options->focus, .window = options->window};
    const struct mp_findings_options findings_wanted = {
        .most = options->all_findings ? 0 : MP_FINDINGS_MOST, .file = options->file};
    struct shown shown = {.profile = profile};
    struct mp_findings *findings = NULL;
    bool ok, first;

    if (!choose(&shown, &wanted, options, error))
        return false;
    if (options->tables & MP_TABLE_FINDINGS)
        findings = mp_findings_of(profile, &wanted, options->filters, &findings_wanted, error);
    if ((options->tables & MP_TABLE_FINDINGS) && !findings) {
        mp_profile_free(shown.view);
        return false;
    }
    if (!options->no_head)
        print_head(profile, shown.view, options, out);
    first = print_part(&shown, options, out) || options->no_head;
    ok = write_view(shown.view, &wanted, options, findings, first, out, error);
    mp_findings_free(findings);
    mp_profile_free(shown.view);
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

/* Is it the report as it is by itself, of all that was recorded? */
static bool
is_whole(const struct mp_report_options *options)
{
    return !options->chosen && !options->print.form_1988 && !is_part(options);
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
    if (local.print.width > 0 && !options->full_names)
        local.print.ellipsis = mp_term_ellipsis();
    if (local.print.width > 0 && !options->chosen && !options->no_overview &&
        !options->print.form_1988 && !mp_window_is_wanted(&options->window))
        local.tables |= MP_TABLE_OVERVIEW;
    if (local.print.width > 0 && is_whole(options) && !options->no_findings)
        local.tables |= MP_TABLE_FINDINGS;
    local.chart = local.print.width > 0 && is_whole(options) && !options->no_overview;
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
