/* SPDX-License-Identifier: MIT */
/* mprof stop, start, snapshot, checkpoint: control the recording of a running process. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "option_table.h"
#include "reporter/base/arena.h"
#include "reporter/base/format_number.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/file/data_file.h"
#include "reporter/heap/heap_seal.h"
#include "reporter/process/heap_request.h"
#include "reporter/process/process.h"
#include "reporter/process/snapshot.h"
#include "reporter/view/moment_names.h"

#define SECOND       UINT64_C(1000000000)       /* ns */

struct input {
    uint32_t pid;
    const char *output;
    const char *name;           /* name of a checkpoint */
    uint64_t sample;            /* sampling period, bytes; MP_SAMPLE_AS_SAID keeps the one from the process's start */
    bool heap;
    unsigned wait;         /* maximum seconds to wait for an answer */
};

#define OUTPUT(text) {"output", 'o', "FILE", text, MP_NEW_DATA_FILE(struct input, output)}

static const struct mp_option only_wait[] = {{MP_WAIT(struct input, wait)}, {0}};

static bool
parse_process(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    (void)option;
    if (input->pid != 0)
        return mp_options_refuse("'%s': one process too many", text);
    input->pid = mp_process_id(text);
    return input->pid != 0 || mp_options_refuse("'%s' is not a process id", text);
}

static bool
check(void *to)
{
    const struct input *input = to;

    return input->pid != 0 || mp_options_refuse("no process id is given");
}

/* Parses the options and opens the process. Returns -1 to continue, or the exit status. */
static int
begin(const struct mp_command *command, int argc, char **argv, struct input *input, struct mp_process *process,
      struct mp_error *error)
{
    int status = mp_options_parse(command, argc, argv, input, error);

    if (status >= 0)
        return status;
    return mp_process_open(input->pid, process, error) ? -1 : mp_exit_status(false, error);
}

/* Returns whether the process was being recorded when the header was last copied. */
static bool
is_recording(const struct mp_process *process)
{
    return process->header->state == MP_STATE_RUNNING;
}

static void
print_later(const struct mp_process *process, const char *what)
{
    if (!mp_quiet())
        printf("mprof: process %" PRIu32 " allocates nothing now; %s when it does\n", process->pid, what);
}

static void
print_report_command(const char *file, bool lisp)
{
    if (mp_quiet())
        return;
    fputs(lisp ? "mprof --lisp report " : "mprof report ", stdout);
    mp_text_shell(stdout, file);
    putchar('\n');
}

/* ------------------------------------------------------------------- stop */

static void
print_stopped(const struct mp_process *process, enum mp_answer answer)
{
    if (mp_quiet())
        return;
    if (answer == MP_ANSWER_LATER)
        print_later(process, "recording will end");
    else if (answer == MP_ANSWER_ENDED)
        printf("mprof: process %" PRIu32 " has ended meanwhile; to see its recording:\n", process->pid);
    else
        printf("mprof: recording of process %" PRIu32 " ended; to see it:\n", process->pid);
    print_report_command(process->file.path, process->header->language != 0);
}

/* Handles stop for a process that is not being recorded. Withdraws a request to start that it has not seen yet.
 * Returns false and fills *ERROR if there is no such request. */
static bool
stop_start(struct mp_process *process, struct mp_error *error)
{
    enum mp_request before;

    if (!mp_process_withdraw(process, &before, error))
        return false;
    if (before != MP_REQUEST_START || is_recording(process))
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "process %" PRIu32 " is not recorded now",
                       process->pid);
    if (!mp_quiet())
        printf("mprof: process %" PRIu32 " will not be recorded\n", process->pid);
    return true;
}

static int
run_stop(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.wait = 1};
    struct mp_process process;
    int status = begin(&mp_cmd_stop, argc, argv, &input, &process, error);
    enum mp_answer answer;
    bool ok;

    if (status >= 0)
        return status;
    if (is_recording(&process)) {
        ok = mp_process_ask(&process, &(struct mp_wanted){.request = MP_REQUEST_STOP, .file = ""},
                            input.wait * SECOND, &answer, error);
        if (ok)
            print_stopped(&process, answer);
    } else {
        ok = stop_start(&process, error);
    }
    mp_process_close(&process);
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_stop = {
    "stop", "end the recording of a running process", run_stop,
    .options = only_wait, .argument = {.value = "PID", .parse = parse_process}, .check = check,
    .doc = "End the recording of process PID.  The process goes on.",
    .notes = "The data file stays, and mprof report shows it.  mprof start begins another recording.",
};

/* ------------------------------------------------------------------ start */

/* Returns the absolute path that OUTPUT means for PROCESS, or "" if OUTPUT is NULL. The caller frees the path. Checks
 * that a data file may be written there or, if HEAP is true, a heap snapshot, which replaces no file. On failure
 * returns NULL and fills *ERROR. */
