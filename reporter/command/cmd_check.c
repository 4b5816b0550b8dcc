/*
 * mprof check: does a program keep to its limits?
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "limit_options.h"
#include "options.h"
#include "output_file.h"
#include "reporter/base/text.h"
#include "reporter/limits/limits_file.h"
#include "reporter/limits/suggest.h"
#include "reporter/limits/verdict_output.h"
#include "reporter/run/data_file.h"

enum { OPT_LIMITS = 512, OPT_JUNIT, OPT_GITHUB, OPT_GITLAB, OPT_SUGGEST, OPT_MOST };

#define MOST 5u                 /* chains of a limit */

static const struct argp_option options[] = {
    {"limits", OPT_LIMITS, "FILE", 0, "Take limits from FILE, too, for all programs or by name", 1},
    {"max", OPT_MOST, "N", 0, "Show N chains of a limit (5)", 1},
    {"quiet", 'q', NULL, 0, "Say only what is over a limit", 1},
    {"junit", OPT_JUNIT, "FILE", 0, "Write FILE for what shows results of tests, as JUnit's XML", 1},
    {"github", OPT_GITHUB, NULL, 0, "Print annotations for GitHub, each at its line", 1},
    {"gitlab", OPT_GITLAB, "FILE", 0, "Write FILE for GitLab, a report on code quality", 1},
    {"suggest", OPT_SUGGEST, "FORM", OPTION_ARG_OPTIONAL,
     "Print suppressions for what is kept instead: valgrind (the default) or lsan", 1},
    {0},
};

struct input {
    struct mp_limit_input limits;
    struct mp_view_input names;
    const char *limits_file, *junit, *gitlab;
    unsigned long most;
    bool quiet, github;
    enum mp_suggest suggest;    /* 0: no */
    char **files;               /* NULL behind the last */
};

static error_t
set_suggest(struct input *input, const char *form)
{
    if (form && strcmp(form, "valgrind") != 0 && strcmp(form, "lsan") != 0)
        return mp_options_refuse("--suggest=%s: valgrind or lsan", form);
    input->suggest = form && strcmp(form, "lsan") == 0 ? MP_SUGGEST_LSAN : MP_SUGGEST_VALGRIND;
    return 0;
}

static error_t
parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->limits;
        state->child_inputs[1] = &input->names;
        return 0;
    case OPT_LIMITS:
        input->limits_file = arg;
        return 0;
    case OPT_MOST:
        return mp_options_number(arg, 1, UINT32_MAX, &input->most)
                   ? 0 : mp_options_refuse("--max=%s: not a number of chains", arg);
    case 'q':
        input->quiet = true;
        return 0;
    case OPT_JUNIT:
        input->junit = arg;
        return 0;
    case OPT_GITHUB:
        input->github = true;
        return 0;
    case OPT_GITLAB:
        input->gitlab = arg;
        return 0;
    case OPT_SUGGEST:
        return set_suggest(input, arg);
    case ARGP_KEY_ARGS:
        input->files = state->argv + state->next;
        return 0;
    case ARGP_KEY_END:
        return input->suggest || input->limits_file || mp_limit_input_any(&input->limits)
                   ? 0 : mp_options_refuse("no limit is given, as --max-kept=4K");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&mp_limit_argp, 0, NULL, 0}, {&mp_names_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "[FILE...]", .children = children,
    .doc = "Check that what is recorded in each FILE (" MP_DEFAULT_FILE ") keeps to limits, and say by "
           "whose fault it does not.\v"
           "The exit status is 0 if all do, 1 if something is over its limit, and 2 if that cannot be "
           "told.",
};

/* ---------------------------------------------------------------- files */

/* One data file, checked. */
struct one {
    struct mp_profile *profile;
    struct mp_limit_input limits;       /* of the limits file and of the command line */
    struct mp_check check;
};

struct all {
    const struct input *input;
    struct one *list;
    const struct mp_verdict **verdicts;
    size_t n;
};

static const struct argp_child only_limits[] = {{&mp_limit_argp, 0, NULL, 0}, {0}};

