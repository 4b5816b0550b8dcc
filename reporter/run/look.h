/*
 * look.h -- samples a live file while it is being written.
 *
 * All reads use pread(2), because other processes may change the bytes. Sampling the totals takes a few microseconds.
 * Sampling the cells (look_cells.h) reads all of them.
 */
#ifndef MP_RUN_LOOK_H
#define MP_RUN_LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "look_cells.h"
#include "reporter/profile/timeline.h"
#include "runtime/format.h"

struct mp_look {
    int fd, memory;             /* live file; /proc/PID/statm, or -1 */
    struct mp_live_header header;       /* copy of the header; mp_look_totals() updates its changing part and adds new
                                           extents */
    uint32_t n_extents;         /* number of valid extents in `header` */
    struct mp_look_cells cells;
};

/* Begins to sample the live file FD of process PID. LOOK owns FD from now on, also on failure. If PID is 0, resident
 * memory is not sampled. Returns false if FD is not a live file that this version can read. */
bool mp_look_open(struct mp_look *look, int fd, pid_t pid);
void mp_look_close(struct mp_look *look);

/* Fills in POINT for the present time from the header and the recorders. Fields that come from cells are set to
 * MP_NOT_SEEN. Returns false if the file can no longer be read. */
bool mp_look_totals(struct mp_look *look, struct mp_point *point);

#endif