static char *
new_file(const struct mp_process *process, const char *output, bool heap, struct mp_error *error)
{
    char *path = output ? mp_process_output(process, output, error) : strdup("");
    bool ok = path != NULL;

    if (ok && *path && heap && access(path, F_OK) == 0)
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s exists already; a heap snapshot replaces no file", path);
    if (ok && *path)
        ok = mp_data_file_check(path, false, error);
    if (!ok) {
        free(path);
        return NULL;
    }
    return path;
}

static bool
print_started(const struct mp_process *process, enum mp_answer answer, struct mp_error *error)
{
    const char *file = process->header->control.file;

    if (answer == MP_ANSWER_ENDED)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                       "process %" PRIu32 " has ended before it began a recording", process->pid);
    if (answer == MP_ANSWER_LATER) {
        print_later(process, "a recording will begin");
        return true;
    }
    if (mp_quiet())
        return true;
    printf("mprof: process %" PRIu32 " is recorded in ", process->pid);
    mp_text_print(stdout, file);
    puts("; to see it:");
    print_report_command(file, process->header->language != 0);
    return true;
}

static int
run_start(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.wait = 1, .sample = MP_SAMPLE_AS_SAID};
    struct mp_process process;
    int status = begin(&mp_cmd_start, argc, argv, &input, &process, error);
    struct mp_wanted wanted;
    enum mp_answer answer;
    char *file;
    bool ok;

    if (status >= 0)
        return status;
    file = new_file(&process, input.output, false, error);
    wanted = (struct mp_wanted){.request = MP_REQUEST_START, .file = file, .sample = (uint32_t)input.sample};
    ok = file && mp_process_ask(&process, &wanted, input.wait * SECOND, &answer, error) &&
         print_started(&process, answer, error);
    free(file);
    mp_process_close(&process);
    return mp_exit_status(ok, error);
}

static const struct mp_option start_options[] = {
    OUTPUT("Record into FILE (default: the first recording's name with .PID appended)"),
    {MP_SAMPLE(struct input, sample)},
    {MP_WAIT(struct input, wait)},
    {0}};

const struct mp_command mp_cmd_start = {
    "start", "begin a new recording of a running process", run_start,
    .options = start_options, .argument = {.value = "PID", .parse = parse_process}, .check = check,
    .doc = "Begin a new recording of process PID in a separate data file, and end a current one.",
    .notes = "The process must have been started by mprof run or with libmprof.so preloaded.  mprof run --stopped "
             "starts a program that records nothing until this command.",
};

/* --------------------------------------------------------------- snapshot */

static void
print_snapshot(const struct mp_snapshot *snapshot)
{
    char text[2][MP_NUMBER_SIZE];

    if (mp_quiet())
        return;
    printf("mprof: %s allocation%s, %s of data in ", mp_number_grouped(snapshot->allocs, text[0]),
           mp_plural(snapshot->allocs), mp_number_bytes(snapshot->size, text[1]));
    mp_text_print(stdout, snapshot->path);
    puts("; to see it:");
    print_report_command(snapshot->path, snapshot->lisp);
}

/* ---------------------------------------------------------- heap snapshot */

/* Creates the new file MADE for a heap snapshot. If PATH is NULL, the file is FILE.NUMBER.heap beside the data file
 * FILE. Otherwise it is PATH, and make_link() will call a link to it FILE.NUMBER.heap. Stores NUMBER in *NUMBER. */
static bool
make_output(const struct mp_process *process, const char *path, unsigned *number, struct mp_file_at *made,
            struct mp_error *error)
{
    const struct mp_file_at *live = &process->file;
    char *link;
    bool taken = true;

    if (!path)
        return mp_data_file_beside(live, ".", number, ".heap", made, error);
    if (!mp_file_at_create(path, made))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    for (; live->folder >= 0 && taken; *number += taken) {
        if (asprintf(&link, "%s.%u.heap", live->name, *number) < 0)
            mp_no_memory();
        taken = faccessat(live->folder, link, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        free(link);
    }
    return true;
}

/* Gives MADE, a file beside the data file, to the owner of the data file if mprof runs as root. */
static void
give_away(const struct mp_file_at *live, const struct mp_file_at *made)
{
    struct stat status;

    if (geteuid() == 0 && live->owner != 0 && fstat(live->fd, &status) == 0 &&
        fchown(made->fd, status.st_uid, status.st_gid) != 0)
        mp_text_printf(stderr, "mprof: %s still belongs to root: %s\n", made->path, strerror(errno));
}

/* Creates a link FILE.NUMBER.heap beside the data file to the snapshot PATH, so that it is found there. Prints a
 * message if that fails. */
static void
make_link(const struct mp_file_at *live, const char *path, unsigned number)
{
    char *link;

    if (asprintf(&link, "%s.%u.heap", live->name, number) < 0)
        mp_no_memory();
    if (live->folder >= 0 && symlinkat(path, live->folder, link) != 0 && errno != EEXIST)
        fprintf(stderr, "mprof: the link %s could not be created: %s\n", link, strerror(errno));
    free(link);
}

/* Takes the heap snapshot and seals it to MADE. A copy of the process writes it to a file without a name. Names are
 * added now because they are available while the process runs. */
static bool
take_heap(struct mp_process *process, const struct input *input, const struct mp_file_at *made, unsigned number,
          struct mp_error *error)
{
    char name[64], recording[MP_PROCESS_PATH];
    struct mp_heap *heap;
    bool ok;
    int fd;

