/* mprof report, and its legacy form of 1988. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "print_options.h"
#include "reporter/base/text.h"
#include "reporter/output/graph_dot.h"
#include "reporter/output/report.h"
#include "reporter/profile/sort.h"
#include "reporter/run/data_file.h"
#include "reporter/run/harvest.h"
#include "view_options.h"
#include "window_options.h"

enum {
    OPT_NORMAL = 256, OPT_TERSE, OPT_LEAKTABLE, OPT_NOLEAKTABLE, OPT_OFFSETS, OPT_LINES, OPT_CHAIN,
    OPT_TABLE, OPT_COLOR, OPT_NO_PAGER, OPT_GC, OPT_SORT, OPT_MAX, OPT_NO_OVERVIEW,
    OPT_NO_FINDINGS, OPT_LEAST, OPT_JSON, OPT_GRAPH
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How much is shown:", 1},
    {"verbose", 'v', NULL, 0, "Every bin, leak and function", 1},
    {"normal", OPT_NORMAL, NULL, 0, "What holds 0.5 % or more (the default)", 1},
    {"terse", OPT_TERSE, NULL, 0, "What holds 1 % or more", 1},
    {"table", OPT_TABLE, "LIST", MP_OPTION_MANY, "Only these tables, in this order", 1},
    {"no-overview", OPT_NO_OVERVIEW, NULL, 0, "Without the rows that come first on a terminal", 1},
    {"no-findings", OPT_NO_FINDINGS, NULL, 0, "Without the findings, which come first there", 1},
    {"leaktable", OPT_LEAKTABLE, NULL, 0, "With the table of leaks (the default, but for --lisp)", 1},
    {"noleaktable", OPT_NOLEAKTABLE, NULL, 0, "Without it", 1},
    {"gc", OPT_GC, NULL, 0, "With the table of survival: what is garbage at once, what stays", 1},
    {"max", OPT_MAX, "N|all", 0, "At most N rows a table, but of bins", 1},
    {"min", OPT_LEAST, "BYTES|N%", 0, "What has at least so many bytes, or such a share", 1},
    {"sort", OPT_SORT, "KEY", 0, "Sort by bytes, kept, peak (bytes alive then), allocs or temporary", 1},
    {"json", OPT_JSON, NULL, 0, "For programs: the same as JSON, see mprof-json(5)", 1},
    {"graph", OPT_GRAPH, "FORM", 0,
     "Instead of tables the call graph: svg, drawn by Graphviz's dot, or what that draws: dot", 1},
    {NULL, 0, NULL, 0, "Call chains of the leaks (and of survival, sites and tree):", 2},
    {"chain", OPT_CHAIN, "N|all", 0, "Show the last N callers (5; of survival 1, of sites 10)", 2},
    {"offsets", OPT_OFFSETS, NULL, 0, "Tell call sites in a function apart: name+n", 2},
    {"lines", OPT_LINES, "full", OPTION_ARG_OPTIONAL,
     "Show source lines: name (file.c:12), or with the whole path of the file", 2},
    {NULL, 0, NULL, 0, "Terminal:", 3},
    {"color", OPT_COLOR, "WHEN", 0, "auto, always or never", 3},
    {"no-pager", OPT_NO_PAGER, NULL, 0, "Do not start a pager", 3},
    {0},
};

struct input {
    struct mp_report_options report;
    unsigned tables;            /* tables of all --table options, or 0; report.order has their order */
    enum { LEAKS_BY_DEFAULT, LEAKS_YES, LEAKS_NO } leaks;   /* last option about the table of leaks */
    bool gc, json;
    enum { NO_GRAPH, GRAPH_DOT, GRAPH_SVG } graph;
    bool text_only;             /* an option was given that has no effect on a graph */
    struct mp_view_input view;
    const char *files[2];
    int n_files, max_files;
};

static error_t
refuse_tables(void)
{
    char *names = mp_output_names(", ");
    error_t result = names ? mp_options_wrong("the tables are %s", names) : ENOMEM;

    free(names);
    return result;
}

