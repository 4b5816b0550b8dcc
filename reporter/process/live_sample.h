/* SPDX-License-Identifier: MIT */
/*
 * live_sample.h -- samples a live file while it is being written.
 *
 * All reads use pread(2), because other processes may change the bytes. Sampling the totals takes a few microseconds.
 * Sampling the cells reads all of them.
 */
#ifndef MP_RUN_LOOK_H
#define MP_RUN_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/profile/timeline.h"
#include "runtime/format.h"

/* ---------------------------------------------------------------- cells */

/*
 * Copies of the cells of a live file, updated at each sample.
 *
 * Most cells have not changed since the previous sample. Therefore records are read in parts that fit into the
 * processor's cache and are compared with the copy. Only changed records are processed, and the sums are updated.
 */

/* A copy of the records of one kind, indexed by id without gaps. */
struct mp_look_table {
    struct mp_live_extent *extents;     /* extents of the file that contain the records */
    uint32_t n_extents;
    size_t count;               /* number of records in the extents */
    size_t room;                /* number of records in `records`; later ones have not been read yet */
    void *records;              /* records as of the last sample */
};

/* Bytes and blocks counted by a cell. Estimates in a sampled recording. */
struct mp_look_figures {
    uint64_t allocs, bytes, frees, freed;
};

struct mp_look_former {
    uint32_t cell;              /* index of the cell */
    struct mp_look_figures figures;
};

/* Cells of one live file. Must be zeroed at first. */
struct mp_look_cells {
    uint32_t sample_period;     /* sampling period of the recording, bytes; 0 means not sampled */
    bool objects_sampled;       /* objects of a language are sampled, too */
    struct mp_look_table cells, mixed;
    uint32_t *owners;           /* for each mixed record, index + 1 of the cell that it belongs to; 0 means none */
    uint64_t *marks;            /* one bit for each cell, set if it has changed since the last
                                   mp_look_cells_changes() */
    size_t n_changed;           /* number of bits set in `marks` */
    struct mp_look_former *former;      /* saved figures of changed cells, without records in which all were 0 */
    uint32_t n_former, room_former;
    uint64_t allocs, bytes, blocks, lisp;       /* sums over all cells, as in struct mp_point; modulo 2^64 */
};

/* Adds EXTENT if it contains cells; other kinds are ignored. Returns false if its records have an unknown size or
 * leave a gap. */
bool mp_look_cells_extent(struct mp_look_cells *look, const struct mp_live_extent *extent);
void mp_look_cells_free(struct mp_look_cells *look);

/* Returns the number of bytes that the next sample will read. */
uint64_t mp_look_cells_size(const struct mp_look_cells *look);

/* Reads all cells from the live file FD and fills in the fields of POINT that come from cells. Returns false if they
 * cannot be read. */
bool mp_look_cells_read(struct mp_look_cells *look, int fd, struct mp_point *point);

/* Calls TAKE with the change of each cell since the last call. The change has the context's id in the file. */
void mp_look_cells_changes(struct mp_look_cells *look,
                           void (*take)(void *data, const struct mp_change *change), void *data);

/* A live file that is sampled. */
struct mp_look {
    int fd, memory;             /* live file; /proc/PID/statm, or -1 */
    struct mp_live_header header;       /* copy of the header; mp_look_totals() updates its changing part and adds new
                                           extents */
    uint32_t n_extents;         /* number of valid extents in `header` */
    uint64_t private;           /* private resident bytes of the process at the last sample; 0 if unknown */
    struct mp_look_cells cells;
};

/* Begins to sample the live file FD of process PID. LOOK owns FD from now on, also on failure. If PID is 0, resident
 * memory is not sampled. Returns false if FD is not a live file that this version can read. */
bool mp_look_open(struct mp_look *look, int fd, pid_t pid);
void mp_look_close(struct mp_look *look);

/* Returns the time since the recording in LOOK began, ns. */
uint64_t mp_look_elapsed(const struct mp_look *look);

/* Fills in POINT for the present time from the header and the recorders. Fields that come from cells are set to
 * MP_NOT_SEEN. Returns false if the file can no longer be read. */
bool mp_look_totals(struct mp_look *look, struct mp_point *point);

#endif
