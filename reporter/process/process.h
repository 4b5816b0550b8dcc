/* SPDX-License-Identifier: MIT */
/*
 * process.h -- a running process that is being recorded: its live file, and requests to its monitor.
 *
 * reporter/process/ owns everything that concerns running processes: it sends them requests, samples and observes
 * them, and takes snapshots. Nothing in it may disturb a profiled program. Commands, run, serve and screen call it.
 *
 * The monitor handles a request when the process next allocates or frees, see struct mp_live_control. Whoever may
 * write the live file may make requests: the same user, and root.
 *
 * The process may belong to another user and be hostile. At any time it can write anything into its live file or
 * truncate it. Therefore its statements are copied once and only the copy is used, and no file name that it states is
 * ever opened.
 */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/base/file_at.h"
#include "runtime/format.h"

/* Words of a live file that are changed in place, see process.c. */
struct mp_shared {
    uint8_t *bytes;             /* mapped bytes; NULL if nothing is mapped */
    size_t size;
};

/* Changes the word at OFFSET from EXPECTED to WANTED atomically. Returns false if it has another value or the file is
 * too short. */
bool mp_shared_exchange(struct mp_shared *shared, size_t offset, uint32_t expected, uint32_t wanted);

struct mp_process {
    uint32_t pid;
    struct mp_file_at file;             /* live file, as this process can open it */
    struct mp_live_header *header;      /* copy of the live file's header, with terminated strings; NULL if no process
                                           is open */
    struct mp_shared shared;            /* mapping of the header itself */
};

/* Parses TEXT, an argument of a command or a name in /proc, as a process id. Returns 0 if it is not one. */
uint32_t mp_process_id(const char *text);

/* Returns the process id that ARGUMENT means, or 0 if it means a file. A number means a process, unless there is no
 * such process but a file of that name. */
uint32_t mp_process_meant(const char *argument);

/* Finds and opens the live file of process PID. On success the caller closes PROCESS. From the first request through
 * PROCESS until it is closed, no other mprof can make requests to the process. On failure returns false and fills
 * *ERROR. */
bool mp_process_open(uint32_t pid, struct mp_process *process, struct mp_error *error);
void mp_process_close(struct mp_process *process);

/* Writes a path of the live file to PATH, and returns PATH. It leads through this process's descriptor, so it is valid
 * until PROCESS is closed, even if the file was renamed or removed. */
#define MP_PROCESS_PATH 32
const char *mp_process_path(const struct mp_process *process, char path[static MP_PROCESS_PATH]);

/* Opens the live file again, for reading only. Returns -1 and sets errno on failure. */
int mp_process_reopen(const struct mp_process *process);

/* Returns the absolute path that the data file template OUTPUT means for PROCESS. The caller frees it. On failure
 * returns NULL and fills *ERROR. */
char *mp_process_output(const struct mp_process *process, const char *output, struct mp_error *error);

/* Notes in the header that snapshot NUMBER was made. mprof run searches no snapshots with higher numbers. */
void mp_process_note_snapshot(struct mp_process *process, uint32_t number);

/* A request to the monitor. */
struct mp_wanted {
    enum mp_request request;
    const char *file;           /* file name as in struct mp_live_control; NULL means "" */
    uint32_t sample;            /* sampling period as sample_wanted in struct mp_live_header */
    const volatile sig_atomic_t *interrupted;   /* stops waiting when nonzero; NULL means waiting cannot be
                                                   interrupted */
};

enum mp_answer {
    MP_ANSWER_DONE,
    MP_ANSWER_LATER,            /* not yet done: the process has neither allocated nor freed since */
    MP_ANSWER_ENDED             /* not done: the process ended or executed another program */
};

/* Makes the request WANTED, which replaces a request that the process has not seen yet. Waits at most TIMEOUT ns and
 * stores the result in *ANSWER. Afterwards process->header is a copy of the header when the answer came. Returns false
 * and fills *ERROR if the request failed or another mprof has the file locked for its requests. */
bool mp_process_ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout,
                    enum mp_answer *answer, struct mp_error *error);

/* Makes the process set a checkpoint NAME when it next allocates or frees. If the process does not see the request
 * within TIMEOUT ns, it is withdrawn, so no checkpoint is set after this function has returned. Returns false and
 * fills *ERROR if none was set. */
bool mp_process_checkpoint(struct mp_process *process, const char *name, uint64_t timeout,
                           struct mp_error *error);

/* Withdraws the request that the process has not seen yet and stores it in *BEFORE. If the process is carrying it
 * out, waits until it is done. On failure returns false and fills *ERROR. */
bool mp_process_withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error);

#endif