    snprintf(name, sizeof name, "the snapshot of process %" PRIu32, process->pid);
    fd = mp_scan_ask(process, MP_REQUEST_HEAP, input->wait * SECOND, NULL, name, error);
    heap = fd >= 0 ? mp_heap_load_open(fd, name, error) : NULL;
    if (!heap)
        return false;
    heap->facts[MP_FACT_NUMBER] = number;
    ok = mp_heap_seal_into(heap, mp_process_path(process, recording), made, error);
    mp_heap_free(heap);
    return ok;
}

static void
print_heap(const struct mp_process *process, const char *path)
{
    if (mp_quiet())
        return;
    printf("mprof: the heap of process %" PRIu32 " is in ", process->pid);
    mp_text_print(stdout, path);
    fputs("; to see it:\nmprof heap ", stdout);
    mp_text_shell(stdout, path);
    putchar('\n');
}

static bool
snapshot_of_heap(struct mp_process *process, const struct input *input, const char *file, struct mp_error *error)
{
    struct mp_file_at made;
    unsigned number = process->header->snapshots < MP_HEAP_MAX_NUMBER ? process->header->snapshots + 1 : 1;
    bool ok;

    if (!make_output(process, file, &number, &made, error))
        return false;
    mp_remove_if_interrupted(&made);
    ok = take_heap(process, input, &made, number, error);
    mp_remove_if_interrupted(NULL);
    if (ok) {
        if (file)
            make_link(&process->file, made.path, number);
        else
            give_away(&process->file, &made);
        mp_process_note_snapshot(process, number);
        print_heap(process, made.path);
    } else {
        mp_file_at_remove(&made);
    }
    mp_file_at_close(&made);
    return ok;
}

static int
run_snapshot(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.wait = 1};
    struct mp_process process;
    int status = begin(&mp_cmd_snapshot, argc, argv, &input, &process, error);
    struct mp_snapshot snapshot = {0};
    char *file = NULL;
    bool ok;

    if (status >= 0)
        return status;
    if (input.output)
        file = new_file(&process, input.output, input.heap, error);
    ok = !input.output || file;
    if (input.heap)
        ok = ok && snapshot_of_heap(&process, &input, file, error);
    else if ((ok = ok && mp_snapshot(&process.file, file, &snapshot, error)))
        print_snapshot(&snapshot);
    free(snapshot.path);
    free(file);
    mp_process_close(&process);
    return mp_exit_status(ok, error);
}

static const struct mp_option snapshot_options[] = {
    OUTPUT("Write to FILE (default: the data file's name with .snapshot.1, .2 ..., or .1.heap, .2.heap ...)"),
    {"heap", 0, NULL, "Write a heap snapshot: the live objects and their references", MP_FLAG(struct input, heap)},
    {MP_WAIT(struct input, wait)},
    {0}};

const struct mp_command mp_cmd_snapshot = {
    "snapshot", "copy the recording or the heap of a running process", run_snapshot,
    .options = snapshot_options, .argument = {.value = "PID", .parse = parse_process}, .check = check,
    .doc = "Write everything recorded so far of process PID to a separate data file.",
    .notes = "The process is not stopped and does not notice.",
};

/* ------------------------------------------------------------- checkpoint */

static bool
parse_process_or_name(const struct mp_option *option, char *text, void *to)
{
    struct input *input = to;

    if (input->pid == 0)
        return parse_process(option, text, to);
    if (*input->name)
        return mp_options_refuse("'%s': one checkpoint too many", text);
    if (mp_moment_is_reserved(text))
        return mp_options_refuse("'%s' is a point in time of every recording; choose another name", text);
    input->name = text;
    return true;
}

static int
run_checkpoint(int argc, char **argv, struct mp_error *error)
{
    struct input input = {.wait = 1, .name = ""};
    struct mp_process process;
    int status = begin(&mp_cmd_checkpoint, argc, argv, &input, &process, error);
    bool ok;

    if (status >= 0)
        return status;
    ok = mp_process_checkpoint(&process, input.name, input.wait * SECOND, error);
    if (ok && !mp_quiet())
        mp_text_printf(stdout, "mprof: process %" PRIu32 ": a checkpoint%s%s was set\n", process.pid,
                       *input.name ? " " : "", input.name);
    mp_process_close(&process);
    return mp_exit_status(ok, error);
}

const struct mp_command mp_cmd_checkpoint = {
    "checkpoint", "set a checkpoint in a running process", run_checkpoint,
    .options = only_wait, .argument = {.value = "PID [NAME]", .parse = parse_process_or_name}, .check = check,
    .doc = "Set a checkpoint in process PID, as if the program called mprof_checkpoint(NAME) now.",
    .notes = "The checkpoint is set when the process next allocates or frees within the waiting time, or not at all.  "
             "The options --from, --to and --at accept its name.",
};
