/* SPDX-License-Identifier: MIT */
/*
 * mprof export: writes a profile in the formats of other tools.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "output_file.h"
#include "reporter/base/progress.h"
#include "reporter/export/export.h"
#include "reporter/file/data_file.h"
#include "reporter/view/sort.h"
#include "view_options.h"

struct input {
    struct mp_view_input view;
    const struct mp_export_format *format;      /* NULL if not given */
    enum mp_sort cost;
    bool has_cost, list, no_arguments, no_header;
    const char *file, *output, *null;
    struct mp_label labels[MP_LABELS_MOST];
    uint32_t n_labels;
    unsigned schema;            /* 1 plus the number of the engine; 0 if not given */
};

static const char *
format_word(unsigned i)
{
    return i < mp_n_export_formats ? mp_export_formats[i].name : NULL;
}

static bool
parse_format(const struct mp_option *option, char *text, void *to)
{
    const struct mp_export_format **format = to;

    (void)option;
    *format = mp_export_named(text);
    return *format || mp_options_wrong("unknown format; mprof export --formats lists all");
}

static bool
parse_label(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    return mp_options_label(text, "KEY", input->labels, &input->n_labels);
}

static bool
check(void *to)
{
    const struct input *input = to;
    const struct mp_export_format *format = input->format;

    if (input->list)
        return true;
    if (!format)
        return mp_options_refuse("no format is given by -F; mprof export --formats lists all");
    if (input->has_cost && !format->one_figure)
        return mp_options_refuse("--cost=%s: the format %s has all figures", mp_sorts[input->cost].key, format->name);
    if (input->n_labels > 0 && !format->labels)
        return mp_options_refuse("--label: the format %s has no labels", format->name);
    if (input->schema && format->flat == MP_FLAT_NONE)
        return mp_options_refuse("--schema: only the formats csv and ndjson have it");
    if ((input->null || input->no_header) && format->flat != MP_FLAT_CSV)
        return mp_options_refuse("%s: only the format csv has it", input->null ? "--null" : "--no-header");
    if (format->append && mp_output_is_standard(input->output))
        return mp_options_refuse("%s is appended to a file; use -o FILE", format->name);
    return !format->binary || !mp_output_is_standard(input->output) || !isatty(STDOUT_FILENO) ||
           mp_options_refuse("%s is binary and cannot be printed on a terminal; use -o FILE", format->name);
}

static const struct mp_option options[] = {
    {"format", 'F', "FORMAT", "Write in FORMAT, one of those that --formats lists",
     MP_STORED(parse_format, const struct mp_export_format *, struct input, format), .word = format_word},
    {MP_OUTPUT(struct input, output)},
    {"cost", 0, "KEY",
     "In formats with a single figure, write bytes (the default), allocs, kept, peak or temporary",
     MP_COST(struct input, cost), .also = MP_FIELD(bool, struct input, has_cost)},
    {"label", 0, "KEY=VALUE",
     "Store a fact about the run, such as build=1234, in sqlite, csv and ndjson; may be given several times",
     parse_label, .many = true},
    {"null", 0, "TEXT", "In csv, write TEXT, such as \\N, for unknown values (the default is nothing)",
     MP_TEXT(struct input, null)},
    {"no-header", 0, NULL, "In csv, leave out the line with the names of columns", MP_FLAG(struct input, no_header)},
    {"schema", 0, "ENGINE", "Write the statements that create a table for csv or ndjson in this database engine:",
     MP_STORED(mp_parse_word, unsigned, struct input, schema), .word = mp_export_engine, .low = 1},
    {"no-arguments", 0, NULL, "Leave out the arguments of the program", MP_FLAG(struct input, no_arguments)},
    {"formats", 0, NULL, "List the formats and the tools that read them", MP_FLAG(struct input, list)},
    {0},
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
        fprintf(stderr, "mprof: %s: contains this run already; nothing was appended\n", export->output);
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
write_schema(const struct input *input, struct mp_error *error)
{
    struct mp_output_file output;
    FILE *out = mp_output_begin(&output, input->output, (const char *const[]){NULL}, error);

    if (!out)
        return false;
    mp_export_schema(input->format->flat, input->schema - 1, out);
    return mp_output_end(&output, true, error);
}

static bool
write_export(struct input *input, struct mp_error *error)
{
    struct mp_viewed viewed;
    struct mp_export export = {
        .output = mp_output_is_standard(input->output) ? NULL : input->output, .file = input->file,
        .by_process = input->view.view.processes.group, .all_frames = input->view.view.all_frames, .cost = input->cost,
        .focus = input->view.view.focus, .lisp = input->view.view.lisp_only,
        .filters = input->view.filters.n > 0 ? &input->view.filters : NULL,
        .labels = input->labels, .n_labels = input->n_labels, .null = input->null, .no_header = input->no_header};
    bool ok;

    input->view.view.processes.group |= input->format->by_process;
    input->view.view.short_names &= !input->format->whole;
    input->view.view.skip.wrappers &= !input->format->whole;
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
    int status = mp_options_parse(&mp_cmd_export, argc, argv, &input, error);

    if (status < 0 && input.list) {
        list_formats();
        status = 0;
    } else if (status < 0) {
        status = mp_exit_status(input.schema ? write_schema(&input, error) : write_export(&input, error), error);
    }
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_export = {
    "export", "write a profile in the format of another tool", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view), MP_WINDOW_GROUP(struct input, view)},
    .argument = {.value = "[FILE|PID]", MP_FILE(struct input, file)}, .check = check,
    .doc = "Write the recording in FILE (" MP_DEFAULT_FILE ") in the format of another tool, with the same figures as "
           "the report.",
};
