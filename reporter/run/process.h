/*
 * process.h -- a running process that is being recorded: its live file, and asking its monitor.
 *
 * The monitor looks at requests when the process next allocates or frees; see struct
 * mp_live_control.  Whoever may write the live file may ask: the same user, and root.
 */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "runtime/format.h"

struct mp_process {
    uint32_t pid;
    char *path;                         /* of the live file, as this process can open it */
    int fd;
    struct mp_live_header *header;      /* mapped, shared */
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

/* What is asked for. */
struct mp_wanted {
    enum mp_request request;
    const char *file;           /* as in struct mp_live_control */
    uint32_t sample;            /* as sample_wanted in struct mp_live_header */
    const volatile sig_atomic_t *interrupted;   /* 1: do not wait any longer; NULL: nothing interrupts */
};

enum mp_answer {
    MP_ANSWER_DONE,
    MP_ANSWER_LATER,            /* it has neither allocated nor freed since: when it does, it will */
    MP_ANSWER_ENDED             /* it has ended, or become another program, before */
};

/* Ask for WANTED.  It takes the place of a request that the process has not seen yet.  TIMEOUT: ns
 * that are waited.  False and *ERROR: it failed, or another mprof has the process open that asked it for
 * something, and perhaps waits. */
bool mp_process_ask(struct mp_process *process, const struct mp_wanted *wanted, uint64_t timeout,
                    enum mp_answer *answer, struct mp_error *error);

/* Have the process set a checkpoint NAME when it next allocates or frees.  That is never later than this call
 * returns: what it does not see within TIMEOUT ns is taken back.  False and *ERROR: none was set. */
bool mp_process_checkpoint(struct mp_process *process, const char *name, uint64_t timeout,
                           struct mp_error *error);

/* Take back what the process was asked for and has not seen yet: *BEFORE. */
bool mp_process_withdraw(struct mp_process *process, enum mp_request *before, struct mp_error *error);

#endif
