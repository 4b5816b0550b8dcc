/* SPDX-License-Identifier: MIT */
/* mprof leaks: shows which blocks are lost and who allocated them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "limit_options.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/process/heap_request.h"
#include "reporter/profile/ending.h"
#include "reporter/verdict/leaks_output.h"

#define SECOND      UINT64_C(1000000000)        /* ns */
#define MOST        20u         /* default number of chains shown for each class */
#define CHAIN       5u          /* default number of functions shown for a chain */

struct input {
    struct mp_view_input names;
    struct mp_leaks_options leaks;
    struct mp_suppressions suppressions;
    const char *of;             /* data file, snapshot or process id */
    unsigned wait, status;      /* `status` is the exit status if a block is lost; 0 if that is not an error */
    bool json, error;           /* `error`: --error was given */
};

/* ---------------------------------------------------------------- options */

static const char *
class_word(unsigned i)
{
    return i < MP_LEAKS ? mp_leak_names[i] : i == MP_LEAKS ? "all" : NULL;
}

static bool
settle_status(void *to)
{
    struct input *input = to;

    if (input->error && input->status == 0)
        input->status = MP_EXIT_ERROR;
    return true;
}

static const struct mp_option options[] = {
    {"show", 0, "CLASS,...",
     "Show chains of the classes definite, possible, indirect, reachable or all (default definite,possible)",
     MP_SET(struct input, leaks.show, class_word, MP_LEAKS)},
    {"error", 0, NULL, "Exit with status 1 if a block is definitely or possibly lost", MP_FLAG(struct input, error)},
    {"error-exitcode", 0, "STATUS", "Exit with STATUS (1 to 255) if a block is definitely or possibly lost",
     MP_COUNT(struct input, status, 1, 255)},
    {"suppressions", 0, "FILE", "Ignore losses on the chains in FILE (LeakSanitizer or valgrind format)",
     MP_STORED(mp_parse_suppressions, struct mp_suppressions, struct input, suppressions), .many = true},
    {"chain", 0, "N|all", "Show the last N functions of each chain (default 5)",
     MP_CHAIN(struct input, leaks.chain)},
    {"max", 0, "N|all", "Show at most N chains of each class (default 20)", MP_ROWS(struct input, leaks.most)},
    {MP_JSON("mprof-leaks(1)", struct input, json)},
    {MP_WAIT(struct input, wait)},
    {0},
};

/* ---------------------------------------------------------------- lost blocks */

/* Prints LEAKS and frees them. Sets *LOST if blocks are lost and that is an error. LEAKS may be NULL; then returns
 * false. */
static bool
show(struct input *input, struct mp_leaks *leaks, bool *lost, struct mp_error *error)
{
    bool ok;

    if (!leaks)
        return false;
    input->leaks.view = input->names.view;
    if (input->suppressions.n > 0)
        input->leaks.suppressions = &input->suppressions;
    if (input->status)
        *lost = mp_leaks_left(leaks, MP_LEAK_DEFINITE, &input->suppressions).blocks > 0 ||
                mp_leaks_left(leaks, MP_LEAK_POSSIBLE, &input->suppressions).blocks > 0;
    for (uint32_t i = 0; i < input->suppressions.n; i++)
        input->suppressions.list[i].blocks = input->suppressions.list[i].bytes = 0;
    ok = input->json ? mp_leaks_json(leaks, &input->leaks, stdout, error)
                     : mp_leaks_text(leaks, &input->leaks, stdout, error);
    mp_leaks_free(leaks);
    return ok;
}

