/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <string.h>

#include "chart.h"
#include "head.h"
#include "json_head.h"
#include "reporter/base/text.h"
#include "reporter/graph/bins.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/reduce.h"
#include "reporter/view/sort.h"
#include "said_part.h"

/* ------------------------------------------------------------------ tables */

/* Destination of the report. */
struct to {
    FILE *out;
    struct mp_json_out *json;   /* NULL if the report is text */
    bool first;                 /* nothing precedes the tables */
    const struct mp_print_options *narrow;      /* for tables of the first screen; NULL if they are like the others */
    const struct mp_report_options *next;       /* options if the overview ends with a command, because there is no
                                                   finding with one; else NULL */
};

#define SCREEN 80               /* columns of the first screen if it is not printed on a terminal */

/* Prints the command that shows where FILE's memory comes from. */
static void
print_next(const char *file, FILE *out)
{
    fputs("    mprof report --table=sites", out);
    if (file) {
        fputs(file[0] == '-' ? " -- " : " ", out);
        mp_text_shell(out, file);
    }
    putc('\n', out);
}

static bool
write_table(const struct mp_output *output, const struct mp_table_request *request, struct to *to,
            struct mp_error *error)
{
    struct mp_table *table = output->compute(request);
    const bool narrow = to->narrow && output->table & (MP_TABLE_FINDINGS | MP_TABLE_OVERVIEW);
    bool ok = true;

    mp_table_forget(table, request->profile);
    if (to->json) {
        mp_json_line(&to->json->buffer);
        mp_json_key(&to->json->buffer, table->kind->key);
        mp_json_table(to->json, table, request->profile);
    } else {
        if (!to->first)
            fputc('\n', to->out);
        ok = output->print(table, narrow ? to->narrow : request->options, to->out, error);
    }
    if (ok && to->next && output->table == MP_TABLE_OVERVIEW)
        print_next(to->next->file, to->out);
    to->first = false;
    mp_table_free(table);
    return ok;
}

/* Returns the tree that tables of REQUEST share: KNOWN, which may be NULL, if it suits, or else a new one if several of
 * the tables WHICH show chains. Otherwise returns NULL. */
static struct mp_tree *
shared_tree(const struct mp_table_request *request, struct mp_tree *known, unsigned which)
{
    const struct mp_tree_options wanted = mp_table_tree_options(request);
    const unsigned shown = which & (MP_TABLE_OVERVIEW | MP_TABLE_LEAKS | MP_TABLE_GC | MP_TABLE_SITES |
                                    MP_TABLE_TREE | MP_TABLE_LIFETIMES);

    if (mp_tree_suits(known, request->profile, &wanted))
        return known;
    return (shown & (shown - 1)) != 0 ? mp_table_tree(request) : NULL;
}

static bool
write_tables(const struct mp_table_request *request, unsigned which, const enum mp_report_table order[],
             struct to *to, struct mp_error *error)
{
    unsigned now = *order ? *order : which;

    for (size_t i = 0; i < mp_n_outputs; i++)
        if ((which & now & mp_outputs[i].table) && !write_table(&mp_outputs[i], request, to, error))
            return false;
    return !*order || write_tables(request, which & ~now, order + 1, to, error);
}

/* Returns the requested tables that apply to PROFILE. If the user chose the tables, returns all of them. */
static unsigned
useful_tables(const struct mp_profile *profile, const struct mp_report_options *options)
{
    unsigned useful = options->tables;
    bool c = false, lisp = false;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        c |= !mp_is_lisp(&profile->cells[i]);
        lisp |= mp_is_lisp(&profile->cells[i]);
    }
    if (options->chosen || options->view.lisp_only)
        return useful;
    for (size_t i = 0; i < mp_n_outputs; i++)
        if ((mp_outputs[i].applies == MP_FOR_LISP && !lisp) ||
            (mp_outputs[i].applies == MP_FOR_C && lisp && !c))
            useful &= ~(unsigned)mp_outputs[i].table;
    return useful;
}

/* Returns the maximum that the tables WHICH need. */
static enum mp_needs
needs_of(unsigned which)
{
    enum mp_needs most = MP_NEEDS_PROFILE;

    for (size_t i = 0; i < mp_n_outputs; i++)
        if ((which & mp_outputs[i].table) && mp_outputs[i].needs > most)
            most = mp_outputs[i].needs;
    return most;
}