static error_t
set_tables(struct input *input, const char *list)
{
    char *copy = strdup(list), *save, *name;
    enum mp_report_table *order = input->report.order;
    unsigned table = 0;

    if (!copy)
        return ENOMEM;
    for (name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        table = mp_output_named(name);
        if (table == 0)
            break;
        if (!(input->tables & table))
            order[__builtin_popcount(input->tables)] = (enum mp_report_table)table;
        input->tables |= table;
    }
    free(copy);
    if (table == 0)
        return refuse_tables();
    input->leaks = LEAKS_BY_DEFAULT;
    return 0;
}

static error_t
set_sort(struct input *input, const char *key)
{
    struct mp_print_options *print = &input->report.print;

    print->sorted = true;
    return mp_options_cost(key, &print->sort);
}

/* Refuses options that cannot be combined, and tables or sort keys that are unknown for the selected part of the
 * time. */
static error_t
refuse_combinations(const struct input *input)
{
    const struct mp_window_ends *window = &input->view.view.window;

    if (input->graph && input->text_only)
        return mp_options_refuse("--graph: not with options of tables and texts");
    if (input->graph == GRAPH_SVG && isatty(STDOUT_FILENO))
        return mp_options_refuse("--graph=svg: the picture is no text for a terminal: > FILE.svg");
    if (!mp_window_is_wanted(window))
        return 0;
    if (input->gc || (input->tables & MP_TABLE_GC))
        return mp_options_refuse(window->at ? "--at=%s: which objects survived is not known of one moment"
                                            : "--from, --to: which objects survived is not known of a part%s",
                                 window->at ? window->at : "");
    if (input->tables & MP_TABLE_LIFETIMES)
        return mp_options_refuse(window->at ? "--at=%s: how long blocks lived is not known of one moment"
                                            : "--from, --to: how long blocks lived is not known of a part%s",
                                 window->at ? window->at : "");
    return mp_window_refuse_sort(window, input->report.print.sort);
}

static error_t
set_graph(struct input *input, const char *form)
{
    input->graph = strcmp(form, "svg") == 0 ? GRAPH_SVG : strcmp(form, "dot") == 0 ? GRAPH_DOT : NO_GRAPH;
    return input->graph ? 0 : mp_options_wrong("svg or dot");
}

/* Returns whether KEY is an option for tables, which a graph does not have. */
static bool
is_of_tables(int key)
{
    static const int keys[] = {OPT_TABLE, OPT_LINES, OPT_OFFSETS, OPT_CHAIN, OPT_JSON, OPT_GC, OPT_LEAKTABLE,
                               OPT_NOLEAKTABLE, OPT_NO_OVERVIEW, OPT_NO_FINDINGS, OPT_COLOR};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i] == key)
            return true;
    return false;
}

static error_t
set_lines(struct input *input, const char *which)
{
    input->report.print.lines = true;
    input->report.print.paths = which != NULL;
    return !which || strcmp(which, "full") == 0
               ? 0 : mp_options_wrong("full, or nothing");
}

static error_t
add_file(struct input *input, const char *file)
{
    if (input->n_files == 1 && input->max_files == 1 && mp_data_file_is(file) &&
        !mp_data_file_is(input->files[0]))
        return mp_options_refuse("'%s': one file too many; the program is given by --executable=%s",
                                 file, input->files[0]);
    if (input->n_files == input->max_files)
        return mp_options_refuse("'%s': one file too many", file);
    input->files[input->n_files++] = file;
    return 0;
}

static error_t
parse_value(int key, char *arg, struct input *input)
{
    switch (key) {
    case OPT_TABLE:
        return set_tables(input, arg);
    case OPT_LINES:
        return set_lines(input, arg);
    case OPT_CHAIN:
        return mp_options_callers(arg, &input->report.print);
    case OPT_COLOR:
        return mp_options_color(arg, &input->report.color);
    case OPT_SORT:
        return set_sort(input, arg);
    case ARGP_KEY_END:
        return refuse_combinations(input);
    case OPT_MAX:
        return mp_options_rows(arg, &input->report.print.most);
    case OPT_LEAST:
        return mp_options_least(arg, &input->report.print);
    case OPT_GRAPH:
        return set_graph(input, arg);
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

    input->text_only |= is_of_tables(key);
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        state->child_inputs[1] = &input->view.view.window;
        return 0;
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
        input->leaks = LEAKS_YES;
        return 0;
    case OPT_LEAKTABLE:
        input->leaks = LEAKS_YES;
        return 0;
    case OPT_NOLEAKTABLE:
        input->leaks = LEAKS_NO;
        return 0;
    case OPT_GC:
        input->gc = true;
        return 0;
    case OPT_JSON:
        input->json = true;
        return 0;
    case OPT_NO_OVERVIEW:
        report->no_overview = true;
        return 0;
    case OPT_NO_FINDINGS:
        report->no_findings = true;
        return 0;
    case OPT_NO_PAGER:
        report->no_pager = true;
        return 0;
    default:
        return parse_value(key, arg, input);
    }
}

