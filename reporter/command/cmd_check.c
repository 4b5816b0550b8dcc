/* SPDX-License-Identifier: MIT */
/*
 * mprof check: checks that programs keep to their limits.
 */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "command.h"
#include "option_table.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/verdict/limits_file.h"
#include "reporter/verdict/suggest.h"

#define MOST 5u                 /* default number of chains shown for a limit */

struct input {
    struct mp_limit_input limits;
    struct mp_view_input names;
    struct mp_checks_output output;
    const char *limits_file;
    unsigned most;
    enum mp_suggest suggest;    /* form of the suppressions to print; 0 to check limits */
    char **files;               /* data files and process ids, ending with NULL */
};

static bool
parse_suggest(const struct mp_option *option, char *text, void *to)
{
    *(unsigned *)to = MP_SUGGEST_VALGRIND;
    return !text || mp_parse_word(option, text, to);
}

static bool
check(void *to)
{
    const struct input *input = to;

    return input->suggest || input->limits_file || mp_limit_input_any(&input->limits) ||
           mp_options_refuse("no limit is given, such as --max-kept=4K");
}

/* Names of the forms from MP_SUGGEST_VALGRIND on. */
static const char *const forms[] = {"valgrind", "lsan"};

static const struct mp_option options[] = {
    {"limits", 0, "FILE", "Also read limits from FILE, for all programs or by program name",
     MP_TEXT(struct input, limits_file)},
    {"max", 0, "N|all", "Show at most N chains for each limit (default 5)", MP_ROWS(struct input, most)},
    {"suggest", 0, "FORM",
     "Check nothing; print suppressions for all kept blocks in the format valgrind (the default) or lsan",
     MP_STORED(parse_suggest, unsigned, struct input, suggest), MP_WORDS(forms, 2), .low = MP_SUGGEST_VALGRIND,
     .optional = true},
    {0},
};

/* ---------------------------------------------------------------- files */

/* The limits in a file for this command. */
static const struct mp_command limits_of_file = {
    .name = "check", .groups = {{mp_limit_options, 0}}, .of_file = true};

/* Reads the limits for PROFILE from the limits file. On failure returns false and fills *ERROR. */
static bool
read_limits(const struct input *input, const struct mp_profile *profile, struct mp_limit_input *limits,
            struct mp_error *error)
{
    const char *program = mp_text_basename(profile->meta.program);
    struct mp_limits_argv of_file = {.arena = limits->arena};
    char text[sizeof error->text];

    if (!mp_limits_file_read(input->limits_file, program, &of_file, error))
        return false;
    if (mp_options_parse(&limits_of_file, (int)of_file.n, of_file.list, limits, error) < 0)
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
    struct input input = {.names = MP_VIEW_INPUT_COMPARED, .files = MP_DEFAULT_FILES, .most = MOST};
    int status;

    mp_limit_input_init(&input.limits);
    status = mp_options_parse(&mp_cmd_check, argc, argv, &input, error);
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
    "check", "check that a recording keeps to limits", run,
    .options = options,
    .groups = {{mp_limit_options, offsetof(struct input, limits)},
               {mp_checks_options, offsetof(struct input, output)},
               MP_NAMES_GROUP(struct input, names)},
    .argument = {.value = "[FILE|PID...]", MP_FILES(struct input, files)}, .check = check,
    .doc = "Check that the recording in each FILE (" MP_DEFAULT_FILE ") or process PID keeps to limits, and show "
           "which chains exceed them.",
    .notes = "The exit status is 0 if all limits are kept, 1 (or that of --error-exitcode) if one is exceeded, and 2 "
             "if they cannot be checked.",
};
