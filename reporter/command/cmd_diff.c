/* SPDX-License-Identifier: MIT */
/*
 * mprof diff: compares profiles and shows what is more or less than before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "option_table.h"
#include "output_file.h"
#include "reporter/base/progress.h"
#include "reporter/base/term.h"
#include "reporter/diff/compare.h"
#include "reporter/html/html_compare.h"
#include "reporter/symbols/symbols.h"
#include "reporter/table/said_part.h"
#include "reporter/view/sort.h"
#include "view_options.h"

/* Default name of a page. */
#define PAGE "diff.html"

/* Stands for the first "--" in the arguments, because the parser does not pass on "--" as an argument. */
static char separator[] = "";

struct operand {
    const char *text;
    enum mp_side side;
};

struct input {
    struct mp_view_input view;
    struct mp_compare_options compare;
    struct operand *operands;   /* array with space for all arguments */
    size_t n;
    bool separated;             /* the following operands are on the side after */
    bool named;                 /* --before or --after was given */
    const char *from, *to, *output;
    enum mp_color_when color;
    bool no_pager, json, html;
};

/* ---------------------------------------------------------------- options */

static const char *
by_word(unsigned i)
{
    return i < MP_CHANGES_BY ? mp_changes_names[i] : i == MP_CHANGES_BY ? "all" : NULL;
}

static void
add_operand(struct input *input, const char *text, enum mp_side side)
{
    input->operands[input->n++] = (struct operand){text, side};
}

static bool
parse_side(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    input->named = true;
    add_operand(input, text, (enum mp_side)option->low);
    return true;
}

static bool
parse_argument(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    if (text == separator)
        input->separated = true;
    else if (*text)
        add_operand(input, text, input->separated ? MP_AFTER : MP_BEFORE);
    else
        return mp_options_refuse("the name of a file is empty");
    return true;
}

static size_t
count(const struct input *input, enum mp_side side)
{
    size_t n = 0;

    for (size_t i = 0; i < input->n; i++)
        n += input->operands[i].side == side;
    return n;
}

/* Replaces the only operand with two: its file at --from and at --to. */
static bool
settle_moments(struct input *input)
{
    static char *texts[2];
    const char *file = input->operands[0].text;

    if (input->n != 1)
        return mp_options_refuse("--from, --to: only with one data file");
    if (asprintf(&texts[0], "%s@%s", file, input->from ? input->from : "start") < 0 ||
        asprintf(&texts[1], "%s@%s", file, input->to ? input->to : "end") < 0)
        mp_no_memory();
    input->operands[0].text = texts[0];
    add_operand(input, texts[1], MP_AFTER);
    return true;
}

/* Determines the side of each operand. Refuses missing or ambiguous sides. */
static bool
check(void *to)
{
    struct input *input = to;

    input->compare.print.calls = input->json;
    if (input->json && input->html)
        return mp_options_refuse("--json and --html cannot be combined");
    if (input->from || input->to)
        return settle_moments(input);
    if (!input->named && !input->separated && input->n == 2)
        input->operands[1].side = MP_AFTER;
    else if (!input->named && !input->separated && input->n > 2)
        return mp_options_refuse("%zu files: write -- between the files before and the files after", input->n);
    if (count(input, MP_BEFORE) == 0 || count(input, MP_AFTER) == 0)
        return mp_options_refuse(input->n == 0 ? "no files to compare are given"
                                               : "%s: no file to compare it with is given", input->operands[0].text);
    if (input->n > MP_JOIN_MOST)
        return mp_options_refuse("more than %u files", MP_JOIN_MOST);
    return true;
}

