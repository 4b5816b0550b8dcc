/*
 * process.h -- a running process that is being recorded: its live file, and asking its monitor.
 *
 * The monitor looks at requests when the process next allocates or frees; see struct
 * mp_live_control.  Whoever may write the live file may ask: the same user, and root.
 *
 * The process may be another user's, and hostile: it can write anything into its live file, or cut it short, at any
 * time.  So what it states is copied once, and only the copy is used; and no name that it states is ever opened.
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
#include "shared.h"

struct mp_process {
    uint32_t pid;
    struct mp_file_at file;             /* the live file, as this process can open it */
    struct mp_live_header *header;      /* a copy; its texts end.  NULL: no process is open */
    struct mp_shared shared;            /* the header itself */
};

/* The process id that TEXT, an argument of a command or a name in /proc, is; 0: it is none. */
uint32_t mp_process_id(const char *text);

/* The process that ARGUMENT means, where files may be meant, too; 0: a file.  A number is a process, unless no
 * process has it and a file is called so. */
uint32_t mp_process_meant(const char *argument);

/* Find and open the live file of process PID.  On success the caller closes it; from its first request
 * until then no other mprof may ask the process for anything. */
bool mp_process_open(uint32_t pid, struct mp_process *process, struct mp_error *error);
void mp_process_close(struct mp_process *process);

/* The live file once more, for reading only; -1 and errno. */
int mp_process_reopen(const struct mp_process *process);

/* Returns the absolute path that the template OUTPUT of a data file means for PROCESS, which the caller frees.  On
 * failure returns NULL and fills *ERROR. */
char *mp_process_output(const struct mp_process *process, const char *output, struct mp_error *error);

/* Copy the header anew.  False and *ERROR: the file was cut short. */
bool mp_process_refresh(struct mp_process *process, struct mp_error *error);

/* Note in the header that the snapshot with NUMBER was made: mprof run looks for no others. */
void mp_process_note_snapshot(struct mp_process *process, uint32_t number);

/* False, and *ERROR says that the file was cut short. */
bool mp_process_is_short(const struct mp_process *process, struct mp_error *error);

/* What is asked for. */
struct mp_wanted {
    enum mp_request request;
    const char *file;           /* as in struct mp_live_control; NULL: "" */
    uint32_t sample;            /* as sample_wanted in struct mp_live_header */
    const volatile sig_atomic_t *interrupted;   /* 1: do not wait any longer; NULL: nothing interrupts */
};

enum mp_answer {
    MP_ANSWER_DONE,
    MP_ANSWER_LATER,            /* it has neither allocated nor freed since: when it does, it will */
    MP_ANSWER_ENDED             /* it has ended, or become another program, before */
};

/* Ask for WANTED.  It takes the place of a request that the process has not seen yet.  TIMEOUT: ns
 * that are waited.  Afterwards the header is as it was when the answer came.  False and *ERROR: it failed, or another
 * mprof has the process open that asked it for something, and perhaps waits. */
bool mp_process_ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout,
                    enum mp_answer *answer, struct mp_error *error);

/* Have the process set a checkpoint NAME when it next allocates or frees.  That is never later than this call
 * returns: what it does not see within TIMEOUT ns is taken back.  False and *ERROR: none was set. */
bool mp_process_checkpoint(struct mp_process *process, const char *name, uint64_t timeout,
                           struct mp_error *error);

/* Take back what the process was asked for and has not seen yet: *BEFORE. */
bool mp_process_withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error);

#endif