/* A view in which only the figure that rows are sorted by is counted, with its call graph. */
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
write_view(const struct mp_profile *view, const struct mp_report_options *options, const struct mp_findings *findings,
           struct to *to, struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    const struct mp_graph_options graph_options = {
        .keep_startup = options->view.all_frames, .style = mp_breakdown_of(view, arena)};
    unsigned which = useful_tables(view, options);
    enum mp_needs needs = needs_of(which);
    struct mp_graph *graph =
        needs >= MP_NEEDS_GRAPH ? mp_graph_build(view, &graph_options) : NULL;
    struct mp_reduced *reduced = needs >= MP_NEEDS_REDUCED ? mp_reduce(view, graph) : NULL;
    struct sorted sorted = {0};
    struct mp_tree *known = options->tree ? options->tree : findings ? findings->tree : NULL;
    struct mp_table_request request = {
        .profile = view, .graph = graph, .reduced = reduced, .options = &options->print,
        .findings = findings,
        .lisp = options->view.lisp_only, .all_frames = options->view.all_frames,
        .raw = options->view.frames != MP_FRAMES_LISP,   /* also charges functions of the runtime */
    };
    bool ok;

    if ((which & MP_TABLE_GRAPH) && options->print.sort != MP_SORT_BYTES)
        request.sorted = sort_graph(&sorted, view, options->print.sort, &graph_options);
    request.tree = shared_tree(&request, known, which);
    ok = write_tables(&request, which, options->order, to, error);
    if (request.tree != known)
        mp_tree_free(request.tree);
    sorted_free(&sorted);
    mp_reduced_free(reduced);
    mp_graph_free(graph);
    mp_arena_free(arena);
    return ok;
}

/* The profile and the part of it that is shown. */
struct shown {
    const struct mp_profile *profile;
    struct mp_profile *view;
    struct mp_counts undecided; /* see mp_filter() */
};

static struct mp_head *
head_of(const struct shown *shown, const struct mp_report_options *options)
{
    struct mp_head *head = mp_head(shown->profile, shown->view, options->view.lisp_only);

    if (mp_print_sorted(&options->print))
        mp_head_say(head, "sorted_by", "Sorted by", "%s%s", mp_sorts[options->print.sort].what,
                    options->print.with_callees ? "; functions with what they call" : "");
    return head;
}

static void
print_head(const struct shown *shown, const struct mp_report_options *options, FILE *out)
{
    struct mp_head *head = head_of(shown, options);

    mp_head_print(head, &options->print, out);
    if (options->chart)
        mp_chart_print(shown->profile, options->view.lisp_only, options->print.width, mp_term_utf8(), out);
    mp_head_free(head);
}

static bool
is_filtered(const struct mp_report_options *options)
{
    return options->filters && options->filters->n > 0;
}

static bool
is_part(const struct mp_profile *profile, const struct mp_report_options *options)
{
    return profile->window || options->view.focus || is_filtered(options) || mp_window_is_wanted(&options->view.window);
}

static bool
choose(struct shown *shown, const struct mp_report_options *options, struct mp_error *error)
{
    const struct mp_print_options *print = &options->print;

    shown->undecided = options->undecided;
    shown->view = options->made ? options->made
                                : mp_filtered_view(shown->profile, &options->view, options->filters,
                                                   &shown->undecided, error);
    if (!shown->view)
        return false;
    if (is_part(shown->profile, options) || shown->profile->meta.source ||
        !mp_sorts[print->sort].by_size)
        mp_bins_of_cells(shown->view);
    return true;
}

static struct mp_said_part
part_of(const struct shown *shown, const struct mp_report_options *options)
{
    return (struct mp_said_part){
        .profile = shown->profile, .view = shown->view, .focus = options->view.focus,
        .filters = is_filtered(options) ? options->filters : NULL, .undecided = shown->undecided,
        .lisp = options->view.lisp_only};
}

/* If only a part of the profile is shown, describes it and returns true. */
static bool
print_part(const struct shown *shown, const struct mp_report_options *options, FILE *out)
{
    const struct mp_said_part part = part_of(shown, options);

    if (!is_part(shown->profile, options))
        return false;
    if (!options->no_head && !(options->first_screen && !options->head_first))
        fputc('\n', out);
    mp_said_part_print(&part, out);
    fputc('\n', out);
    return true;
}

/* ------------------------------------------------------------------ as text and as JSON */

static bool
write_text(const struct shown *shown, const struct mp_report_options *options, const struct mp_findings *findings,
           FILE *out, struct mp_error *error)
{
    struct mp_print_options narrow = options->print;
    struct to to = {.out = out};
    const bool head = !options->no_head, last = options->first_screen && !options->head_first;
    bool part, line, ok;

    narrow.width = SCREEN;
    if (options->first_screen && !options->chosen && options->print.width == 0)
        to.narrow = &narrow;
    if (findings && findings->n == 0)
        to.next = options;
    if (head && !last)
        print_head(shown, options, out);
    part = print_part(shown, options, out);
    line = last && !part && !options->chosen;
    if (line)
        mp_head_line(shown->profile, options->view.lisp_only, options->lineless,
                     to.narrow ? SCREEN : options->print.width, out);
    to.first = part || ((last || !head) && !line);
    ok = write_view(shown->view, options, findings, &to, error);
    if (ok && head && last) {
        putc('\n', out);
        print_head(shown, options, out);
    }
    return ok;
}

