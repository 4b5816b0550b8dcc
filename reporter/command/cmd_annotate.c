/*
 * mprof annotate: lines of source with what was allocated there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "reporter/base/term.h"
#include "reporter/output/annotate_table.h"
#include "reporter/output/part.h"
#include "reporter/output/print_table.h"
#include "reporter/run/data_file.h"
#include "view_options.h"

enum { OPT_ALL = 256, OPT_SOURCE_PATH, OPT_COLOR, OPT_NO_PAGER };

static const struct argp_option options[] = {
    {"all", OPT_ALL, NULL, 0, "Show all lines, not only those around lines that allocate", 1},
    {"source-path", OPT_SOURCE_PATH, "DIR", 0,
     "Look for sources in DIR first, under the last parts of their paths", 1},
    {"color", OPT_COLOR, "WHEN", 0, "auto, always or never", 1},
    {"no-pager", OPT_NO_PAGER, NULL, 0, "Do not start a pager", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    struct mp_annotate_options annotate;
    struct mp_source_paths paths;
    const char **folders;       /* what paths refers to */
    char *name;                 /* what is to be shown, without the line */
    const char *file;
    enum mp_color_when color;
    bool no_pager;
};

static error_t
add_folder(struct input *input, const char *folder)
{
    if (!*folder)
        return mp_options_refuse("--source-path=: no directory");
    input->folders =
        mp_need(reallocarray(input->folders, input->paths.n + 1, sizeof *input->folders));
    input->folders[input->paths.n++] = folder;
    input->paths.folders = input->folders;
    return 0;
}

/* FILE:LINE; a name of a function may have colons, but no number behind the last. */
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

static error_t
add_argument(struct input *input, unsigned number, const char *text)
{
    if (number > 1)
        return mp_options_refuse("'%s': one data file only", text);
    if (number == 1)
        input->file = text;
    else if (!*text)
        return mp_options_refuse("'': a function or a source file is wanted");
    else
        set_name(input, text);
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        return 0;
    case OPT_ALL:
        input->annotate.all = true;
        return 0;
    case OPT_SOURCE_PATH:
        return add_folder(input, arg);
    case OPT_COLOR:
        return mp_term_color_named(arg, &input->color)
                   ? 0 : mp_options_refuse("--color=%s: auto, always or never", arg);
    case OPT_NO_PAGER:
        input->no_pager = true;
        return 0;
    case ARGP_KEY_ARG:
        return add_argument(input, state->arg_num, arg);
    case ARGP_KEY_NO_ARGS:
        return mp_options_refuse("a function or a source file is wanted");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_view_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "FUNCTION|SOURCE[:LINE] [FILE]",
    .children = children,
    .doc = "Show the lines of a function, or of a source file, with what they allocated, from what is "
           "recorded in FILE (" MP_DEFAULT_FILE ").  Of a Lisp function, the form that defines it.",
};

/* ---------------------------------------------------------------- printing */

static bool
print(const struct input *input, const struct mp_annotated *annotated,
      const struct mp_print_options *how, struct mp_error *error)
{
    bool part = input->view.view.focus || input->view.filters.n > 0, ok = true;

    if (part) {
        fputs("Only what was allocated ", stdout);
        mp_part_print(input->view.view.focus, &input->view.filters, stdout);
        fputs(".\n\n", stdout);
    }
    for (uint32_t i = 0; i < annotated->n_sections && ok; i++) {
        struct mp_table *table = mp_annotate_table(annotated, i, &input->annotate);

        if (i > 0)
            fputc('\n', stdout);
        ok = mp_table_print(table, how, stdout, error);
        mp_table_free(table);
    }
    if (ok || !mp_term_reader_gone())
        return ok;
    error->code = MP_ERR_NONE;
    return true;
}

static bool
page(const struct input *input, const struct mp_annotated *annotated, struct mp_error *error)
{
    struct mp_print_options how = MP_PRINT_DEFAULT;
    struct mp_pager pager = {0};
    struct mp_error late;
    bool ok;

    how.width = mp_term_width();
    how.color = mp_term_color(input->color);
    if (how.width > 0)
        how.ellipsis = mp_term_ellipsis();
    if (!input->no_pager)
        mp_pager_start(&pager);
    ok = print(input, annotated, &how, error);
    if (!mp_pager_finish(&pager, &late)) {
        if (ok)
            *error = late;
        return false;
    }
    return pager.failed ? ok && print(input, annotated, &how, error) : ok;
}

static bool
show(const struct input *input, struct mp_error *error)
{
    struct mp_profile *profile = mp_view_input_load(&input->view, input->file, error);
    struct mp_profile *view =
        profile ? mp_view_input_view(&input->view, profile, NULL, error) : NULL;
    struct mp_annotated *annotated =
        view ? mp_annotate(profile, view, input->name, &input->paths, input->view.view.all_frames,
                           error) : NULL;
    bool ok = annotated && page(input, annotated, error);

    mp_annotated_free(annotated);
    mp_profile_free(view);
    mp_profile_free(profile);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT, .file = MP_DEFAULT_FILE};
    int status = mp_options_parse(&parser, "annotate", argc, argv, 0, &input, error);

    input.view.view.places = true;
    if (status < 0)
        status = show(&input, error) ? 0 : MP_EXIT_ERROR;
    mp_view_input_free(&input.view);
    free(input.folders);
    free(input.name);
    return status;
}

const struct mp_command mp_cmd_annotate = {
    "annotate", "show source lines with what they allocated", &parser, run};
