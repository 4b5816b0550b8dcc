/* SPDX-License-Identifier: MIT */
/*
 * mprof watch: observes a recording that was not started by mprof run or is already running.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "option_table.h"
#include "reporter/base/arena.h"
#include "reporter/base/format_number.h"
#include "reporter/base/open_file.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/file/live_writer.h"
#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/process/observe.h"
#include "reporter/process/process.h"
#include "reporter/profile/ending.h"
#include "reporter/symbols/load.h"

struct input {
    const char *what, *output;
};

static bool
check(void *to)
{
    const struct input *input = to;

    return input->what || mp_options_refuse("no process id or data file is given");
}

static const struct mp_option options[] = {
    {"output", 'o', "FILE", "Write to FILE instead of the recording's data file or a copy beside it",
     MP_NEW_DATA_FILE(struct input, output)},
    {0},
};

/* ---------------------------------------------------------------- the process */

/* Finds the process that records in the live file PATH. Returns false and fills *ERROR if no process does. */
static bool
process_of_file(const char *path, uint32_t *pid, struct mp_error *error)
{
    struct mp_live_header *header = aligned_alloc(_Alignof(struct mp_live_header), sizeof *header);
    int fd = mp_open(path);
    bool runs = header && fd >= 0 && pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
                memcmp(header->magic, MP_LIVE_MAGIC, sizeof header->magic) == 0 &&
                header->state == MP_STATE_RUNNING && mp_writer_runs(header, fd);

    *pid = runs ? header->pid : 0;
    free(header);
    if (fd >= 0)
        close(fd);
    return runs || mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: no process is recording in this file", path);
}

static bool
open_process(const char *what, struct mp_process *process, struct mp_error *error)
{
    uint32_t pid = mp_process_id(what);

    if (pid == 0 && !process_of_file(what, &pid, error))
        return false;
    if (!mp_process_open(pid, process, error))
        return false;
    if (process->header->state == MP_STATE_RUNNING)
        return true;
    mp_process_close(process);
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " is not recorded now", pid);
}

/* Observes the process until it ends or a signal interrupts. */
static bool
watch(const struct mp_process *process, struct mp_observer *observer, struct mp_error *error)
{
    int fd = mp_process_reopen(process);
    volatile sig_atomic_t *interrupted;

    if (fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s cannot be read", process->file.path);
    interrupted = mp_until_interrupted();
    if (!mp_quiet())
        fprintf(stderr, "mprof: watching process %" PRIu32 " until it ends; Ctrl-C stops this\n", process->pid);
    mp_observer_watch(observer, (pid_t)process->pid, fd, interrupted);
    return true;
}

/* ---------------------------------------------------------------- the result */

/* Seals PROFILE to the file PATH and stores its size in *SIZE. Returns its name, which the caller frees. On failure
 * returns NULL and fills *ERROR. */
static char *
write_named(const char *path, const struct mp_profile *profile, uint64_t *size, struct mp_error *error)
{
    return mp_data_file_check(path, false, error) && mp_seal(profile, path, size, error) ? mp_need(strdup(path)) : NULL;
}

/* Seals PROFILE to the recording's own FILE. If a process still writes FILE or an mprof run will seal it, creates a
 * new file beside it. Returns the name of the file written, which the caller frees. On failure returns NULL and fills
 * *ERROR. */
static char *
write_own(const struct mp_file_at *file, const struct mp_profile *profile, uint64_t *size, struct mp_error *error)
{
    struct mp_file_at made;
    struct mp_error busy;
    char *name = NULL;

    if (mp_file_at_stands(file) && mp_writer_is_away(file->path, &busy))
        return mp_seal_at(profile, file, size, error) ? mp_need(strdup(file->path)) : NULL;
    if (!mp_data_file_snapshot(file, &made, error))
        return NULL;
    if (mp_seal_at(profile, &made, size, error))
        name = mp_need(strdup(made.path));
    else
        mp_file_at_remove(&made);
    mp_file_at_close(&made);
    return name;
}

static void
print_done(const struct mp_profile *profile, const char *file, uint64_t size)
{
    char number[MP_NUMBER_SIZE];

    if (mp_quiet())
        return;
    mp_text_printf(stdout, "mprof: %s of data in %s", mp_number_bytes(size, number), file);
    puts(profile->timeline ? "; to see it:" : ", without a time line: it ended too soon; to see it:");
    fputs(profile->timeline ? "mprof plot -o " : "mprof report ", stdout);
    if (profile->timeline) {
        mp_text_shell(stdout, file);
        fputs(".svg ", stdout);
    }
    mp_text_shell(stdout, file);
    putchar('\n');
}

/* Writes the result to the file OUTPUT, or to that of the recording if OUTPUT is NULL. */
static bool
write_result(const char *output, const struct mp_process *process, const struct mp_observer *observer,
             struct mp_error *error)
{
    const struct mp_observed *observed =
        mp_observer_of(observer, process->header->start_monotonic);
    struct mp_profile *profile = mp_read_observed(process->file.path, observed, error);
    uint64_t size = 0;
    char *file = NULL;
    bool ok;

    if (profile) {
        mp_ending_copied(&profile->meta);
        mp_seal_fit_time(profile, mp_observer_room(observer, profile->n_cells));
    }
    if (profile && mp_load_names(profile, error))
        file = output ? write_named(output, profile, &size, error)
                      : write_own(&process->file, profile, &size, error);
    ok = file != NULL;
    if (ok)
        print_done(profile, file, size);
    free(file);
    mp_profile_free(profile);
    return ok;
}

static int
run(int argc, char **argv, struct mp_error *error)
{
    struct input input = {0};
    struct mp_observer observer = {.size = MP_TIMELINE_SIZE, .grows = true};
    int status = mp_options_parse(&mp_cmd_watch, argc, argv, &input, error);
    struct mp_process process;
    char *output = NULL;
    bool ok;

    if (status >= 0)
        return status;
    if (!open_process(input.what, &process, error))
        return mp_exit_status(false, error);
    if (input.output)
        output = mp_process_output(&process, input.output, error);
    ok = !input.output || (output && mp_data_file_check(output, false, error));
    ok = ok && watch(&process, &observer, error) && write_result(output, &process, &observer, error);
    free(output);
    mp_observer_free(&observer);
    mp_process_close(&process);
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_watch = {
    "watch", "observe a running recording to give it a time line", run,
    .options = options, .argument = {.value = "PID|FILE", MP_FILE(struct input, what)}, .check = check,
    .doc = "Observe the recording of process PID, or in the data file FILE, until it ends or Ctrl-C interrupts this "
           "command, and store a time line.",
    .notes = "If the recording has ended, the time line is stored in its data file, else in a copy FILE.snapshot.1, "
             ".2 ...  The process does not notice.",
};