/* Adds the names of the tables to the help of --table. argp frees the result if it is not TEXT. */
static char *
fill_help(int key, const char *text, void *input)
{
    char *names, *filled = NULL;

    (void)input;
    if (key != OPT_TABLE)
        return (char *)text;
    names = mp_output_names(",");
    if (names && asprintf(&filled, "%s: %s", text, names) < 0)
        filled = NULL;
    free(names);
    return filled;
}

static const struct argp_child children[] = {
    {&mp_view_argp, 0, NULL, 0}, {&mp_window_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    options, parse, "[FILE|PID]",
    "Show what is recorded in FILE (" MP_DEFAULT_FILE "): where the program's memory comes from."
    "\vThe options -verbose -normal -terse -leaktable -noleaktable -offsets of 1988, and -lisp, may "
    "be written with one dash.",
    children, fill_help, NULL};

/* Replaces -verbose by --verbose, because the long options of 1988 had one dash. --lisp may have one, too. The manual
 * of 1988 has both -offset and -offsets; argp accepts --offset as an abbreviation of --offsets. */
static void
double_dashes(int argc, char **argv)
{
    static char *const words[] = {"--verbose",     "--normal",  "--terse", "--leaktable",
                                  "--noleaktable", "--offset",  "--offsets", "--lisp"};

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (size_t j = 0; j < sizeof words / sizeof *words; j++)
            if (strcmp(argv[i], words[j] + 1) == 0)
                argv[i] = words[j];
}

/* Writes the call graph of PROFILE to standard output. Returns false and fills *ERROR on failure. */
static bool
write_graph(const struct input *input, const struct mp_profile *profile, struct mp_error *error)
{
    const struct mp_print_options *print = &input->report.print;
    const bool all_frames = input->view.view.all_frames;
    struct mp_profile *view = mp_filtered_view(profile, &input->view.view, &input->view.filters, NULL, error);
    bool ok = view && mp_sort_check(profile, print->sort, error) && mp_sort_check_part(view, print->sort, error);

    if (ok && input->graph == GRAPH_SVG)
        ok = mp_graph_svg(view, print, all_frames, error);
    else if (ok)
        mp_graph_dot(view, print, all_frames, stdout);
    mp_profile_free(view);
    return ok;
}

/* Prints the report or the graph of PROFILE, which was read from PATH, and frees it. Returns the exit status. */
static int
show(struct input *input, struct mp_profile *profile, const char *path, struct mp_error *error)
{
    bool ok;

    input->report.file = strcmp(path, MP_DEFAULT_FILE) != 0 ? path : NULL;
    if (input->json)
        mp_report_as_json(&input->report, "report", path);
    ok = input->graph ? write_graph(input, profile, error) : mp_report_show(profile, &input->report, error);
    mp_profile_free(profile);
    return mp_exit_status(ok, error);
}

/* Loads the recording PATH with names. If it has ended and no mprof run seals it, seals the file now. If sealing
 * fails, the file stays as it was. Does not seal with --executable, because the names may be of another program. On
 * failure returns NULL and fills *ERROR. */
static struct mp_profile *
load(const struct input *input, const char *path, struct mp_error *error)
{
    struct mp_file_at file;
    struct mp_error unsealed;
    const bool sealable = !input->view.executable && mp_harvest_open(path, &file, &unsealed);
    struct mp_profile *profile = mp_view_input_load(&input->view, path, error);

    if (profile && sealable)
        mp_harvest_seal(profile, &file, NULL, &unsealed);
    if (sealable)
        mp_file_at_close(&file);
    return profile;
}

static int
report(struct input *input, const char *path, struct mp_error *error)
{
    struct mp_profile *profile = load(input, path, error);

    return profile ? show(input, profile, path, error) : mp_exit_status(false, error);
}

/* Determines the tables to print. This requires all options, because --lisp may follow --gc. */
static void
settle_tables(struct input *input)
{
    struct mp_report_options *report = &input->report;

    report->tables = report->view.lisp_only ? MP_TABLE_LISP : MP_TABLE_DEFAULT;
    if (input->tables) {
        report->tables = input->tables;
        report->chosen = true;
    }
    if (input->leaks == LEAKS_YES)
        report->tables |= MP_TABLE_LEAKS;
    else if (input->leaks == LEAKS_NO)
        report->tables &= ~(unsigned)MP_TABLE_LEAKS;
    if (input->gc)
        report->tables |= MP_TABLE_GC;
}

static int
parse_all(int argc, char **argv, struct input *input, struct mp_error *error)
{
    int status;

    double_dashes(argc, argv);
    status = mp_options_parse(&parser, "report", argc, argv, 0, input, error);
    input->report.view = input->view.view;
    input->report.filters = &input->view.filters;
    settle_tables(input);
    return status;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.report = MP_REPORT_DEFAULT, .view = MP_VIEW_INPUT_DEFAULT, .max_files = 1};
    int status = parse_all(argc, argv, &input, error);

    if (status < 0)
        status = report(&input, input.n_files > 0 ? input.files[0] : MP_DEFAULT_FILE, error);
    mp_view_input_free(&input.view);
    return status;
}

