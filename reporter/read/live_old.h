/*
 * live_old.h -- records of the live form as they were before version 3, where they differ.
 */
#ifndef MP_LIVE_OLD_H
#define MP_LIVE_OLD_H

#include <stdint.h>

#include "runtime/format.h"

/* Counters of one context and one kind of object. */
struct mp_live_cell_2 {
    uint32_t context;           /* 0 = not in use */
    uint16_t kind;
    uint16_t recorder;
    uint64_t allocs, bytes;
    uint64_t frees, freed;
    union {
        uint64_t temporary;
        uint64_t requested;     /* of kinds from MP_KIND_LISP on */
    };
    uint64_t stamp;             /* epoch in which the tail was saved */
    uint32_t size_min, size_max;
};

/* Live bytes and blocks at the last peak, if the cell with the same id has its stamp.  In extents of the
 * kind that is MP_EXT_MIXED now. */
struct mp_live_tail_2 {
    int64_t  saved_bytes, saved_blocks;
    uint32_t next, reserved[3];
};

/* A context. */
struct mp_live_context_2 {
    uint32_t frame;             /* 0 = not in use */
    uint32_t parent;            /* 0 = the root; ids of parents may be the larger ones */
    uint32_t child, sibling;
};

/* In version 1 ages are cells, whose kind has this as well: allocs, bytes, temporary, stamp, frees, freed
 * are survived[0], aged, survived[1], survived[2], aged_frees, aged_freed; the tail means nothing. */
#define MP_KIND_AGES_1 0x4000u

#endif
