/*
 * mprof plot: what lived over time, as a picture, or as columns for gnuplot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "reporter/base/write_output.h"
#include "reporter/output/part.h"
#include "reporter/output/plot.h"
#include "reporter/profile/moment_names.h"
#include "reporter/run/data_file.h"
#include "view_options.h"

enum { OPT_DATA = 256, OPT_BY, OPT_FROM, OPT_TO };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the picture to FILE, not to standard output", 1},
    {"data", OPT_DATA, "FILE", OPTION_ARG_OPTIONAL,
     "Write columns for gnuplot to FILE, or to standard output", 1},
    {"by", OPT_BY, "WHAT", 0, "What is told apart: type, module, function, file or thread", 1},
    {"from", OPT_FROM, "WHEN", 0, "Begin there: 1.5s, 200ms, start, peak, or a checkpoint's NAME, NAME#2, #3", 1},
    {"to", OPT_TO, "WHEN", 0, "End there: the same, or end", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    const char *file, *output, *data_file, *from, *to;
    bool data, chosen;          /* --data, --by: given */
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
    case OPT_BY:
        return set_by(input, arg);
    case OPT_FROM:
        input->from = arg;
        return 0;
    case OPT_TO:
        input->to = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return mp_options_refuse("%s: one data file only", arg);
        input->file = arg;
        return 0;
    case ARGP_KEY_END:
        return input->output || input->data || !isatty(STDOUT_FILENO)
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
write_file(const char *path, const char *bytes, size_t size, struct mp_error *error)
{
    if (!path)
        return fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0;
    return mp_write_output(path, bytes, size) ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
}

/* Each file is made whole before it is there. */
static bool
write_plot(const struct input *input, const struct mp_plot *plot, bool data, struct mp_error *error)
{
    char *bytes, *part;
    size_t size, length;
    FILE *memory = mp_need(open_memstream(&bytes, &size)), *words;
    bool ok;

    if (data) {
        mp_plot_data(plot, memory);
    } else {
        words = mp_need(open_memstream(&part, &length));
        mp_part_print(input->view.view.focus, &input->view.filters, words);
        fclose(words);
        mp_plot_svg(plot, mp_need(part), memory);
        free(part);
    }
    if (fclose(memory) != 0)
        mp_no_memory();
    ok = write_file(data ? input->data_file : input->output, bytes, size, error);
    free(bytes);
    return ok;
}

static bool
plot_view(const struct input *input, const struct mp_profile *view, struct mp_error *error)
{
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
    ok = (!input->data || write_plot(input, plot, true, error)) &&
         ((input->data && !input->output) || write_plot(input, plot, false, error));
    mp_plot_free(plot);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&parser, "plot", argc, argv, 0, &input, error);
    struct mp_profile *profile, *view;

    if (status < 0) {
        profile = mp_view_input_load(&input.view, input.file, error);
        view = profile ? mp_view_input_view(&input.view, profile, NULL, error) : NULL;
        status = view && plot_view(&input, view, error) ? 0
                 : error->code == MP_ERR_USAGE          ? MP_EXIT_USAGE : MP_EXIT_ERROR;
        mp_profile_free(view);
        mp_profile_free(profile);
    }
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_plot = {
    "plot", "draw what lived over time", &parser, run};
