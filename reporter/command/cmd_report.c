/* SPDX-License-Identifier: MIT */
/* mprof report, and its legacy form of 1988. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "reporter/base/text.h"
#include "reporter/draw/graph_dot.h"
#include "reporter/file/data_file.h"
#include "reporter/run/harvest.h"
#include "reporter/symbols/symbol_package.h"
#include "reporter/symbols/symbols.h"
#include "reporter/table/report.h"
#include "reporter/view/sort.h"
#include "view_options.h"

struct input {
    struct mp_report_options report;
    unsigned tables;            /* tables of all --table options, or 0; report.order has their order */
    enum { LEAKS_BY_DEFAULT, LEAKS_YES, LEAKS_NO } leaks;   /* last option about the table of leaks */
    bool gc, json;
    enum { NO_GRAPH, GRAPH_SVG, GRAPH_DOT } graph;
    bool text_only;             /* an option was given that has no effect on a graph */
    struct mp_view_input view;
    const char *files[2];       /* arguments; of the legacy form the program and the data file */
    int n_files, max_files;
};

static const char *
table_word(unsigned i)
{
    return i < mp_n_outputs ? mp_outputs[i].kinds[0]->key : NULL;
}

static bool
parse_tables(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    input->leaks = LEAKS_BY_DEFAULT;
    for (const char *word = text;; word++) {
        const size_t length = strcspn(word, ",");
        unsigned index;

        if (!mp_options_word(option, word, length, &index))
            return false;
        if (!(input->tables & mp_outputs[index].table))
            input->report.order[__builtin_popcount(input->tables)] = mp_outputs[index].table;
        input->tables |= mp_outputs[index].table;
        word += length;
        if (*word == '\0')
            return true;
    }
}

static bool
parse_offsets(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    (void)text;
    input->report.print.offsets = true;
    input->leaks = LEAKS_YES;
    return true;
}

static bool
parse_lines(const struct mp_option *option, char *text, void *to)
{
    struct mp_print_options *print = to;
    unsigned index;

    print->lines = true;
    print->paths = text != NULL;
    return !text || mp_options_word(option, text, strlen(text), &index);
}

/* The words of --sort: those of all commands, then one of the table of functions. */
static const char *
sort_word(unsigned i)
{
    return i == MP_SORTS ? "with-callees" : mp_cost_word(i);
}

static bool
parse_sort(const struct mp_option *option, char *text, void *to)
{
    struct mp_print_options *print = to;

    print->with_callees = strcmp(text, sort_word(MP_SORTS)) == 0;
    print->sort = MP_SORT_BYTES;
    return print->with_callees || mp_parse_cost(option, text, &print->sort);
}

static bool
parse_argument(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    if (input->n_files == 1 && input->max_files == 1 && mp_data_file_is(text) && !mp_data_file_is(input->files[0]))
        return mp_options_refuse("'%s': one file too many; --executable=%s names the program", text, input->files[0]);
    if (input->n_files == input->max_files)
        return mp_options_refuse("'%s': one file too many", text);
    input->files[input->n_files++] = text;
    return true;
}

/* Refuses options that cannot be combined, and tables or sort keys that are unknown for the selected part of the
 * time. */
static bool
check(void *to)
{
    const struct input *input = to;
    const struct mp_window_ends *window = &input->view.view.window;

    if (input->graph && input->text_only)
        return mp_options_refuse("--graph cannot be combined with options for tables and text");
    if (input->graph == GRAPH_SVG && isatty(STDOUT_FILENO))
        return mp_options_refuse("--graph=svg: the picture cannot be printed on a terminal; use > FILE.svg");
    if (input->report.print.with_callees && !(input->tables & MP_TABLE_FLAT))
        return mp_options_refuse("--sort=with-callees is for --table=flat");
    if (!mp_window_is_wanted(window))
        return true;
    if (input->gc || (input->tables & MP_TABLE_GC))
        return mp_options_refuse(window->at ? "--at=%s: survival is unknown at a point in time"
                                            : "--from, --to: survival is unknown for a part of the time%s",
                                 window->at ? window->at : "");
    if (input->tables & MP_TABLE_LIFETIMES)
        return mp_options_refuse(window->at ? "--at=%s: lifetimes are unknown at a point in time"
                                            : "--from, --to: lifetimes are unknown for a part of the time%s",
                                 window->at ? window->at : "");
    return mp_window_refuse_sort(window, input->report.print.sort);
}

