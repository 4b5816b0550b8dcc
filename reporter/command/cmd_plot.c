/*
 * mprof plot: what lived over time, as a picture, or as columns for gnuplot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "output_file.h"
#include "reporter/output/part.h"
#include "reporter/output/plot.h"
#include "reporter/profile/moment_names.h"
#include "reporter/run/data_file.h"
#include "view_options.h"

enum { OPT_DATA = 256, OPT_BY, OPT_FROM, OPT_TO, OPT_JSON };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the picture to FILE, not to standard output", 1},
    {"data", OPT_DATA, "FILE", OPTION_ARG_OPTIONAL,
     "Write columns for gnuplot to FILE, or to standard output", 1},
    {"json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "Write them for programs, as JSON, see mprof-json(5)", 1},
    {"by", OPT_BY, "WHAT", 0, "What is told apart: type, module, function, file or thread", 1},
    {"from", OPT_FROM, "WHEN", 0, "Begin there: 1.5s, 200ms, start, peak, or a checkpoint's NAME, NAME#2, #3", 1},
    {"to", OPT_TO, "WHEN", 0, "End there: the same, or end", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    const char *file, *output, *data_file, *json_file, *from, *to;
    bool data, json, chosen;    /* --data, --json, --by: given */
    enum mp_plot_by by;
};

static error_t
set_by(struct input *input, const char *name)
{
    input->chosen = true;
    for (unsigned i = 0; i < MP_PLOTS; i++) {
        if (strcmp(name, mp_plot_names[i]) == 0) {
            input->by = (enum mp_plot_by)i;
            return 0;
        }
    }
    return mp_options_refuse("--by=%s: type, module, function, file or thread", name);
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        return 0;
    case 'o':
        input->output = arg;
        return 0;
    case OPT_DATA:
        input->data = true;
        input->data_file = arg;
        return 0;
    case OPT_JSON:
        input->json = true;
        input->json_file = arg;
        return 0;
    case OPT_BY:
        return set_by(input, arg);
    case OPT_FROM:
        input->from = arg;
        return 0;
    case OPT_TO:
        input->to = arg;
        return 0;
    case ARGP_KEY_ARG:
        return mp_options_file(&input->file, arg, state);
    case ARGP_KEY_END:
        return input->output || input->data || input->json || !isatty(STDOUT_FILENO)
                   ? 0 : mp_options_refuse("the picture is no text for a terminal: -o FILE.svg");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_view_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "[FILE]", .children = children,
    .doc = "Draw what lived over time, as mprof run saw it in the recording in FILE (" MP_DEFAULT_FILE
           "), as an SVG for any browser, without script; or write it as columns for gnuplot.",
};

/* ---------------------------------------------------------------- the plot */

/* TEXT is a time, or names a moment of TIMELINE; a name goes before a time. */
static bool
find_time(const struct mp_timeline *timeline, const char *option, const char *text, uint64_t *time,
          struct mp_error *error)
{
    static const enum mp_moment_kind once[] = {MP_MOMENT_START, MP_MOMENT_PEAK, MP_MOMENT_END};
    uint32_t found = mp_moment_named(timeline, text);

    for (size_t i = 0; found == MP_NO_ID && i < sizeof once / sizeof *once; i++)
        if (strcmp(text, mp_moment_names[once[i]]) == 0)
            found = mp_timeline_find(timeline, once[i]);
    if (found != MP_NO_ID)
        *time = timeline->moments[found].time;
    return found != MP_NO_ID || mp_moment_time(text, time) ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                   "--%s=%s: neither a time, start, peak or end, nor a checkpoint of this recording",
                   option, text);
}

static bool
find_range(const struct input *input, const struct mp_timeline *timeline,
           struct mp_plot_options *range, struct mp_error *error)
{
    const uint64_t last = timeline->moments[timeline->n_moments - 1].time;

    range->from = 0;
    range->to = last;
    if ((input->from && !find_time(timeline, "from", input->from, &range->from, error)) ||
        (input->to && !find_time(timeline, "to", input->to, &range->to, error)))
        return false;
    if (range->to > last)
        range->to = last;
    return range->from < range->to ||
           mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "there is nothing between --from and --to");
}

/* Objects have types; of blocks, functions say more than their sizes. */
static enum mp_plot_by
usual_parts(const struct mp_profile *view)
{
    for (uint32_t i = 0; i < view->n_cells; i++)
        if (mp_is_lisp(&view->cells[i]))
            return MP_PLOT_TYPE;
    return MP_PLOT_FUNCTION;
}

static bool
write_data(const struct input *input, const struct mp_plot *plot, struct mp_error *error)
{
    struct mp_output_file output;

    mp_plot_data(plot, mp_output_begin(&output, input->data_file));
    return mp_output_end(&output, true, error);
}

static bool
write_json(const struct input *input, const struct mp_viewed *viewed, const struct mp_plot *plot,
           struct mp_error *error)
{
    const struct mp_json_subject subject = mp_viewed_subject(&input->view, viewed, "plot", input->file);
    struct mp_output_file output;
    FILE *out = mp_output_begin(&output, input->json_file);

    return mp_output_end(&output, mp_plot_json(plot, &subject, out, error), error);
}

static bool
write_picture(const struct input *input, const struct mp_plot *plot, struct mp_error *error)
{
    char *part = mp_part_text(input->view.view.focus, &input->view.filters);
    struct mp_output_file output;

    mp_plot_svg(plot, part, mp_output_begin(&output, input->output));
    free(part);
    return mp_output_end(&output, true, error);
}

static bool
plot_view(const struct input *input, const struct mp_viewed *viewed, struct mp_error *error)
{
    const struct mp_profile *view = viewed->view;
    const struct mp_view_options *wanted = &input->view.view;
    struct mp_plot_options range = {
        .by = input->chosen ? input->by : usual_parts(view),
        .part = input->view.filters.n > 0 || wanted->focus || wanted->lisp_only};
    struct mp_plot *plot;
    bool ok;

    if (!view->timeline)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                       "%s has no time line: mprof run observes programs that run for some hundredths "
                       "of a second, mprof watch others", input->file);
    if (!find_range(input, view->timeline, &range, error))
        return false;
    plot = mp_plot_new(view, &range);
    ok = (!input->data || write_data(input, plot, error)) &&
         (!input->json || write_json(input, viewed, plot, error)) &&
         (((input->data || input->json) && !input->output) || write_picture(input, plot, error));
    mp_plot_free(plot);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&parser, "plot", argc, argv, 0, &input, error);
    struct mp_viewed viewed;
    bool ok;

    if (status < 0) {
        ok = mp_view_input_open(&input.view, input.file, &viewed, error);
        if (ok) {
            ok = plot_view(&input, &viewed, error);
            mp_viewed_close(&viewed);
        }
        status = ok ? 0 : error->code == MP_ERR_USAGE ? MP_EXIT_USAGE : MP_EXIT_ERROR;
    }
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_plot = {
    "plot", "draw what lived over time", &parser, run};
