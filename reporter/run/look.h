/*
 * look.h -- one look into a live file while it is written.
 *
 * By pread only, as all bytes that another process may change.  A look at the totals takes a few
 * microseconds, one at the cells reads all of them.
 */
#ifndef MP_LOOK_H
#define MP_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/profile/timeline.h"
#include "runtime/format.h"

/* Records of one kind, in the order of their ids. */
struct mp_look_table {
    uint8_t *records;           /* malloc()ed */
    size_t count, room;
};

struct mp_look {
    int fd, memory;             /* the live file; /proc/PID/statm, or -1 */
    struct mp_live_header header;       /* as far as it was read: see mp_look_totals() */
    uint32_t n_extents;         /* of them in `header` */
    struct mp_look_table cells, mixed;  /* as of the last look at them */
    struct mp_look_table last_cells, last_mixed;        /* as of the last changes */
};

/* Look into the live file FD, which LOOK owns from now on, of process PID (0: its memory is not looked
 * at).  False: it is none that can be looked into. */
bool mp_look_open(struct mp_look *look, int fd, pid_t pid);
void mp_look_close(struct mp_look *look);

/* Fill in POINT what the header and recorders tell, at the present time; the rest is MP_NOT_SEEN.  False:
 * the file cannot be read any more. */
bool mp_look_totals(struct mp_look *look, struct mp_point *point);

/* Bytes that the next look at the cells will read. */
uint64_t mp_look_size(const struct mp_look *look);

/* Read all cells, and fill in the rest of POINT. */
bool mp_look_cells(struct mp_look *look, struct mp_point *point);

/* Hand each change of a cell since the last call to TAKE, with the file's id of the context. */
void mp_look_changes(struct mp_look *look, void (*take)(void *data, const struct mp_change *change),
                     void *data);

#endif
