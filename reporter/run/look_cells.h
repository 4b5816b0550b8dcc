/*
 * look_cells.h -- the cells of a live file while it is written, from look to look.
 *
 * Most cells are as they were at the look before.  So records are read in parts that a processor's cache
 * holds, and compared with what was read last; only what changed is handled, and sums run on.
 */
#ifndef MP_LOOK_CELLS_H
#define MP_LOOK_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reporter/profile/timeline.h"
#include "runtime/format.h"

/* Records of one kind, in the order of their ids, which have no gaps. */
struct mp_look_table {
    struct mp_live_extent *extents;     /* where they stand */
    uint32_t n_extents;
    size_t count;               /* in the extents */
    size_t room;                /* how many stand in `records`: nothing is known yet of those beyond */
    void *records;              /* as of the last look */
};

/* The bytes and blocks of a cell; of a sampled recording, estimates. */
struct mp_look_figures {
    uint64_t allocs, bytes, frees, freed;
};

struct mp_look_former {
    uint32_t cell;              /* its index */
    struct mp_look_figures figures;
};

/* All 0 at first. */
struct mp_look_cells {
    uint32_t sample_period;     /* of the recording */
    struct mp_look_table cells, mixed;
    uint32_t *owners;           /* for each of `mixed` the cell that it belongs to, its index + 1; 0: none */
    uint64_t *marks;            /* a bit for each cell: it has changed since the last changes, */
    size_t n_changed;           /* how many have */
    struct mp_look_former *former;      /* what such cells counted then, if it was anything */
    size_t n_former, room_former;
    uint64_t allocs, bytes, blocks, lisp;       /* of all cells, as in struct mp_point; modulo 2^64 */
};

/* There is EXTENT, too.  False: it is of cells, and of none that can be read. */
bool mp_look_cells_extent(struct mp_look_cells *look, const struct mp_live_extent *extent);
void mp_look_cells_free(struct mp_look_cells *look);

/* Bytes that the next look will read. */
uint64_t mp_look_cells_size(const struct mp_look_cells *look);

/* Read all cells from the live file FD, and fill in POINT what they tell.  False: they cannot be read. */
bool mp_look_cells_read(struct mp_look_cells *look, int fd, struct mp_point *point);

/* Hand what changed of each cell since the last call to TAKE, with the file's id of the context. */
void mp_look_cells_changes(struct mp_look_cells *look,
                           void (*take)(void *data, const struct mp_change *change), void *data);

#endif
