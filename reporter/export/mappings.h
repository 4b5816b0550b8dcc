/*
 * mappings.h -- where the modules of a profile stand, for formats that have addresses.
 *
 * A profile has offsets in modules, not addresses: so modules are given places one after the other, those that
 * cannot be moved their own.  A mapping is what /proc/PID/maps would have of the module's code, so that readers
 * find the file's own addresses, and with them its symbols, as they do for a process.
 */
#ifndef MP_EXPORT_MAPPINGS_H
#define MP_EXPORT_MAPPINGS_H

#include "reporter/profile/profile.h"

struct mp_mapping {
    bool used;                  /* there is a frame in the module; else the rest is not filled */
    uint64_t base;              /* what is added to an offset in the module */
    uint64_t start, limit;      /* addresses of its code */
    uint64_t file_offset;       /* of what is at `start` */
};

/* By module of VIEW.  In ARENA.  Files that are there and are those that were recorded are looked into. */
struct mp_mapping *mp_mappings(const struct mp_profile *view, struct mp_arena *arena);

/* Where FRAME's instruction is, which of a call is before the address that it returns to; 0: it has none. */
uint64_t mp_mapped_address(const struct mp_mapping mappings[], const struct mp_frame *frame);

#endif
