/* mprof seal: seals data files of programs that ran without mprof run. */
#include <stdio.h>

#include "command.h"
#include "options.h"
#include "reporter/base/format_number.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/output/load.h"
#include "reporter/run/data_file.h"
#include "reporter/run/harvest.h"

struct input {
    char **files;               /* data files, ending with NULL */
};

static error_t
parse(int key, char *argument, struct argp_state *state)
{
    struct input *input = state->input;

    (void)argument;
    if (key != ARGP_KEY_ARGS)
        return ARGP_ERR_UNKNOWN;
    input->files = state->argv + state->next;
    return 0;
}

static const struct argp parser = {
    .parser = parse, .args_doc = "[FILE...]",
    .doc = "Seal data files (" MP_DEFAULT_FILE ") of programs that ran without mprof run: names instead of addresses, "
           "compact, portable.  A file that is sealed already stays as it is.",
};

static bool
seal(const char *path, struct mp_error *error)
{
    char number[MP_NUMBER_SIZE];
    struct mp_profile *profile;
    struct mp_file_at file;
    uint64_t size;
    bool ok;

    if (mp_data_file_is_sealed(path))
        return true;
    if (!mp_harvest_open(path, &file, error))
        return false;
    profile = mp_load(path, NULL, error);
    ok = profile && mp_harvest_seal(profile, &file, &size, error);
    if (ok && !mp_quiet()) {
        fprintf(stderr, "mprof: %s of data in ", mp_number_bytes(size, number));
        mp_text_print(stderr, path);
        putc('\n', stderr);
    }
    mp_profile_free(profile);
    mp_file_at_close(&file);
    return ok;
}

/* Tries to seal all files. Prints the error of each file that fails, except that of the last, which main() prints. */
static int
run(int argc, char **argv, struct mp_error *error)
{
    static char usual[] = MP_DEFAULT_FILE, *of_usual[] = {usual, NULL};
    struct input input = {.files = of_usual};
    const int status = mp_options_parse(&parser, "seal", argc, argv, 0, &input, error);
    bool ok = true;

    if (status >= 0)
        return status;
    for (char **file = input.files; *file; file++) {
        struct mp_error failure = {.text = ""};

        if (seal(*file, &failure))
            continue;
        if (!ok)
            mp_error_print(error);
        *error = failure;
        ok = false;
    }
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_seal = {
    "seal", "make data files compact and portable", &parser, run};
