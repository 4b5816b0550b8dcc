/*
 * mprof dump: prints every chain with its figures, for scripts, without tables or thresholds.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "input_files.h"
#include "reporter/output/dump.h"
#include "reporter/load/load.h"
#include "reporter/profile/sort.h"
#include "reporter/run/data_file.h"
#include "view_options.h"

struct input {
    const char *file;
    struct mp_dump_options dump;
    bool has_cost;              /* --cost was given */
};

static bool
check(void *to)
{
    const struct input *input = to;

    return !input->has_cost || input->dump.format == MP_DUMP_FOLDED ||
           mp_options_refuse("--cost=%s: of --format=folded only", mp_sorts[input->dump.cost].key);
}

static const char *const formats[] = {
    [MP_DUMP_CHAINS] = "chains", [MP_DUMP_IDS] = "ids", [MP_DUMP_FOLDED] = "folded", [MP_DUMP_LIFETIMES] = "lifetimes"};

static const struct mp_option options[] = {
    {"format", 0, "FORM", "chains (the default), ids, folded or lifetimes",
     MP_WORD(struct input, dump.format, formats, 4)},
    {"cost", 0, "KEY", "What folded counts: bytes (the default), allocs, kept, peak or temporary",
     MP_COST(struct input, dump.cost), .also = MP_FIELD(bool, struct input, has_cost)},
    {"all-frames", 0, NULL, "Functions that start main and threads, too", MP_FLAG(struct input, dump.all_frames)},
    {"lisp", 0, NULL, "Objects of Lisp only, by type", MP_FLAG(struct input, dump.lisp)},
    {"frames", 0, "WHICH", "Functions shown: lisp, c or all", MP_FRAMES(struct input, dump.frames)},
    {0},
};

static int
run_dump(int argc, char **argv, struct mp_error *error)
{
    struct input input = { .file = MP_DEFAULT_FILE };
    struct mp_profile *profile;
    int status;
    bool ok;

    status = mp_options_parse(&mp_cmd_dump, argc, argv, &input, error);
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
    "dump", "print every chain with its figures, for scripts", run_dump,
    .options = options, .groups = {{mp_window_options, offsetof(struct input, dump.window)}},
    .argument = {.value = "[FILE|PID]", MP_FILE(struct input, file)}, .check = check,
    .doc = "Print every chain with its figures: allocations, bytes, frees, bytes freed, bytes and "
           "blocks live at the peak, temporary allocations, and the functions, outermost first, "
           "separated by semicolons.  Of a program with several threads, the bytes live at the "
           "peak need not add up to the peak, which is known to within peak-slack only.  Of a chain "
           "of more than 2000 functions the first ones stand as @n, which an earlier line, of zeros, "
           "defines.",
    .notes = "With --lisp, every type on every chain: objects, bytes, bytes asked for, objects and "
             "bytes collected, objects and bytes kept, objects that survived one, two, four "
             "collections or more, the type, a tab, and the functions.",
};
