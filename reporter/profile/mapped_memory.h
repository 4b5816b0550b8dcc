/* SPDX-License-Identifier: MIT */
/* mapped_memory.h -- what the program mapped itself, beside malloc's blocks (struct mp_live_mapper). */
#ifndef MP_MAPPED_MEMORY_H
#define MP_MAPPED_MEMORY_H

#include <stdint.h>

#include "runtime/format.h"

struct mp_profile;

/* What one chain mapped, of one kind. */
struct mp_mapping {
    uint32_t context;           /* in `of`; 0 if unknown */
    uint32_t kind;              /* enum mp_mapped_kind, without MP_MAPPED_ALLOCATOR */
    uint64_t calls, bytes, unmapped, discarded;         /* as in struct mp_live_mapper */
    uint64_t peak;              /* bytes mapped when the program had mapped most */
};

struct mp_mappings {
    const struct mp_profile *of;        /* profile to which the contexts belong; not a view */
    struct mp_mapping *list;    /* sorted by context, then kind */
    uint32_t n;
    uint64_t peak;              /* maximum of bytes mapped at a time */
    uint64_t missing;           /* number of calls that could not be recorded */
};

/* Returns the bytes of MAPPING that are mapped at the end. */
static inline uint64_t
mp_mapping_left(const struct mp_mapping *mapping)
{
    return mapping->bytes - mapping->unmapped;
}

/* Returns the name of KIND: "private", "shared", "file", "break" or "other". */
const char *mp_mapped_kind_name(uint32_t kind);

#endif
