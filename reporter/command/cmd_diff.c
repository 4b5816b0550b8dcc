/*
 * mprof diff: compares profiles and shows what is more or less than before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "output_file.h"
#include "reporter/base/progress.h"
#include "print_options.h"
#include "reporter/base/term.h"
#include "reporter/compare/compare.h"
#include "reporter/html/html_compare.h"
#include "reporter/output/said_part.h"
#include "reporter/profile/sort.h"
#include "view_options.h"

enum {
    OPT_BEFORE = 256, OPT_AFTER, OPT_FROM, OPT_TO, OPT_BY, OPT_COST, OPT_CHAIN, OPT_MAX, OPT_LEAST, OPT_NORMAL,
    OPT_TERSE, OPT_COLOR, OPT_NO_PAGER, OPT_JSON, OPT_HTML
};

/* Default name of a page. */
#define PAGE "diff.html"

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is compared (FILE, FILE@MARK: what lived then, FILE@MARK..MARK: what happened):", 1},
    {"before", OPT_BEFORE, "FILE", MP_OPTION_MANY, "One more run before", 1},
    {"after", OPT_AFTER, "FILE", MP_OPTION_MANY, "One more run after", 1},
    {"from", OPT_FROM, "MARK", 0, "Of one FILE: what lived at this moment (start)", 1},
    {"to", OPT_TO, "MARK", 0, "... and what lived at this one (end)", 1},
    {"cost", OPT_COST, "KEY", 0, "By bytes (the default), allocs, kept, peak or temporary", 1},
    {NULL, 0, NULL, 0, "How much is shown:", 2},
    {"by", OPT_BY, "LIST", 0, "Tables by function, chain, type, module, size, or all (function,chain)", 2},
    {"verbose", 'v', NULL, 0, "Every change", 2},
    {"normal", OPT_NORMAL, NULL, 0, "What has 0.5 % or more of all changes (the default)", 2},
    {"terse", OPT_TERSE, NULL, 0, "What has 1 % or more", 2},
    {"max", OPT_MAX, "N|all", 0, "At most N changes a table", 2},
    {"min", OPT_LEAST, "BYTES|N%", 0, "Changes of at least so many bytes, or of such a share", 2},
    {"chain", OPT_CHAIN, "N|all", 0, "Tell the last N callers apart (5)", 2},
    {NULL, 0, NULL, 0, "Form:", 3},
    {"output", 'o', "FILE", 0, "Write to FILE, not to standard output", 3},
    {"json", OPT_JSON, NULL, 0, "For programs: the same as JSON", 3},
    {"html", OPT_HTML, NULL, 0, "For the browser: a page, " PAGE " if -o names none", 3},
    {"color", OPT_COLOR, "WHEN", 0, "auto, always or never", 3},
    {"no-pager", OPT_NO_PAGER, NULL, 0, "Do not start a pager", 3},
    {0},
};

/* Replaces the first "--" in the arguments, because getopt would remove that. */
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

static error_t
set_by(struct input *input, const char *list)
{
    input->compare.by = 0;
    if (strcmp(list, "all") == 0) {
        input->compare.by = (1u << MP_CHANGES_BY) - 1;
        return 0;
    }
    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ",");
        unsigned by = 0;

        while (by < MP_CHANGES_BY && (strlen(mp_changes_names[by]) != length ||
                                      strncmp(mp_changes_names[by], word, length) != 0))
            by++;
        if (by == MP_CHANGES_BY)
            return mp_options_wrong("function, chain, type, module, size, or all");
        input->compare.by |= 1u << by;
        word += length;
        if (*word == '\0')
            return 0;
    }
}

static error_t
add_operand(struct input *input, const char *text, enum mp_side side)
{
    input->operands[input->n++] = (struct operand){text, side};
    return 0;
}