static const struct mp_option options[] = {
    {.help = "Operands (FILE; FILE@MARK: live memory then; FILE@MARK..MARK: what happened):"},
    {"before", 0, "FILE", "Add FILE as a run before", parse_side, .low = MP_BEFORE, .many = true},
    {"after", 0, "FILE", "Add FILE as a run after", parse_side, .low = MP_AFTER, .many = true},
    {"from", 0, "MARK", "With one FILE, use what was live at MARK (default start) as before",
     MP_TEXT(struct input, from)},
    {"to", 0, "MARK", "With one FILE, use what was live at MARK (default end) as after", MP_TEXT(struct input, to)},
    {"cost", 0, "KEY", "Compare bytes (the default), allocs, kept, peak or temporary",
     MP_COST(struct input, compare.print.sort)},
    {.help = "Tables:"},
    {"by", 0, "LIST", "Print tables by function, chain, type, module, size, or all (default function,chain)",
     MP_SET(struct input, compare.by, by_word, MP_CHANGES_BY)},
    {"verbose", 'v', NULL, "Print every change", MP_CHOICE(struct input, compare.print.verbosity, MP_VERBOSE)},
    {"normal", 0, NULL, "Print changes of at least 0.5 % of all changes (the default)",
     MP_CHOICE(struct input, compare.print.verbosity, MP_NORMAL)},
    {"terse", 0, NULL, "Print changes of at least 1 % of all changes",
     MP_CHOICE(struct input, compare.print.verbosity, MP_TERSE)},
    {"max", 0, "N|all", "Print at most N changes in each table", MP_ROWS(struct input, compare.print.most)},
    {"min", 0, "BYTES|N%", "Print changes of at least BYTES or blocks, or N percent of all changes",
     MP_LEAST(struct input, compare.print)},
    {"chain", 0, "N|all", "Distinguish chains by their last N callers (default 5)",
     MP_CALLERS(struct input, compare.print)},
    {.help = "Output:"},
    {MP_OUTPUT(struct input, output)},
    {MP_JSON("mprof-diff(1)", struct input, json)},
    {"html", 0, NULL, "Write a page for the browser, to " PAGE " without -o", MP_FLAG(struct input, html)},
    {MP_COLOR(struct input, color)},
    {MP_NO_PAGER(struct input, no_pager)},
    {0},
};

/* ---------------------------------------------------------------- reading */

/* Splits TEXT into a file and points in time. If a file called TEXT exists, it is the file. The caller frees *FILE,
 * into which the other results point. */
static void
split(const char *text, char **file, char **moments, struct mp_window_ends *ends)
{
    char *dots;

    *ends = (struct mp_window_ends){0};
    *file = mp_need(strdup(text));
    *moments = access(text, F_OK) == 0 ? NULL : strrchr(*file, '@');
    if (!*moments)
        return;
    *(*moments)++ = '\0';
    dots = strstr(*moments, "..");
    if (!dots) {
        ends->at = *moments;
        return;
    }
    *dots = '\0';
    ends->from = **moments ? *moments : "start";
    ends->to = dots[2] ? dots + 2 : "end";
}

/* Checks that the figure to compare is known for the selected part of the time. Returns false and fills *ERROR if
 * not. */
static bool
may_cost(const struct input *input, const struct operand *operand, const struct mp_window_ends *ends,
         struct mp_error *error)
{
    const enum mp_sort cost = input->compare.print.sort;

    if (!mp_window_is_wanted(ends) || (cost != MP_SORT_PEAK && !(cost == MP_SORT_TEMPORARY && ends->at)))
        return true;
    return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                   ends->at ? "%s: --cost=%s: this figure is unknown at a point in time"
                            : "%s: --cost=%s: this figure is unknown for a part of the time",
                   operand->text, mp_sorts[cost].key);
}

static bool
add(const struct input *input, const struct operand *operand, struct mp_join *join, struct mp_error *error)
{
    struct mp_view_input wanted = input->view;
    struct mp_viewed viewed;
    char *file, *moments;
    bool ok;

    wanted.several = true;
    split(operand->text, &file, &moments, &wanted.view.window);
    ok = may_cost(input, operand, &wanted.view.window, error) && mp_view_input_open(&wanted, file, &viewed, error);
    if (ok) {
        ok = mp_sort_check_part(viewed.view, input->compare.print.sort, error);
        if (ok)
            mp_join_add(join, viewed.profile, viewed.view, operand->side, operand->text);
        mp_viewed_close(&viewed);
    }
    free(file);
    return ok;
}

static bool
is_part(const struct input *input)
{
    for (size_t i = 0; i < input->n; i++) {
        struct mp_window_ends ends;
        char *file, *moments;

        split(input->operands[i].text, &file, &moments, &ends);
        free(file);
        if (moments)
            return true;
    }
    return input->view.view.focus || input->view.filters.n > 0;
}

static struct mp_join *
read_all(const struct input *input, struct mp_error *error)
{
    const struct mp_view_options *view = &input->view.view;
    const struct mp_join_options wanted = {
        .all_frames = view->all_frames, .short_names = view->short_names,
        .raw = view->frames == MP_FRAMES_ALL || view->frames == MP_FRAMES_C,
        .by_cells = is_part(input) || !mp_sorts[input->compare.print.sort].by_size};
    struct mp_join *join = mp_join_new(&wanted);

    for (size_t i = 0; i < input->n; i++) {
        if (add(input, &input->operands[i], join, error) && (i + 1 < input->n || mp_symbols_check(error)))
            continue;
        mp_join_free(join);
        return NULL;
    }
    if (mp_join_finish(join, error))
        return join;
    mp_join_free(join);
    return NULL;
}