static bool
write_json(const struct shown *shown, const struct mp_report_options *options, const struct mp_findings *findings,
           FILE *out, struct mp_error *error)
{
    struct mp_json_out json = {.file = out};
    struct to to = {.json = &json};
    const struct mp_json_subject subject = {
        .command = options->json, .path = options->path, .part = part_of(shown, options),
        .frames = options->view.frames, .sort = options->print.sort};
    struct mp_head *head = head_of(shown, options);
    bool ok;

    mp_json_begin(&json, &subject);
    mp_json_head(&json, head);
    mp_json_line(&json.buffer);
    mp_json_key(&json.buffer, "tables");
    mp_json_open(&json.buffer, '{');
    ok = write_view(shown->view, options, findings, &to, error);
    mp_json_close(&json.buffer, '}');
    mp_head_free(head);
    return mp_json_finish(&json, error) && ok;
}

static bool
write_report(const struct mp_profile *profile, struct mp_report_options *options, FILE *out,
             struct mp_error *error)
{
    struct mp_findings_options wanted = {
        .most = options->all_findings ? 0 : MP_FINDINGS_MOST, .file = options->file,
        .paths = options->print.paths && !options->json,
        .held = options->held, .n_held = options->n_held, .lost = options->lost, .n_lost = options->n_lost};
    struct shown shown = {.profile = profile};
    struct mp_findings *found = NULL;
    const struct mp_findings *findings = NULL;
    bool ok;

    if (!choose(&shown, options, error))
        return false;
    options->print.no_temporary = mp_window_lacks_temporary(shown.view->window);
    ok = mp_sort_check_part(shown.view, options->print.sort, error);
    if (ok && options->tables & MP_TABLE_FINDINGS) {
        wanted.view = shown.view->cell_bins ? NULL : shown.view;
        if (!options->findings)
            found = mp_findings_of(profile, &options->view, options->filters, &wanted, error);
        findings = options->findings ? options->findings : found;
        ok = findings != NULL;
    }
    if (ok)
        ok = (options->json ? write_json : write_text)(&shown, options, findings, out, error);
    mp_findings_free(found);
    if (shown.view != options->made)
        mp_profile_free(shown.view);
    return ok;
}

/* The tables that a report begins with if it shows Lisp first. */
static const enum mp_report_table lisp_first[] = {MP_TABLE_OVERVIEW, MP_TABLE_FINDINGS, MP_TABLE_TYPES};

bool
mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                FILE *out, struct mp_error *error)
{
    struct mp_report_options local = *options;

    /* a profile may itself describe one point in time */
    local.print.moment = options->view.window.at || (profile->window && profile->window->alive);
    local.print.growth = options->view.window.from || options->view.window.to;
    mp_view_decide(&local.view, profile);
    if (local.view.skip.runtime && !options->order[0])
        memcpy(local.order, lisp_first, sizeof lisp_first);
    return mp_sort_check(profile, options->print.sort, error) &&
           write_report(profile, &local, out, error);
}

void
mp_report_as_json(struct mp_report_options *options, const char *command, const char *path)
{
    options->json = command;
    options->path = path;
    options->print.calls = true;
    options->print.paths = options->print.lines;
}

struct request {
    const struct mp_profile *profile;
    const struct mp_report_options *options;
};

static bool
write_request(const void *data, struct mp_error *error)
{
    const struct request *request = data;

    return mp_report_write(request->profile, request->options, stdout, error);
}

/* Returns true if this is the default report of the whole recording. */
static bool
is_whole(const struct mp_profile *profile, const struct mp_report_options *options)
{
    return !options->chosen && !options->print.form_1988 && !is_part(profile, options);
}

void
mp_report_as_screen(struct mp_report_options *options, const struct mp_profile *profile)
{
    if (options->print.form_1988)
        return;
    options->first_screen = true;
    if (!options->no_lines && !options->print.offsets)
        options->print.lines = true;
    if (!options->chosen && !options->no_overview && !mp_window_is_wanted(&options->view.window))
        options->tables |= MP_TABLE_OVERVIEW;
    if (is_whole(profile, options) && !options->no_findings)
        options->tables |= MP_TABLE_FINDINGS;
}

bool
mp_report_show(const struct mp_profile *profile, const struct mp_report_options *options,
               struct mp_error *error)
{
    struct mp_report_options local = *options;

    if (options->json)
        return mp_pager_show(write_request, &(struct request){profile, options}, false, error);
    local.print.width = mp_term_width();
    local.print.color = mp_term_color(options->color);
    if (local.print.width > 0 && options->view.short_names)
        local.print.ellipsis = mp_term_ellipsis();
    mp_report_as_screen(&local, profile);
    local.chart = local.print.width > 0 && is_whole(profile, options) && !options->no_overview;
    return mp_pager_show(write_request, &(struct request){profile, &local}, !options->no_pager, error);
}