static error_t
add_argument(struct input *input, const char *text)
{
    if (text == separator) {
        input->separated = true;
        return 0;
    }
    if (*text == '\0')
        return mp_options_refuse("a file without a name");
    return add_operand(input, text, input->separated ? MP_AFTER : MP_BEFORE);
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
static error_t
settle_moments(struct input *input)
{
    static char *texts[2];
    const char *file = input->operands[0].text;

    if (input->n != 1)
        return mp_options_refuse("--from, --to: moments are of one data file");
    if (asprintf(&texts[0], "%s@%s", file, input->from ? input->from : "start") < 0 ||
        asprintf(&texts[1], "%s@%s", file, input->to ? input->to : "end") < 0)
        mp_no_memory();
    input->operands[0].text = texts[0];
    return add_operand(input, texts[1], MP_AFTER);
}

/* Determines the side of each operand. Refuses missing or ambiguous sides. */
static error_t
settle_sides(struct input *input)
{
    if (input->from || input->to)
        return settle_moments(input);
    if (!input->named && !input->separated && input->n == 2)
        input->operands[1].side = MP_AFTER;
    else if (!input->named && !input->separated && input->n > 2)
        return mp_options_refuse("%zu files: -- stands between those before and those after", input->n);
    if (count(input, MP_BEFORE) == 0 || count(input, MP_AFTER) == 0)
        return mp_options_refuse(input->n == 0 ? "which files are to be compared?"
                                               : "%s: and with which other file?", input->operands[0].text);
    if (input->n > MP_JOIN_MOST)
        return mp_options_refuse("more than %u files", MP_JOIN_MOST);
    return 0;
}

static error_t
parse_value(int key, char *arg, struct input *input)
{
    struct mp_print_options *print = &input->compare.print;

    switch (key) {
    case OPT_BEFORE:
    case OPT_AFTER:
        input->named = true;
        return add_operand(input, arg, key == OPT_AFTER ? MP_AFTER : MP_BEFORE);
    case OPT_BY:
        return set_by(input, arg);
    case OPT_COST:
        return mp_options_cost(arg, &print->sort);
    case OPT_CHAIN:
        return mp_options_callers(arg, print);
    case OPT_MAX:
        return mp_options_rows(arg, &print->most);
    case OPT_LEAST:
        return mp_options_least(arg, print);
    case OPT_COLOR:
        return mp_options_color(arg, &input->color);
    case ARGP_KEY_ARG:
        return add_argument(input, arg);
    case ARGP_KEY_END:
        if (input->json && input->html)
            return mp_options_refuse("--json, --html: one of them");
        return settle_sides(input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->view;
        return 0;
    case OPT_FROM:
        input->from = arg;
        return 0;
    case OPT_TO:
        input->to = arg;
        return 0;
    case 'v':
        input->compare.print.verbosity = MP_VERBOSE;
        return 0;
    case OPT_NORMAL:
        input->compare.print.verbosity = MP_NORMAL;
        return 0;
    case OPT_TERSE:
        input->compare.print.verbosity = MP_TERSE;
        return 0;
    case 'o':
        input->output = arg;
        return 0;
    case OPT_NO_PAGER:
        input->no_pager = true;
        return 0;
    case OPT_JSON:
        input->json = true;
        input->compare.print.calls = true;
        return 0;
    case OPT_HTML:
        input->html = true;
        return 0;
    default:
        return parse_value(key, arg, input);
    }
}

static const struct argp_child children[] = {{&mp_view_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "BEFORE... [--] [AFTER...]",
    .children = children,
    .doc = "Show what is more or less than before: of two data files, of two moments of one, or of several runs "
           "on each side, whose medians are compared.  Functions are matched by name, so that both may be of "
           "different builds."};

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
                   ends->at ? "%s: --cost=%s: what is temporary, or was alive at the peak, is not known of a moment"
                            : "%s: --cost=%s: what was alive at the peak is not known of a part",
                   operand->text, mp_sorts[cost].key);
}

static bool
add(const struct input *input, const struct operand *operand, struct mp_join *join, struct mp_error *error)
{
    struct mp_view_input wanted = input->view;
    struct mp_viewed viewed;
    char *file, *moments;
    bool ok;

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
        .raw = mp_frames_shown(view) != MP_FRAMES_LISP,
        .by_cells = is_part(input) || !mp_sorts[input->compare.print.sort].by_size};
    struct mp_join *join = mp_join_new(&wanted);

    for (size_t i = 0; i < input->n; i++) {
        if (add(input, &input->operands[i], join, error))
            continue;
        mp_join_free(join);
        return NULL;
    }
    mp_join_finish(join);
    return join;
}

/* ---------------------------------------------------------------- writing */

static bool
write_text(const void *comparison, struct mp_error *error)
{
    return mp_compare_text(comparison, stdout, error);
}

/* Begins the output to PATH, which must not be one of the compared files. On failure returns NULL and fills *ERROR. */
static FILE *
begin_output(const struct input *input, struct mp_output_file *output, const char *path, struct mp_error *error)
{
    char **files = mp_need(calloc(input->n + 1, sizeof *files)), *moments;
    struct mp_window_ends ends;
    FILE *out;

    for (size_t i = 0; i < input->n; i++)
        split(input->operands[i].text, &files[i], &moments, &ends);
    out = mp_output_begin(output, path, (const char *const *)files, error);
    for (size_t i = 0; i < input->n; i++)
        free(files[i]);
    free(files);
    return out;
}

/* Writes the comparison without a pager. A page goes to a file unless -o- was given. */
static bool
write_file(const struct input *input, const struct mp_comparison *comparison, struct mp_error *error)
{
    const bool named = input->output || !input->html;
    struct mp_output_file output;
    FILE *out = begin_output(input, &output, named ? input->output : PAGE, error);
    bool ok = out && (input->json   ? mp_compare_json
                      : input->html ? mp_html_compare_write
                                    : mp_compare_text)(comparison, out, error);

    ok = out && mp_output_end(&output, ok, error);
    if (ok && !named && !mp_quiet())
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
    size_t size;
    char *part;
    FILE *words = mp_need(open_memstream(&part, &size));
    bool ok = join != NULL;

    mp_part_print(input->view.view.focus, &input->view.filters, words);
    fclose(words);
    input->compare.part = mp_need(part);
    if (ok)
        ok = show_join(input, join, error);
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
        .view = MP_VIEW_INPUT_DEFAULT, .compare = {.print = MP_PRINT_DEFAULT, .part = "",
                                                   .by = 1u << MP_BY_FUNCTION | 1u << MP_BY_CHAIN}};
    int status;

    input.operands = mp_need(calloc((size_t)argc + 2, sizeof *input.operands));
    find_separator(argc, argv);
    status = mp_options_parse(&parser, "diff", argc, argv, 0, &input, error);
    if (status < 0)
        status = mp_exit_status(show(&input, error), error);
    mp_view_input_free(&input.view);
    free(input.operands);
    return status;
}

const struct mp_command mp_cmd_diff = {"diff", "show what is more or less than before", &parser, run};
