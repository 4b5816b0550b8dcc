/* SPDX-License-Identifier: MIT */
/* mprof findings: describes in sentences what deserves attention. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "option_table.h"
#include "reporter/file/data_file.h"
#include "reporter/heap/heap_held.h"
#include "reporter/process/heap_request.h"
#include "reporter/table/report.h"
#include "reporter/table/tables.h"
#include "reporter/verdict/lost.h"
#include "view_options.h"

struct input {
    struct mp_view_input view;
    bool all, json, rules, no_pager;
    const char *file;
};

static const struct mp_option options[] = {
    {"all", 0, NULL, "Print all findings, not only the first seven", MP_FLAG(struct input, all)},
    {MP_JSON("mprof-json(5)", struct input, json)},
    {"rules", 0, NULL, "Print the rules and their thresholds instead of findings", MP_FLAG(struct input, rules)},
    {MP_NO_PAGER(struct input, no_pager)},
    {0},
};

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
    char *snapshot;
    bool ok;

    report.held = mp_heap_held(file, profile, arena, &report.n_held);
    snapshot = mp_scan_newest(file, &profile->meta);
    if (snapshot)
        report.lost = mp_lost_chains(snapshot, file, profile, arena, &report.n_lost);
    free(snapshot);
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
    int status = mp_options_parse(&mp_cmd_findings, argc, argv, &input, error);
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
    "findings", "describe in sentences what deserves attention", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view), MP_WINDOW_GROUP(struct input, view)},
    .argument = {.value = "[FILE|PID]", MP_FILE(struct input, file)},
    .doc = "Describe in sentences what deserves attention in the recording FILE (" MP_DEFAULT_FILE "), each with the "
           "place in the program and the command that shows more.  The most expensive finding is first.",
};
