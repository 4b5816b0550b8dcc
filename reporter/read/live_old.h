/*
 * live_old.h -- record layouts of live files before version 3, where they differ from the present ones.
 */
#ifndef MP_LIVE_OLD_H
#define MP_LIVE_OLD_H

#include <stdint.h>

#include "runtime/format.h"

/* The counters of one context and one kind of object. */
struct mp_live_cell_2 {
    uint32_t context;           /* context id; 0 = not in use */
    uint16_t kind;
    uint16_t recorder;
    uint64_t allocs, bytes;
    uint64_t frees, freed;
    union {
        uint64_t temporary;
        uint64_t requested;     /* bytes, for kinds >= MP_KIND_LISP */
    };
    uint64_t stamp;             /* epoch in which the tail was saved */
    uint32_t size_min, size_max;
};

/* Live bytes and blocks at the last peak. Valid if the stamp of the cell with the same id matches the header's
 * epoch. Stored in extents of the kind that is now MP_EXT_MIXED. */
struct mp_live_tail_2 {
    int64_t  saved_bytes, saved_blocks;
    uint32_t next, reserved[3];
};

/* A context with its links in the tree. */
struct mp_live_context_2 {
    uint32_t frame;             /* frame id; 0 = not in use */
    uint32_t parent;            /* context id; 0 = the root. A parent's id may be larger than its child's. */
    uint32_t child, sibling;
};

/* In version 1, ages of objects are stored as cells, with this bit set in their kind. Fields have another meaning
 * there. allocs, bytes, temporary, stamp, frees and freed contain survived[0], aged, survived[1], survived[2],
 * aged_frees and aged_freed. The tail has no meaning. */
#define MP_KIND_AGES_1 0x4000u

#endif
