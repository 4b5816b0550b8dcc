/*
 * mappings.h -- assigns addresses to the modules of a profile, for formats with addresses.
 *
 * A profile has offsets in modules instead of addresses. Therefore modules are placed one after the other, except for
 * those that cannot be moved, which get their own addresses. A mapping is like the line of a module's code in
 * /proc/PID/maps, so readers find the addresses in its file and its symbols as for a running process.
 */
#ifndef MP_EXPORT_MAPPINGS_H
#define MP_EXPORT_MAPPINGS_H

#include "reporter/profile/profile.h"

struct mp_mapping {
    bool used;                  /* the module has frames; otherwise, the other fields are not set */
    uint64_t base;              /* base + offset in the module is the address */
    uint64_t start, limit;      /* start and end address of its code */
    uint64_t file_offset;       /* offset of `start` in the file */
};

/* Returns the mappings by module of VIEW, allocated in ARENA. Reads the files of modules that still exist and have
 * not changed. */
struct mp_mapping *mp_mappings(const struct mp_profile *view, struct mp_arena *arena);

/* Returns the address of FRAME's instruction, or 0 if unknown. For a call, this is before the return address. */
uint64_t mp_mapped_address(const struct mp_mapping mappings[], const struct mp_frame *frame);

#endif
