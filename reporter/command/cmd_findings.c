/* mprof findings: describes in sentences what is worth a look. */
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "reporter/heap/heap_held.h"
#include "reporter/output/tables.h"
#include "reporter/output/report.h"
#include "reporter/run/data_file.h"
#include "view_options.h"
#include "window_options.h"

enum { OPT_ALL = 256, OPT_JSON, OPT_RULES, OPT_NO_PAGER };

static const struct argp_option options[] = {
    {"all", OPT_ALL, NULL, 0, "More than the first seven", 1},
    {"json", OPT_JSON, NULL, 0, "For programs, see mprof-json(5)", 1},
    {"rules", OPT_RULES, NULL, 0, "Print the rules instead, with the figures at which they speak", 1},
    {"no-pager", OPT_NO_PAGER, NULL, 0, "Do not start a pager", 1},
    {0},
};

struct input {
    struct mp_view_input view;
    bool all, json, rules, no_pager;
    const char *file;
};

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        state->child_inputs[1] = &input->view.view.window;
        return 0;
    case OPT_ALL:
        input->all = true;
        return 0;
    case OPT_JSON:
        input->json = true;
        return 0;
    case OPT_RULES:
        input->rules = true;
        return 0;
    case OPT_NO_PAGER:
        input->no_pager = true;
        return 0;
    case ARGP_KEY_ARG:
        return mp_options_file(&input->file, arg, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&mp_view_argp, 0, NULL, 0}, {&mp_window_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    options, parse, "[FILE|PID]",
    "Say in sentences what is worth a look in what is recorded in FILE (" MP_DEFAULT_FILE
    "), with the place and the command that shows more; most expensive first.",
    children, NULL, NULL};

/* Prints the findings as a table of the report, which handles terminals. */
static bool
show(const struct input *input, const struct mp_profile *profile, struct mp_error *error)
{
    struct mp_report_options report = {
        .print = MP_PRINT_DEFAULT, .tables = MP_TABLE_FINDINGS, .chosen = true, .no_head = true,
        .all_findings = input->all, .file = input->file, .no_pager = input->no_pager,
        .view = input->view.view, .filters = &input->view.filters};
    const char *file = input->file ? input->file : MP_DEFAULT_FILE;
    struct mp_arena *arena = mp_arena_new();
    bool ok;

    report.held = mp_heap_held(file, profile, arena, &report.n_held);
    if (input->json)
        mp_report_as_json(&report, "findings", file);
    ok = mp_report_show(profile, &report, error);
    mp_arena_free(arena);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.view = MP_VIEW_INPUT_DEFAULT};
    int status = mp_options_parse(&parser, "findings", argc, argv, 0, &input, error);
    struct mp_profile *profile;
    bool ok;

    if (status < 0 && input.rules) {
        mp_findings_rules(stdout);
        status = 0;
    } else if (status < 0) {
        profile = mp_view_input_load(&input.view, input.file ? input.file : MP_DEFAULT_FILE, error);
        ok = profile && show(&input, profile, error);
        status = mp_exit_status(ok, error);
        mp_profile_free(profile);
    }
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_findings = {
    "findings", "say what is worth a look, in sentences", &parser, run};
