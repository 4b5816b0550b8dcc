/*
 * mprof dump: prints every chain with its figures, for scripts, without tables or thresholds.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "input_files.h"
#include "options.h"
#include "reporter/output/dump.h"
#include "reporter/load/load.h"
#include "reporter/profile/sort.h"
#include "reporter/run/data_file.h"
#include "window_options.h"

enum { OPT_ALL_FRAMES = 256, OPT_LISP, OPT_FRAMES, OPT_FORMAT, OPT_COST };

static const struct argp_option dump_options[] = {
    {"format", OPT_FORMAT, "FORM", 0, "chains (the default), ids, folded or lifetimes", 0},
    {"cost", OPT_COST, "KEY", 0, "What folded counts: bytes (the default), allocs, kept, peak or "
     "temporary", 0},
    {"all-frames", OPT_ALL_FRAMES, NULL, 0, "Functions that start main and threads, too", 0},
    {"lisp", OPT_LISP, NULL, 0, "Objects of Lisp only, by type", 0},
    {"frames", OPT_FRAMES, "WHICH", 0, "Functions shown: lisp, c or all", 0},
    {0},
};

struct input {
    const char *file;
    struct mp_dump_options dump;
    const char *cost;           /* argument of --cost; NULL if not given */
};

static error_t
set_format(struct input *input, const char *form)
{
    static const char *const forms[] = {
        [MP_DUMP_CHAINS] = "chains", [MP_DUMP_IDS] = "ids", [MP_DUMP_FOLDED] = "folded",
        [MP_DUMP_LIFETIMES] = "lifetimes"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(form, forms[i]) == 0) {
            input->dump.format = (enum mp_dump_format)i;
            return 0;
        }
    }
    return mp_options_refuse("--format=%s: chains, ids, folded or lifetimes", form);
}

static error_t
set_cost(struct input *input, const char *key)
{
    input->cost = key;
    return mp_options_cost(key, &input->dump.cost);
}

static error_t
parse(int key, char *argument, struct argp_state *state)
{
    struct input *input = state->input;

    switch (key) {
    case OPT_ALL_FRAMES:
        input->dump.all_frames = true;
        return 0;
    case OPT_LISP:
        input->dump.lisp = true;
        return 0;
    case OPT_FRAMES:
        input->dump.frames = mp_frames_called(argument);
        return input->dump.frames != MP_FRAMES_DEFAULT
                   ? 0 : mp_options_refuse("--frames=%s: lisp, c or all", argument);
    case OPT_FORMAT:
        return set_format(input, argument);
    case OPT_COST:
        return set_cost(input, argument);
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &input->dump.window;
        return 0;
    case ARGP_KEY_END:
        return !input->cost || input->dump.format == MP_DUMP_FOLDED
                   ? 0 : mp_options_refuse("--cost=%s: of --format=folded only", input->cost);
    case ARGP_KEY_ARG:
        return mp_options_file(&input->file, argument, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&mp_window_argp, 0, NULL, 0}, {0}};

static const struct argp dump_parser = {
    .options = dump_options, .parser = parse, .children = children, .args_doc = "[FILE|PID]",
    .doc = "Print every chain with its figures: allocations, bytes, frees, bytes freed, bytes and "
           "blocks live at the peak, temporary allocations, and the functions, outermost first, "
           "separated by semicolons.  Of a program with several threads, the bytes live at the "
           "peak need not add up to the peak, which is known to within peak-slack only.  Of a chain "
           "of more than 2000 functions the first ones stand as @n, which an earlier line, of zeros, "
           "defines.\v"
           "With --lisp, every type on every chain: objects, bytes, bytes asked for, objects and "
           "bytes collected, objects and bytes kept, objects that survived one, two, four "
           "collections or more, the type, a tab, and the functions.",
};

static int
run_dump(int argc, char **argv, struct mp_error *error)
{
    struct input input = { .file = MP_DEFAULT_FILE };
    struct mp_profile *profile;
    int status;
    bool ok;

    status = mp_options_parse(&dump_parser, "dump", argc, argv, 0, &input, error);
    if (status >= 0)
        return status;
    profile = mp_input_profile(input.file, error);
    if (!profile)
        return mp_exit_status(false, error);
    ok = mp_load_names(profile, NULL, error) && mp_dump_write(profile, &input.dump, stdout, error);
    mp_profile_free(profile);
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_dump = {
    "dump", "print every chain with its figures, for scripts", &dump_parser, run_dump};
