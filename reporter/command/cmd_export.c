/*
 * mprof export: writes a profile in the formats of other tools.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "output_file.h"
#include "reporter/base/progress.h"
#include "reporter/export/export.h"
#include "reporter/profile/sort.h"
#include "reporter/run/data_file.h"
#include "view_options.h"
#include "window_options.h"

enum { OPT_COST = 512, OPT_FORMATS, OPT_LABEL, OPT_NO_ARGUMENTS };

static const struct argp_option options[] = {
    {"format", 'F', "FORMAT", 0, "One of the formats that --formats lists", 1},
    {"output", 'o', "FILE", 0, "Write to FILE, not to standard output", 1},
    {"cost", OPT_COST, "KEY", 0,
     "What is counted, in formats of one figure: bytes (the default), allocs, kept, peak or temporary", 1},
    {"label", OPT_LABEL, "KEY=VALUE", MP_OPTION_MANY,
     "What is not recorded, as build=1234: in a database, with the run.  May be given several times", 1},
    {"no-arguments", OPT_NO_ARGUMENTS, NULL, 0, "Leave out the arguments of the program", 1},
    {"formats", OPT_FORMATS, NULL, 0, "List the formats, and who reads them", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    const struct mp_export_format *format;
    enum mp_sort cost;
    const char *cost_said;      /* argument of --cost; NULL if not given */
    bool list, no_arguments;
    const char *file, *output;
    struct mp_label labels[MP_LABELS_MOST];
    uint32_t n_labels;
};

static error_t
set_format(struct input *input, const char *name)
{
    input->format = mp_export_named(name);
    return input->format ? 0 : mp_options_refuse("--format=%s: mprof export --formats lists those there are",
                                                 name);
}

static error_t
set_cost(struct input *input, const char *key)
{
    input->cost_said = key;
    return mp_options_cost(key, &input->cost);
}

static bool
is_standard_output(const char *name)
{
    return !name || strcmp(name, "-") == 0;
}

static error_t
check(const struct input *input)
{
    if (input->list)
        return 0;
    if (!input->format)
        return mp_options_refuse("which format? mprof export --formats lists those there are: -F FORMAT");
    if (input->cost_said && !input->format->one_figure)
        return mp_options_refuse("--cost=%s: %s has all figures", input->cost_said, input->format->name);
    if (input->n_labels > 0 && !input->format->labels)
        return mp_options_refuse("--label: %s has no place for labels", input->format->name);
    if (input->format->append && is_standard_output(input->output))
        return mp_options_refuse("%s is appended to a file: -o FILE", input->format->name);
    if (input->format->binary && is_standard_output(input->output) && isatty(STDOUT_FILENO))
        return mp_options_refuse("%s is no text for a terminal: -o FILE", input->format->name);
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        state->child_inputs[1] = &input->view.view.window;
        return 0;
    case 'F':
        return set_format(input, arg);
    case 'o':
        input->output = arg;
        return 0;
    case OPT_COST:
        return set_cost(input, arg);
    case OPT_LABEL:
        return mp_options_label(arg, "KEY", input->labels, &input->n_labels);
    case OPT_NO_ARGUMENTS:
        input->no_arguments = true;
        return 0;
    case OPT_FORMATS:
        input->list = true;
        return 0;
    case ARGP_KEY_ARG:
        return mp_options_file(&input->file, arg, state);
    case ARGP_KEY_END:
        return check(input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&mp_view_argp, 0, NULL, 0}, {&mp_window_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "[FILE|PID]", .children = children,
    .doc = "Write what is recorded in FILE (" MP_DEFAULT_FILE ") in a format of other tools, with the "
           "figures of the report.  --formats lists the formats.",
};

static void
list_formats(void)
{
    for (size_t i = 0; i < mp_n_export_formats; i++)
        printf("%-12s %s\n", mp_export_formats[i].name, mp_export_formats[i].summary);
}

/* ---------------------------------------------------------------- writing */

static bool
append_export(const struct mp_export_format *format, const struct mp_export *export,
              struct mp_error *error)
{
    bool added;

    if (!format->append(export, &added, error))
        return false;
    if (!added && !mp_quiet())
        fprintf(stderr, "mprof: %s: has this run already; nothing was appended\n", export->output);
    return true;
}

static bool
write_whole(const struct input *input, const struct mp_export *export, struct mp_error *error)
{
    struct mp_output_file output;
    FILE *out = mp_output_begin(&output, input->output, (const char *const[]){input->file, NULL}, error);

    return out && mp_output_end(&output, input->format->write(export, out, error), error);
}

static bool
write_export(struct input *input, struct mp_error *error)
{
    struct mp_viewed viewed;
    struct mp_export export = {
        .output = is_standard_output(input->output) ? NULL : input->output, .file = input->file,
        .by_process = input->view.view.processes.group, .all_frames = input->view.view.all_frames, .cost = input->cost,
        .focus = input->view.view.focus, .lisp = input->view.view.lisp_only,
        .filters = input->view.filters.n > 0 ? &input->view.filters : NULL,
        .labels = input->labels, .n_labels = input->n_labels};
    bool ok;

    input->view.view.processes.group |= input->format->by_process;
    if (!mp_view_input_open(&input->view, input->file, &viewed, error))
        return false;
    if (input->no_arguments) {
        mp_profile_forget_arguments(viewed.profile);
        mp_profile_forget_arguments(viewed.view);
    }
    export.profile = viewed.profile;
    export.view = viewed.view;
    ok = !input->format->one_figure || (mp_sort_check(export.profile, input->cost, error) &&
                                        mp_sort_check_part(export.view, input->cost, error));
    if (ok)
        ok = input->format->append ? append_export(input->format, &export, error)
                                   : write_whole(input, &export, error);
    mp_viewed_close(&viewed);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&parser, "export", argc, argv, 0, &input, error);

    if (status < 0 && input.list) {
        list_formats();
        status = 0;
    } else if (status < 0) {
        status = mp_exit_status(write_export(&input, error), error);
    }
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_export = {
    "export", "write a profile in the format of another tool", &parser, run};
