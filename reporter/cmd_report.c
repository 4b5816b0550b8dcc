/* mprof report, and the same in its form of 1988. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "data_file.h"
#include "report.h"

enum {
    OPT_NORMAL = 256, OPT_TERSE, OPT_LEAKTABLE, OPT_NOLEAKTABLE, OPT_OFFSETS, OPT_LINES, OPT_CHAIN,
    OPT_TABLE, OPT_COLOR, OPT_NO_PAGER, OPT_EXECUTABLE, OPT_ALL_FRAMES
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How much is shown:", 1},
    {"verbose", 'v', NULL, 0, "Every bin, leak and function", 1},
    {"normal", OPT_NORMAL, NULL, 0, "What holds 0.5 % or more (the default)", 1},
    {"terse", OPT_TERSE, NULL, 0, "What holds 1 % or more", 1},
    {"table", OPT_TABLE, "LIST", 0, "Only these tables: bins,leaks,direct,graph", 1},
    {"leaktable", OPT_LEAKTABLE, NULL, 0, "With the table of leaks (the default)", 1},
    {"noleaktable", OPT_NOLEAKTABLE, NULL, 0, "Without it", 1},
    {NULL, 0, NULL, 0, "Call chains of the leaks:", 2},
    {"chain", OPT_CHAIN, "N|all", 0, "Show the last N callers (5)", 2},
    {"offsets", OPT_OFFSETS, NULL, 0, "Tell call sites in a function apart: name+n", 2},
    {"lines", OPT_LINES, NULL, 0, "Show source lines: name (file.c:12)", 2},
    {"all-frames", OPT_ALL_FRAMES, NULL, 0, "Show what starts main and threads, too", 2},
    {NULL, 0, NULL, 0, "Input and output:", 3},
    {"executable", OPT_EXECUTABLE, "FILE", 0, "Take the program's symbols from FILE", 3},
    {"color", OPT_COLOR, "WHEN", 0, "auto, always or never", 3},
    {"no-pager", OPT_NO_PAGER, NULL, 0, "Do not start a pager", 3},
    {0},
};

struct input {
    struct mp_report_options report;
    const char *executable;
    const char *files[2];
    int n_files, max_files;
};

static error_t
set_tables(struct input *input, const char *list)
{
    char *copy = strdup(list), *save, *name;
    unsigned tables = 0, table = 1;

    if (!copy)
        return ENOMEM;
    for (name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        table = mp_report_table(name);
        if (table == 0)
            break;
        tables |= table;
    }
    free(copy);
    if (table == 0 || tables == 0)
        return mp_command_refuse("--table=%s: the tables are bins, leaks, direct, graph", list);
    input->report.tables = tables;
    return 0;
}

static error_t
set_chain(struct input *input, const char *text)
{
    unsigned long n = 0;

    if (strcmp(text, "all") != 0 && !mp_command_number(text, 1, 1000000, &n))
        return mp_command_refuse("--chain=%s: not a number of callers, nor 'all'", text);
    input->report.print.chain = (unsigned)n;
    return 0;
}

static error_t
set_color(struct input *input, const char *when)
{
    if (strcmp(when, "always") == 0)
        input->report.color = MP_COLOR_ALWAYS;
    else if (strcmp(when, "never") == 0)
        input->report.color = MP_COLOR_NEVER;
    else if (strcmp(when, "auto") == 0)
        input->report.color = MP_COLOR_AUTO;
    else
        return mp_command_refuse("--color=%s: auto, always or never", when);
    return 0;
}

static error_t
add_file(struct input *input, const char *file)
{
    if (input->n_files == input->max_files)
        return mp_command_refuse("'%s': one file too many", file);
    input->files[input->n_files++] = file;
    return 0;
}

static error_t
parse_value(int key, char *arg, struct input *input)
{
    switch (key) {
    case OPT_TABLE:
        return set_tables(input, arg);
    case OPT_CHAIN:
        return set_chain(input, arg);
    case OPT_COLOR:
        return set_color(input, arg);
    case OPT_EXECUTABLE:
        input->executable = arg;
        return 0;
    case ARGP_KEY_ARG:
        return add_file(input, arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;
    struct mp_report_options *report = &input->report;

    switch (key) {
    case 'v':
        report->print.verbosity = MP_VERBOSE;
        return 0;
    case OPT_NORMAL:
        report->print.verbosity = MP_NORMAL;
        return 0;
    case OPT_TERSE:
        report->print.verbosity = MP_TERSE;
        return 0;
    case OPT_OFFSETS:
        report->print.offsets = true;
        report->tables |= MP_TABLE_LEAKS;
        return 0;
    case OPT_LEAKTABLE:
        report->tables |= MP_TABLE_LEAKS;
        return 0;
    case OPT_NOLEAKTABLE:
        report->tables &= ~(unsigned)MP_TABLE_LEAKS;
        return 0;
    case OPT_LINES:
        report->print.lines = true;
        return 0;
    case OPT_ALL_FRAMES:
        report->all_frames = true;
        return 0;
    case OPT_NO_PAGER:
        report->no_pager = true;
        return 0;
    default:
        return parse_value(key, arg, input);
    }
}

static const struct argp parser = {
    options, parse, "[FILE]",
    "Show what is recorded in FILE (" MP_DEFAULT_FILE "): where the program's memory comes from."
    "\vThe options -verbose -normal -terse -leaktable -noleaktable -offsets of 1988 may be "
    "written with one dash.",
    NULL, NULL, NULL};

/* -verbose is --verbose: the long options of 1988 had one dash. */
static void
double_dashes(int argc, char **argv)
{
    static char *const words[] = {"--verbose",   "--normal",      "--terse",
                                  "--leaktable", "--noleaktable", "--offsets"};

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (size_t j = 0; j < sizeof words / sizeof *words; j++)
            if (strcmp(argv[i], words[j] + 1) == 0)
                argv[i] = words[j];
}

static int
report(const struct input *input, const char *path, struct mp_error *error)
{
    struct mp_profile *profile;
    bool ok;

    if (input->executable && access(input->executable, R_OK) != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", input->executable, strerror(errno));
        return MP_EXIT_ERROR;
    }
    profile = mp_report_load(path, input->executable, error);
    if (!profile)
        return MP_EXIT_ERROR;
    ok = mp_report_show(profile, &input->report, error);
    mp_profile_free(profile);
    return ok ? 0 : MP_EXIT_ERROR;
}

static int
parse_all(int argc, char **argv, struct input *input, struct mp_error *error)
{
    double_dashes(argc, argv);
    return mp_command_parse(&parser, "report", argc, argv, 0, input, error);
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.report = MP_REPORT_DEFAULT, .max_files = 1};
    int status = parse_all(argc, argv, &input, error);

    if (status >= 0)
        return status;
    return report(&input, input.n_files > 0 ? input.files[0] : MP_DEFAULT_FILE, error);
}

const struct mp_command mp_cmd_report = {"report", "print what a data file holds", run};

/* A single file may be the program, as in 1988, or the data file. */
int
mp_report_1988(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.report = MP_REPORT_DEFAULT, .max_files = 2};
    int status = parse_all(argc, argv, &input, error);

    if (status >= 0)
        return status;
    if (input.n_files == 0)
        return report(&input, MP_DEFAULT_FILE, error);
    if (input.n_files == 1 && mp_data_file_is(input.files[0]))
        return report(&input, input.files[0], error);
    if (!input.executable)
        input.executable = input.files[0];
    return report(&input, input.n_files == 2 ? input.files[1] : MP_DEFAULT_FILE, error);
}