static bool
of_process(struct input *input, uint32_t pid, bool *lost, struct mp_error *error)
{
    volatile sig_atomic_t *interrupted = mp_until_interrupted();
    struct mp_profile *profile = NULL;
    struct mp_process process;
    struct mp_heap *heap;
    char name[64];
    bool ok = false;
    int snapshot;

    if (!mp_process_open(pid, &process, error))
        return false;
    snprintf(name, sizeof name, "the snapshot of process %" PRIu32, pid);
    snapshot = mp_scan_ask(&process, MP_REQUEST_LEAKS, input->wait * SECOND, interrupted, name, error);
    if (snapshot >= 0)
        profile = mp_view_input_load(&input->names, process.file.path, error);
    heap = profile ? mp_heap_load_open(snapshot, name, error) : NULL;
    if (heap)
        ok = show(input, mp_leaks_of(heap, process.file.path, profile, error), lost, error);
    else if (snapshot >= 0 && !profile)
        close(snapshot);
    mp_profile_free(profile);
    mp_process_close(&process);
    return ok;
}

/* Fills *ERROR with the reason why the recording FILE has no snapshot. */
static void
fail_unknown(const char *file, const struct mp_meta *meta, struct mp_error *error)
{
    char ending[MP_ENDING_SIZE], why[MP_LEAKS_ABSENCE_SIZE];

    if (meta->scan_size > 0)
        mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s contains its snapshot, which mprof seal writes beside it",
                file);
    else if (meta->leaks != MP_LEAKS_UNWANTED)
        mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s: no snapshot shows which blocks are lost: %s", file,
                mp_leaks_absence(meta, why));
    else if (meta->ending == MP_END_EXITED)
        mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s: no snapshot shows which blocks are lost; record with "
                "mprof run --leaks, or examine a running process by mprof leaks PID", file);
    else
        mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s: no snapshot shows which blocks are lost; mprof run --leaks "
                "takes one when a program exits, but this recording ended otherwise: %s", file,
                mp_ending_text(meta, ending));
}

static bool
of_recording(struct input *input, bool *lost, struct mp_error *error)
{
    struct mp_profile *profile = mp_view_input_load(&input->names, input->of, error);
    char *newest = profile ? mp_scan_newest(input->of, &profile->meta) : NULL;
    bool ok = newest && show(input, mp_leaks_find(newest, input->of, profile, error), lost, error);

    if (profile && !newest)
        fail_unknown(input->of, &profile->meta, error);
    free(newest);
    mp_profile_free(profile);
    return ok;
}

static bool
of_file(struct input *input, bool *lost, struct mp_error *error)
{
    return mp_heap_is_snapshot(input->of) ? show(input, mp_leaks_find(input->of, NULL, NULL, error), lost, error)
                                          : of_recording(input, lost, error);
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.names = MP_VIEW_INPUT_COMPARED, .of = MP_DEFAULT_FILE,
                          .leaks = {.most = MOST, .chain = CHAIN},
                          .wait = 1, .suppressions.arena = mp_arena_new(),
                          .leaks.show = 1u << MP_LEAK_DEFINITE | 1u << MP_LEAK_POSSIBLE};
    int status = mp_options_parse(&mp_cmd_leaks, argc, argv, &input, error);
    bool lost = false, ok;

    if (status < 0) {
        const uint32_t pid = mp_process_meant(input.of);

        ok = pid != 0 ? of_process(&input, pid, &lost, error) : of_file(&input, &lost, error);
        status = mp_exit_verdict(ok, lost ? (int)input.status : 0, error);
    }
    mp_arena_free(input.suppressions.arena);
    mp_view_input_free(&input.names);
    return status;
}

const struct mp_command mp_cmd_leaks = {
    "leaks", "show which blocks of a C program are lost", run,
    .options = options, .groups = {MP_NAMES_GROUP(struct input, names)},
    .argument = {.value = "[FILE|PID]", MP_FILE(struct input, of)}, .check = settle_status,
    .doc = "Show which blocks of a C program are lost, that is, which the program can no longer reach.",
    .notes = "FILE (" MP_DEFAULT_FILE ") is a data file of mprof run --leaks or one of its snapshots FILE.1.heap.  A "
             "running process PID is examined now.  The exit status is 2 if the losses cannot be determined.",
};