static error_t
parse_limits(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

/* The limits of the limits file. */
static bool
read_limits(const struct input *input, struct one *one, struct mp_error *error)
{
    static const struct argp limits_only = {.parser = parse_limits, .children = only_limits};
    const char *program = mp_text_basename(one->profile->meta.program);
    struct mp_limits_argv of_file = {.arena = one->limits.arena};
    char text[sizeof error->text];

    if (!mp_limits_file_read(input->limits_file, program, &of_file, error))
        return false;
    if (mp_options_parse(&limits_only, "check", (int)of_file.n, of_file.list, 0, &one->limits,
                         error) < 0)
        return true;
    strcpy(text, error->text);
    return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s: %.400s", input->limits_file, text);
}

/* Limits of the command line are added to those of the file. */
static void
add_limits(struct mp_limit_input *to, const struct mp_limit_input *more)
{
    for (uint32_t i = 0; i < more->bounds.n; i++) {
        to->bounds.list = mp_arena_grow(to->arena, to->bounds.list, to->bounds.n, &to->bounds.room,
                                        sizeof *to->bounds.list);
        to->bounds.list[to->bounds.n++] = more->bounds.list[i];
    }
    for (uint32_t i = 0; i < more->suppressions.n; i++) {
        to->suppressions.list =
            mp_arena_grow(to->arena, to->suppressions.list, to->suppressions.n,
                          &to->suppressions.room, sizeof *to->suppressions.list);
        to->suppressions.list[to->suppressions.n++] = more->suppressions.list[i];
    }
    if (more->baseline) {
        to->baseline = more->baseline;
        to->tolerance = more->tolerance;
    }
}

static bool
check_file(struct all *all, const char *path, struct mp_error *error)
{
    const struct input *input = all->input;
    struct one *one = &all->list[all->n];

    one->profile = mp_view_input_load(&input->names, path, error);
    if (!one->profile)
        return false;
    mp_limit_input_init(&one->limits);
    all->n++;
    if (input->limits_file && !read_limits(input, one, error))
        return false;
    add_limits(&one->limits, &input->limits);
    if (!mp_check_begin(&one->check, one->profile, &one->limits, &input->names,
                        (uint32_t)input->most, error))
        return false;
    all->verdicts[all->n - 1] = one->check.verdict;
    return true;
}

/* ---------------------------------------------------------------- results */

/* The working directory: sources in it are told by their place there. */
static char *
folder_of_sources(void)
{
    char *folder = getcwd(NULL, 0);

    return folder ? folder : mp_need(strdup(""));
}

static void
print(const struct all *all, const char *folder)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct mp_verdict *verdict = all->verdicts[i];

        if (all->n > 1 && (!all->input->quiet || verdict->n_over > 0))
            printf("%s%s (%s)\n", i > 0 && !all->input->quiet ? "\n" : "",
                   mp_verdict_program(verdict), all->input->files[i]);
        mp_verdict_text(verdict, all->input->quiet, stdout);
        if (verdict->n == 0 && !all->input->quiet)
            printf("no limits for %s\n", mp_verdict_program(verdict));
        if (all->input->github)
            mp_verdict_github(verdict, folder, stdout);
    }
}

static bool
write_files(const struct all *all, const char *folder, struct mp_error *error)
{
    const struct input *input = all->input;
    struct mp_output_file output;

    if (input->junit) {
        mp_verdict_junit(all->verdicts, all->n, mp_output_begin(&output, input->junit));
        if (!mp_output_end(&output, true, error))
            return false;
    }
    if (input->gitlab) {
        mp_verdict_gitlab(all->verdicts, all->n, folder, mp_output_begin(&output, input->gitlab));
        if (!mp_output_end(&output, true, error))
            return false;
    }
    return true;
}

static bool
suggest(const struct all *all, struct mp_error *error)
{
    for (size_t i = 0; i < all->n; i++) {
        struct mp_limit_input *limits = &all->list[i].limits;
        struct mp_profile *left = mp_suppress(all->list[i].profile, &limits->suppressions);
        size_t n = mp_suggest(left, all->input->suggest, stdout, error);

        mp_profile_free(left);
        if (n == SIZE_MAX)
            return false;
    }
    return true;
}

static bool
check_all(struct all *all, bool *over, struct mp_error *error)
{
    char **files = all->input->files, *folder;
    bool ok = true;

    for (size_t i = 0; files[i] && ok; i++)
        ok = check_file(all, files[i], error);
    if (!ok || all->input->suggest)
        return ok && suggest(all, error);
    folder = folder_of_sources();
    print(all, folder);
    ok = write_files(all, folder, error);
    free(folder);
    for (size_t i = 0; i < all->n; i++)
        *over |= all->verdicts[i]->n_over > 0;
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    static char usual[] = MP_DEFAULT_FILE, *of_usual[] = {usual, NULL};
    struct input input = {.names = MP_VIEW_INPUT_DEFAULT, .files = of_usual, .most = MOST};
    struct all all = {.input = &input};
    size_t n = 0;
    bool over = false;
    int status;

    mp_limit_input_init(&input.limits);
    status = mp_options_parse(&parser, "check", argc, argv, 0, &input, error);
    if (status < 0) {
        while (input.files[n])
            n++;
        all.list = mp_need(calloc(n + 1, sizeof *all.list));
        all.verdicts = mp_need(calloc(n + 1, sizeof *all.verdicts));
        status = !check_all(&all, &over, error) ? MP_EXIT_USAGE : over;
        for (size_t i = 0; i < all.n; i++) {
            mp_check_end(&all.list[i].check);
            mp_limit_input_free(&all.list[i].limits);
            mp_profile_free(all.list[i].profile);
        }
        free(all.list);
        free(all.verdicts);
    }
    mp_view_input_free(&input.names);
    mp_limit_input_free(&input.limits);
    return status;
}

const struct mp_command mp_cmd_check = {
    "check", "check that a program keeps to its limits", &parser, run};
