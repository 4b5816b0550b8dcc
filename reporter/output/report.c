#include "report.h"

#include "head.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/reduce.h"
#include "reporter/profile/focus.h"

/* ------------------------------------------------------------------ tables */

static bool
write_table(const struct mp_output *output, const struct mp_table_source *source, FILE *out,
            struct mp_error *error)
{
    struct mp_table *table = output->compute(source);
    bool ok = output->print(table, source->options, out, error);

    mp_table_free(table);
    return ok;
}

static bool
write_tables(const struct mp_table_source *source, unsigned which, bool first, FILE *out,
             struct mp_error *error)
{
    for (size_t i = 0; i < mp_n_outputs; i++) {
        if (!(which & mp_outputs[i].table))
            continue;
        if (!first)
            fputc('\n', out);
        first = false;
        if (!write_table(&mp_outputs[i], source, out, error))
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
write_shown(const struct mp_shown *shown, const struct mp_report_options *options, FILE *out,
            struct mp_error *error)
{
    const struct mp_profile *profile = shown->profile;
    struct mp_arena *arena = mp_arena_new();
    const struct mp_graph_options graph_options = {
        .keep_startup = options->all_frames, .style = mp_breakdown_of(profile, arena)};
    unsigned which = useful_tables(profile, options);
    enum mp_needs needs = needs_of(which);
    struct mp_graph *graph =
        needs >= MP_NEEDS_GRAPH ? mp_graph_build(profile, &graph_options) : NULL;
    struct mp_reduced *reduced = needs >= MP_NEEDS_REDUCED ? mp_reduce(profile, graph) : NULL;
    const struct mp_table_source source = {
        .profile = profile, .graph = graph, .reduced = reduced, .options = &options->print,
        .lisp = options->lisp, .all_frames = options->all_frames,
        .raw = shown->frames != MP_FRAMES_LISP,     /* functions of the runtime were asked for */
    };
    bool ok = write_tables(&source, which, options->no_head || options->focus, out, error);

    mp_reduced_free(reduced);
    mp_graph_free(graph);
    mp_arena_free(arena);
    return ok;
}

static enum mp_frames
frames_of(const struct mp_view_options *options)
{
    if (options->frames != MP_FRAMES_DEFAULT)
        return options->frames;
    return options->lisp_only ? MP_FRAMES_LISP : MP_FRAMES_ALL;
}

struct mp_profile *
mp_report_view(const struct mp_profile *profile, struct mp_view_options options)
{
    options.frames = frames_of(&options);
    return mp_view(profile, &options);
}

bool
mp_report_shown(const struct mp_profile *profile, struct mp_view_options options,
                const char *focus, struct mp_shown *shown, struct mp_error *error)
{
    *shown = (struct mp_shown){.profile = profile, .frames = frames_of(&options)};
    shown->view = mp_report_view(profile, options);
    if (shown->view)
        shown->profile = shown->view;
    if (!focus)
        return true;
    shown->focus = mp_focus(shown->profile, focus, error);
    shown->profile = shown->focus;
    return shown->focus != NULL;
}

void
mp_shown_free(struct mp_shown *shown)
{
    mp_profile_free(shown->focus);
    mp_profile_free(shown->view);
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
print_focus(const struct mp_shown *shown, const struct mp_profile *whole,
            const struct mp_report_options *options, FILE *out)
{
    char number[2][MP_NUMBER_SIZE], percent[MP_NUMBER_SIZE];
    struct mp_totals part, all;

    mp_profile_totals(shown->focus, &part);
    mp_profile_totals(whole, &all);
    fprintf(out, "%sOnly what was allocated through %s: %s of %s bytes (%s %%)\n\n",
            options->no_head ? "" : "\n", options->focus,
            mp_number_grouped(part.all.bytes, number[0]),
            mp_number_grouped(all.all.bytes, number[1]),
            mp_number_tenths(part.all.bytes, all.all.bytes, percent));
}

bool
mp_report_write(const struct mp_profile *profile, const struct mp_report_options *options,
                FILE *out, struct mp_error *error)
{
    const struct mp_view_options wanted = {options->frames, options->lisp, options->all_frames,
                                           options->print.lines};
    struct mp_shown shown;
    bool ok = mp_report_shown(profile, wanted, options->focus, &shown, error);

    if (ok && !options->no_head)
        print_head(profile, shown.view, options, out);
    if (ok && options->focus)
        print_focus(&shown, shown.view ? shown.view : profile, options, out);
    ok = ok && write_shown(&shown, options, out, error);
    mp_shown_free(&shown);
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
