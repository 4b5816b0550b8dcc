/*
 * process.h -- a running process that is being recorded: its live file, and asking its monitor.
 *
 * The monitor looks at requests when the process next allocates or frees; see struct
 * mp_live_control.  Whoever may write the live file may ask: the same user, and root.
 */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "runtime/format.h"

struct mp_process {
    uint32_t pid;
    char *path;                         /* of the live file, as this process can open it */
    int fd;
    struct mp_live_header *header;      /* mapped, shared */
};

/* Find and open the live file of process PID.  On success the caller closes it. */
bool mp_process_open(uint32_t pid, struct mp_process *process, struct mp_error *error);
void mp_process_close(struct mp_process *process);

/* Ask for REQUEST; FILE, absolute, or "": see struct mp_live_control.  *DONE: it was done within
 * TIMEOUT ns; else the process has neither allocated nor freed since, and will do it when it does.
 * False and *ERROR: it was refused, or it failed. */
bool mp_process_ask(struct mp_process *process, enum mp_request request, const char *file,
                    uint64_t timeout, bool *done, struct mp_error *error);

#endif
