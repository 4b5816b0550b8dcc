/* SPDX-License-Identifier: MIT */
/*
 * mprof annotate: shows source lines with their allocations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "option_table.h"
#include "reporter/base/term.h"
#include "reporter/file/data_file.h"
#include "reporter/symbols/symbol_package.h"
#include "reporter/table/annotate_table.h"
#include "reporter/table/said_part.h"
#include "reporter/table/table.h"
#include "view_options.h"

struct input {
    struct mp_view_input view;
    struct mp_annotate_options annotate;
    struct mp_source_input source;
    char *name;                 /* function or source file to show, without the line; NULL for the function that
                                   allocates the most */
    const char *file;
    enum mp_color_when color;
    bool no_pager, json;
};

/* Parses FUNCTION or FILE:LINE. A function's name may contain colons, but no number after the last one. */
static void
set_name(struct input *input, const char *text)
{
    char *colon;
    unsigned long line;

    input->name = mp_need(strdup(text));
    colon = strrchr(input->name, ':');
    if (colon && mp_options_number(colon + 1, 1, 1000000000, &line)) {
        *colon = '\0';
        input->annotate.around = (uint32_t)line;
    }
}

static bool
parse_argument(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;
    unsigned long pid;

    (void)option;
    if (input->file)
        return mp_options_refuse("'%s': one file too many", text);
    if (input->name || mp_data_file_is(text) || mp_options_number(text, 1, UINT32_MAX, &pid))
        input->file = text;
    else if (!*text)
        return mp_options_refuse("'': not the name of a function or source file");
    else
        set_name(input, text);
    return true;
}

static bool
check(void *to)
{
    struct input *input = to;

    if (!input->file)
        input->file = MP_DEFAULT_FILE;
    return true;
}

static const struct mp_option options[] = {
    {"all", 0, NULL, "Show all lines of the files, not only those near lines that allocate",
     MP_FLAG(struct input, annotate.all)},
    {MP_JSON("mprof-json(5)", struct input, json)},
    {MP_COLOR(struct input, color)},
    {MP_NO_PAGER(struct input, no_pager)},
    {MP_SOURCE(struct input, source, "Also show source files")},
    {0},
};

/* ---------------------------------------------------------------- printing */

/* Prints which part of the recording the figures describe, unless they describe all of it. */
static void
print_part(const struct input *input, const struct mp_viewed *viewed)
{
    const struct mp_said_part part = {
        .profile = viewed->profile, .view = viewed->view, .focus = input->view.view.focus,
        .filters = input->view.filters.n > 0 ? &input->view.filters : NULL,
        .lisp = input->view.view.lisp_only};
    const bool some = part.focus || part.filters;

    if (some) {
        fputs("Only what was allocated ", stdout);
        mp_part_print(part.focus, part.filters, stdout);
        fputs(".\n", stdout);
    }
    mp_said_window_print(&part, stdout);
    if (some || viewed->view->window)
        fputc('\n', stdout);
}

/* Arguments of print(). */
struct request {
    const struct input *input;
    struct mp_annotate_options options;
    const struct mp_viewed *viewed;
    const struct mp_annotated *annotated;
    struct mp_print_options how;
};

static bool
print(const void *data, struct mp_error *error)
{
    const struct request *request = data;
    const struct mp_annotated *annotated = request->annotated;
    bool ok = true;

    print_part(request->input, request->viewed);
    for (uint32_t i = 0; i < annotated->n_sections && ok; i++) {
        struct mp_table *table = mp_annotate_table(annotated, i, &request->options);

        if (i > 0)
            fputc('\n', stdout);
        ok = mp_table_print(table, &request->how, stdout, error);
        mp_table_free(table);
    }
    return ok;
}

static bool
page(const struct input *input, const struct mp_viewed *viewed, const struct mp_annotated *annotated,
     struct mp_error *error)
{
    struct request request = {input, input->annotate, viewed, annotated, MP_PRINT_DEFAULT};

    request.how.width = mp_term_width();
    request.how.color = mp_term_color(input->color);
    if (request.how.width > 0)
        request.how.ellipsis = mp_term_ellipsis();
    request.options.flush = request.how.width > 0;
    return mp_pager_show(print, &request, !input->no_pager, error);
}

static bool
write_json(const struct input *input, const struct mp_viewed *viewed,
           const struct mp_annotated *annotated, struct mp_error *error)
{
    const struct mp_json_subject subject =
        mp_viewed_subject(&input->view, viewed, "annotate", input->file);

    return mp_annotate_json(annotated, &input->annotate, &subject, stdout, error);
}

static bool
show(const struct input *input, struct mp_error *error)
{
    struct mp_annotated *annotated = NULL;
    struct mp_viewed viewed;
    const char *name = input->name, *lineless;
    bool ok;

    if (!mp_view_input_open(&input->view, input->file, &viewed, error))
        return false;
    if (!name && (lineless = mp_symbol_lines(viewed.profile)))
        mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s", lineless);
    else if (!name)
        name = mp_annotate_hottest(viewed.view, error);
    if (name)
        annotated = mp_annotate(viewed.profile, viewed.view, name, &input->source.paths, input->view.view.all_frames,
                                error);
    ok = annotated && (input->json ? write_json(input, &viewed, annotated, error)
                                   : page(input, &viewed, annotated, error));
    mp_annotated_free(annotated);
    mp_viewed_close(&viewed);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT};
    int status = mp_options_parse(&mp_cmd_annotate, argc, argv, &input, error);

    input.view.view.places = true;
    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    mp_view_input_free(&input.view);
    mp_source_input_free(&input.source);
    free(input.name);
    return status;
}

const struct mp_command mp_cmd_annotate = {
    "annotate", "show source lines with what they allocated", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view), MP_WINDOW_GROUP(struct input, view)},
    .argument = {.value = "[FUNCTION|SOURCE[:LINE]] [FILE|PID]", .parse = parse_argument}, .check = check,
    .doc = "Show the lines of a function or source file with what they allocated, as recorded in FILE "
           "(" MP_DEFAULT_FILE ").  Without a name, show the function that allocates the most bytes.  A "
           "Lisp function is shown by the form that defines it.",
};