/* ---------------------------------------------------------------- writing */

static bool
write_text(const void *comparison, struct mp_error *error)
{
    return mp_compare_text(comparison, stdout, error);
}

/* Begins the output to the file of -o or, if MADE is true, to the page PAGE. Neither may replace a compared file. On
 * failure returns NULL and fills *ERROR. */
static FILE *
begin_output(const struct input *input, struct mp_output_file *output, bool made, struct mp_error *error)
{
    char **files = mp_need(calloc(input->n + 1, sizeof *files)), *moments;
    struct mp_window_ends ends;
    FILE *out;

    for (size_t i = 0; i < input->n; i++)
        split(input->operands[i].text, &files[i], &moments, &ends);
    out = made ? mp_output_begin_in(output, AT_FDCWD, PAGE, (const char *const *)files, error)
               : mp_output_begin(output, input->output, (const char *const *)files, error);
    for (size_t i = 0; i < input->n; i++)
        free(files[i]);
    free(files);
    return out;
}

/* Writes the comparison without a pager. A page goes to a file unless -o- was given. */
static bool
write_file(const struct input *input, const struct mp_comparison *comparison, struct mp_error *error)
{
    const bool made = !input->output && input->html;
    struct mp_output_file output;
    FILE *out = begin_output(input, &output, made, error);
    bool ok = out && (input->json   ? mp_compare_json
                      : input->html ? mp_html_compare_write
                                    : mp_compare_text)(comparison, out, error);

    ok = out && mp_output_end(&output, ok, error);
    if (ok && made && !mp_quiet())
        fputs("mprof: " PAGE "\n", stderr);
    return ok;
}

static bool
write_all(const struct input *input, const struct mp_join *join, const struct mp_compare_options *wanted,
          struct mp_error *error)
{
    struct mp_comparison comparison = mp_comparison(join, wanted);
    bool ok = input->output || input->json || input->html
                  ? write_file(input, &comparison, error)
                  : mp_pager_show(write_text, &comparison, !input->no_pager, error);

    mp_comparison_free(&comparison);
    return ok;
}

/* Writes the comparison, with the width and colours of a terminal if it is shown there. */
static bool
show_join(const struct input *input, const struct mp_join *join, struct mp_error *error)
{
    struct mp_compare_options wanted = input->compare;

    if (!input->output && !input->json && !input->html) {
        wanted.print.width = mp_term_width();
        wanted.print.color = mp_term_color(input->color);
        if (wanted.print.width > 0 && input->view.view.short_names)
            wanted.print.ellipsis = mp_term_ellipsis();
    }
    return write_all(input, join, &wanted, error);
}

static bool
show(struct input *input, struct mp_error *error)
{
    struct mp_join *join = read_all(input, error);
    char *part = mp_part_text(input->view.view.focus, &input->view.filters);
    bool ok;

    input->compare.part = part;
    ok = join && show_join(input, join, error);
    free(part);
    mp_join_free(join);
    return ok;
}

/* Replaces the first "--" between files with `separator`. */
static void
find_separator(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0)
            continue;
        argv[i] = separator;
        return;
    }
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {
        .view = MP_VIEW_INPUT_COMPARED, .compare = {.print = MP_PRINT_DEFAULT, .part = "",
                                                   .by = 1u << MP_BY_FUNCTION | 1u << MP_BY_CHAIN}};
    int status;

    input.operands = mp_need(calloc((size_t)argc + 2, sizeof *input.operands));
    find_separator(argc, argv);
    status = mp_options_parse(&mp_cmd_diff, argc, argv, &input, error);
    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    mp_view_input_free(&input.view);
    free(input.operands);
    return status;
}

const struct mp_command mp_cmd_diff = {
    "diff", "compare recordings and show what grew and shrank", run,
    .options = options, .groups = {MP_VIEW_GROUPS(struct input, view)},
    .argument = {.value = "BEFORE... [--] [AFTER...]", .parse = parse_argument}, .check = check,
    .doc = "Compare two data files, two points in time of one, or the medians of several runs on each side, and show "
           "what grew and shrank.  Functions are matched by name, so the builds may differ.",
};