/* An option for tables, which a graph does not have. */
#define OF_TABLES .also = MP_FIELD(bool, struct input, text_only)

static const char *const graphs[] = {"svg", "dot"}, *const full[] = {"full"};

static const struct mp_option options[] = {
    {.help = "Tables:"},
    {"verbose", 'v', NULL, "Print every bin, leak and function",
     MP_CHOICE(struct input, report.print.verbosity, MP_VERBOSE)},
    {"normal", 0, NULL, "Print entries with a share of at least 0.5 % (the default)",
     MP_CHOICE(struct input, report.print.verbosity, MP_NORMAL)},
    {"terse", 0, NULL, "Print entries with a share of at least 1 %",
     MP_CHOICE(struct input, report.print.verbosity, MP_TERSE)},
    {"table", 0, "LIST", "Print only the listed tables, in this order:", parse_tables, OF_TABLES, .word = table_word,
     .many = true},
    {"head", 0, NULL, "Print the facts about the recording first, not last", MP_FLAG(struct input, report.head_first),
     OF_TABLES},
    {"no-overview", 0, NULL, "Do not print the overview, which precedes the tables",
     MP_FLAG(struct input, report.no_overview), OF_TABLES},
    {"no-findings", 0, NULL, "Do not print the findings, which precede the tables",
     MP_FLAG(struct input, report.no_findings), OF_TABLES},
    {"leaktable", 0, NULL, "Print the table of leaks (the default without --lisp)",
     MP_CHOICE(struct input, leaks, LEAKS_YES), OF_TABLES},
    {"noleaktable", 0, NULL, "Do not print the table of leaks (the default with --lisp)",
     MP_CHOICE(struct input, leaks, LEAKS_NO), OF_TABLES},
    {"gc", 0, NULL, "Also print the table of survival: which objects die at once and which stay",
     MP_FLAG(struct input, gc), OF_TABLES},
    {"max", 0, "N|all", "Print at most N rows in each table except that of bins",
     MP_ROWS(struct input, report.print.most)},
    {"min", 0, "BYTES|N%", "Print entries with at least BYTES or blocks, or at least N percent (from 0.1)",
     MP_LEAST(struct input, report.print)},
    {"sort", 0, "KEY", "Sort by bytes, kept, peak (bytes live at the peak), allocs or temporary; --table=flat also by "
     "with-callees",
     MP_STORED(parse_sort, struct mp_print_options, struct input, report.print), .word = sort_word,
     .also = MP_FIELD(bool, struct input, report.print.sorted)},
    {MP_JSON("mprof-json(5)", struct input, json), OF_TABLES},
    {"graph", 0, "FORM", "Write the call graph instead of tables: svg, drawn by Graphviz's dot, or dot, its input",
     MP_WORD(struct input, graph, graphs, 2), .low = GRAPH_SVG},
    {.help = "Call chains (tables of leaks, survival, sites and tree):"},
    {"chain", 0, "N|all", "Show the last N callers (default 5; 1 for survival, 10 for sites)",
     MP_CALLERS(struct input, report.print), OF_TABLES},
    {"offsets", 0, NULL, "Print the table of leaks, and distinguish call sites in a function as name+n", parse_offsets,
     OF_TABLES},
    {"lines", 0, "full", "Show source lines as name (file.c:12), as text does by default; with full, show whole paths",
     MP_STORED(parse_lines, struct mp_print_options, struct input, report.print), OF_TABLES, MP_WORDS(full, 1),
     .optional = true},
    {"no-lines", 0, NULL, "Do not show source lines, which is the default with --json, --offsets and --graph",
     MP_FLAG(struct input, report.no_lines), OF_TABLES},
    {.help = "Terminal:"},
    {MP_COLOR(struct input, report.color), OF_TABLES},
    {MP_NO_PAGER(struct input, report.no_pager)},
    {0},
};

