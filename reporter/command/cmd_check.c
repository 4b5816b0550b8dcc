/*
 * mprof check: checks that programs keep to their limits.
 */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "command.h"
#include "options.h"
#include "reporter/base/text.h"
#include "reporter/limits/limits_file.h"
#include "reporter/limits/suggest.h"
#include "reporter/run/data_file.h"

enum { OPT_LIMITS = 512, OPT_SUGGEST, OPT_MOST };

#define MOST 5u                 /* default number of chains shown for a limit */

static const struct argp_option options[] = {
    {"limits", OPT_LIMITS, "FILE", 0, "Take limits from FILE, too, for all programs or by name", 1},
    {"max", OPT_MOST, "N|all", 0, "Show at most N chains of a limit (5)", 1},
    {"suggest", OPT_SUGGEST, "FORM", OPTION_ARG_OPTIONAL,
     "Print suppressions for what is kept instead: valgrind (the default) or lsan", 1},
    {0},
};

struct input {
    struct mp_limit_input limits;
    struct mp_view_input names;
    struct mp_checks_output output;
    const char *limits_file;
    unsigned most;
    enum mp_suggest suggest;    /* form of the suppressions to print; 0 to check limits */
    char **files;               /* data files and process ids, ending with NULL */
};

static error_t
set_suggest(struct input *input, const char *form)
{
    if (form && strcmp(form, "valgrind") != 0 && strcmp(form, "lsan") != 0)
        return mp_options_wrong("valgrind or lsan");
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
        state->child_inputs[2] = &input->output;
        return 0;
    case OPT_LIMITS:
        input->limits_file = arg;
        return 0;
    case OPT_MOST:
        return mp_options_rows(arg, &input->most);
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
    {&mp_limit_argp, 0, NULL, 0}, {&mp_names_argp, 0, NULL, 0}, {&mp_checks_argp, 0, NULL, 0}, {0}};

static const struct argp parser = {
    .options = options, .parser = parse, .args_doc = "[FILE|PID...]", .children = children,
    .doc = "Check that what is recorded in each FILE (" MP_DEFAULT_FILE ") keeps to limits, and say by "
           "whose fault it does not.\v"
           "The exit status is 0 if all do, 1 if something is over its limit, and 2 if that cannot be "
           "told.",
};

/* ---------------------------------------------------------------- files */

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

/* Reads the limits for PROFILE from the limits file. On failure returns false and fills *ERROR. */
static bool
read_limits(const struct input *input, const struct mp_profile *profile, struct mp_limit_input *limits,
            struct mp_error *error)
{
    static const struct argp limits_only = {.parser = parse_limits, .children = only_limits};
    const char *program = mp_text_basename(profile->meta.program);
    struct mp_limits_argv of_file = {.arena = limits->arena};
    char text[sizeof error->text];

    if (!mp_limits_file_read(input->limits_file, program, &of_file, error))
        return false;
    if (mp_options_parse(&limits_only, "check", (int)of_file.n, of_file.list, MP_OPTIONS_REPEATED, limits, error) < 0)
        return true;
    memcpy(text, error->text, sizeof text);
    return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "%s: %.400s", input->limits_file, text);
}

static bool
suggest(const struct input *input, const struct mp_profile *profile, struct mp_limit_input *limits,
        struct mp_error *error)
{
    struct mp_profile *left = mp_suppress(profile, &limits->suppressions);
    size_t n = mp_suggest(left, input->suggest, stdout, error);

    mp_profile_free(left);
    return n != SIZE_MAX;
}

/* Checks the data file or process PATH. Applies the limits of the command line and of the limits file. */
static bool
check_file(const struct input *input, const char *path, struct mp_checks *checks, struct mp_error *error)
{
    struct mp_profile *profile = mp_view_input_load(&input->names, path, error);
    struct mp_limit_input limits;
    bool ok;

    if (!profile)
        return false;
    mp_limit_input_init(&limits);
    ok = !input->limits_file || read_limits(input, profile, &limits, error);
    mp_limit_input_add(&limits, &input->limits);
    if (ok)
        ok = input->suggest ? suggest(input, profile, &limits, error)
                            : mp_checks_add(checks, profile, path, &limits, &input->names, input->most,
                                            error);
    mp_limit_input_free(&limits);
    mp_profile_free(profile);
    return ok;
}

static bool
check_all(const struct input *input, struct mp_checks *checks, struct mp_error *error)
{
    for (char **file = input->files; *file; file++)
        if (!check_file(input, *file, checks, error))
            return false;
    return input->suggest || mp_checks_show(checks, stdout, error);
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    static char usual[] = MP_DEFAULT_FILE, *of_usual[] = {usual, NULL};
    struct input input = {.names = MP_VIEW_INPUT_DEFAULT, .files = of_usual, .most = MOST};
    int status;

    mp_limit_input_init(&input.limits);
    status = mp_options_parse(&parser, "check", argc, argv, 0, &input, error);
    if (status < 0) {
        struct mp_checks checks = mp_checks(&input.output);
        const bool ok = check_all(&input, &checks, error);

        status = mp_exit_verdict(ok, ok ? mp_checks_status(&checks) : 0, error);
        mp_checks_free(&checks);
    }
    mp_view_input_free(&input.names);
    mp_limit_input_free(&input.limits);
    return status;
}

const struct mp_command mp_cmd_check = {
    "check", "check that a program keeps to its limits", &parser, run};