const struct mp_command mp_cmd_report = {
    "report", "print what a data file holds", &parser, run};

/* Returns whether PROFILE is a recording of the program PATH. A copy or link with the same name counts, too. */
static bool
is_of(const struct mp_profile *profile, const char *path)
{
    const char *program = profile->meta.program;
    struct stat a, b;

    return !program || !program[0] || strcmp(mp_text_basename(program), mp_text_basename(path)) == 0 ||
           (stat(program, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Reports the recording PATH of PROGRAM. If PATH does not exist, suggests mprof run, because the user probably wanted
 * to run PROGRAM. Returns the exit status. */
static int
report_of(struct input *input, const char *program, const char *path, struct mp_error *error)
{
    struct mp_profile *profile;

    if (!mp_data_file_is(path)) {
        const char *more = input->n_files > 1 ? " ..." : "";

        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s %s of %s; to profile it: mprof run %s%s", path,
                access(path, F_OK) == 0 ? "is no recording" : "does not exist, so there is no recording", program,
                program, more);
        return MP_EXIT_USAGE;
    }
    if (!input->view.executable)
        input->view.executable = program;
    profile = mp_view_input_load(&input->view, path, error);
    if (profile && !is_of(profile, program)) {
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s is a recording of %s, not of %s; to profile that: mprof run %s",
                path, profile->meta.program, program, program);
        mp_profile_free(profile);
        return MP_EXIT_USAGE;
    }
    return profile ? show(input, profile, path, error) : mp_exit_status(false, error);
}

/* Prints the report in the legacy form. A single file may be the program or the data file. Returns the exit status. */
static int
report_1988(struct input *input, struct mp_error *error)
{
    input->report.print.form_1988 = true;
    if (input->n_files == 0)
        return report(input, MP_DEFAULT_FILE, error);
    if (input->n_files == 1 && mp_data_file_is(input->files[0]))
        return report(input, input->files[0], error);
    return report_of(input, input->files[0], input->n_files == 2 ? input->files[1] : MP_DEFAULT_FILE, error);
}

/* Returns whether PATH is the file of a program. */
static bool
is_program(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0 && !mp_data_file_is(path);
}

int
mp_report_1988(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.report = MP_REPORT_DEFAULT, .view = MP_VIEW_INPUT_DEFAULT, .max_files = 2};
    int status;

    input.view.view.short_names = false;
    input.view.view.skip.wrappers = false;
    status = parse_all(argc, argv, &input, error);
    if (status < 0)
        status = report_1988(&input, error);
    else if (status == MP_EXIT_USAGE && argc > 1 && is_program(argv[1]))
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "to profile %s: mprof run %s ...", argv[1], argv[1]);
    mp_view_input_free(&input.view);
    return status;
}