/* Replaces -verbose by --verbose, because the long options of 1988 had one dash. --lisp may have one, too. The manual
 * of 1988 has both -offset and -offsets; --offset is an abbreviation of --offsets. */
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
    mp_symbol_packages(profile);
    if (!input->json && !input->report.chosen)
        input->report.lineless = mp_symbol_lines(profile);
    if (input->json)
        mp_report_as_json(&input->report, "report", path);
    ok = input->graph ? write_graph(input, profile, error) : mp_report_show(profile, &input->report, error);
    mp_profile_free(profile);
    return mp_exit_status(ok, error);
}

/* Loads the recording PATH with names. Seals the file if SEAL is true, the recording has ended, and no mprof run will
 * seal the file. If sealing fails, the file stays as it was. Returns NULL and fills *ERROR if loading fails. */
static struct mp_profile *
load(struct input *input, const char *path, bool seal, struct mp_error *error)
{
    struct mp_file_at file;
    struct mp_error unsealed;
    const bool sealable = seal && mp_harvest_open(path, &file, &unsealed);
    struct mp_profile *profile = mp_view_input_load(&input->view, path, error);

    if (profile && sealable && mp_symbols_check(&unsealed))
        mp_harvest_seal(profile, &file, NULL, &unsealed);
    if (sealable)
        mp_file_at_close(&file);
    return profile;
}

static int
report(struct input *input, const char *path, struct mp_error *error)
{
    struct mp_profile *profile = load(input, path, !mp_symbols_named(), error);

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
    status = mp_options_parse(&mp_cmd_report, argc, argv, input, error);
    input->report.view = input->view.view;
    input->report.view.places = input->report.print.lines;
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
    "report", "print the head and the tables of a recording", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view), MP_WINDOW_GROUP(struct input, view)},
    .argument = {.value = "[FILE|PID]", .parse = parse_argument}, .check = check,
    .doc = "Show where the memory of a program comes from, as recorded in FILE (" MP_DEFAULT_FILE ").",
    .notes = "The options --verbose, --normal, --terse, --leaktable, --noleaktable, --offsets and --lisp may be "
             "written with one dash.",
};

/* Checks that PROFILE, read from the file PATH, is a recording of the program PROGRAM: by its build-id, or if none was
 * recorded, by its name. Returns 0, or the exit status and fills *ERROR. */
static int
check_program(const struct mp_profile *profile, const char *program, const char *path, struct mp_error *error)
{
    const struct mp_module *recorded = mp_symbols_program(profile);
    const bool same_name = strcmp(mp_text_basename(profile->meta.program), mp_text_basename(program)) == 0;

    if (mp_symbols_check(error) || profile->meta.program[0] == '\0' ||
        (same_name && (!recorded || recorded->build_id_size == 0)))
        return 0;
    if (same_name)
        return mp_exit_status(false, error);
    mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s is a recording of %s, not of %s; to profile that: mprof run %s",
            path, profile->meta.program, program, program);
    return MP_EXIT_USAGE;
}

/* Reports the recording PATH of PROGRAM. If PATH does not exist, suggests mprof run, because the user probably wanted
 * to run PROGRAM. Returns the exit status. */
static int
report_of(struct input *input, const char *program, const char *path, struct mp_error *error)
{
    struct mp_profile *profile;
    bool seal;
    int status;

    if (!mp_data_file_is(path)) {
        const char *more = input->n_files > 1 ? " ..." : "";

        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s %s of %s; to profile it: mprof run %s%s", path,
                access(path, F_OK) == 0 ? "is no recording" : "does not exist, so there is no recording", program,
                program, more);
        return MP_EXIT_USAGE;
    }
    seal = !mp_symbols_named();
    mp_symbols_add_file(program);
    input->view.several = true;
    profile = load(input, path, seal, error);
    status = profile ? check_program(profile, program, path, error) : mp_exit_status(false, error);
    if (status == 0)
        return show(input, profile, path, error);
    mp_profile_free(profile);
    return status;
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
    const char *first = argc > 1 ? argv[1] : "";
    int status;

    input.view.view.short_names = false;
    input.view.view.skip.wrappers = false;
    status = parse_all(argc, argv, &input, error);
    if (status < 0)
        status = report_1988(&input, error);
    else if (status == MP_EXIT_USAGE && is_program(first))
        mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "to profile %s: mprof run %s ...", first, first);
    mp_view_input_free(&input.view);
    return status;
}
