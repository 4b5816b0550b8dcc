/*
 * look.h -- one look into a live file while it is written.
 *
 * By pread only, as all bytes that another process may change.  A look at the totals takes a few
 * microseconds, one at the cells (look_cells.h) reads all of them.
 */
#ifndef MP_LOOK_H
#define MP_LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "look_cells.h"
#include "reporter/profile/timeline.h"
#include "runtime/format.h"

struct mp_look {
    int fd, memory;             /* the live file; /proc/PID/statm, or -1 */
    struct mp_live_header header;       /* as far as it was read: see mp_look_totals() */
    uint32_t n_extents;         /* of them in `header` */
    struct mp_look_cells cells;
};

/* Look into the live file FD, which LOOK owns from now on, of process PID (0: its memory is not looked
 * at).  False: it is none that can be looked into. */
bool mp_look_open(struct mp_look *look, int fd, pid_t pid);
void mp_look_close(struct mp_look *look);

/* Fill in POINT what the header and recorders tell, at the present time; the rest is MP_NOT_SEEN.  False:
 * the file cannot be read any more. */
bool mp_look_totals(struct mp_look *look, struct mp_point *point);

#endif
