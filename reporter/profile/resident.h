/* SPDX-License-Identifier: MIT */
/*
 * resident.h -- what the resident memory of the process consisted of when the observer found most of it, and soon after
 * checkpoints.
 *
 * The sum of all items is exactly the resident memory that the kernel reported (/proc/PID/smaps). Each page belongs to
 * the first part that applies.
 */
#ifndef MP_PROFILE_RESIDENT_H
#define MP_PROFILE_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

struct mp_profile;
struct mp_arena;

enum mp_resident_part {
    MP_PART_BLOCKS = 0,         /* bytes of malloc's blocks; if `allocator` is 0, as many of them as are resident */
    MP_PART_ALLOCATOR,          /* other memory of the allocator: free chunks, headers and rounding */
    MP_PART_MAPPED,             /* what the program mapped, by the record of mapped_memory.h */
    MP_PART_FILES,              /* executables, libraries and other files, with the variables of libraries; by path */
    MP_PART_STACKS,             /* stacks of threads that have allocated */
    MP_PART_OWN,                /* mprof's library, live file and tables */
    MP_PART_OTHER,
    MP_PARTS
};

struct mp_resident_item {
    uint32_t part;              /* enum mp_resident_part */
    uint32_t mapping;           /* MP_PART_MAPPED: index in profile->mappings, plus 1; 0 if unknown. In what was
                                   observed: id of the record in the live file */
    const char *name;           /* path of a file, or NULL */
    uint64_t bytes;
};

struct mp_resident {
    uint64_t time;              /* ns since recording began */
    uint64_t resident;          /* bytes; the sum of all items */
    uint64_t surely_free;       /* bytes of glibc's heap beyond all blocks and their headers, which are certainly free;
                                   0 if unknown */
    bool blocks_known;          /* if false, MP_PART_ALLOCATOR includes the blocks */
    struct mp_resident_item *items; uint32_t n;  /* sorted by part, then by bytes, largest first */
    const char *checkpoint;     /* name of the last checkpoint before it; NULL in the account of the largest memory */
    uint64_t checkpoint_time;   /* ns since recording began */
    uint32_t number;            /* number of that checkpoint; only in what was observed */
    uint32_t missing;           /* number of checkpoints without an account; only in the first account */
    struct mp_resident *next;   /* account of the next checkpoint that has one, or NULL */
};

/* Frees the items and their names, which were allocated with malloc, and the accounts that follow. */
void mp_resident_free(struct mp_resident *account);

/* Returns a copy of ACCOUNT that is freed in the same way. No account follows it. */
struct mp_resident mp_resident_copy(const struct mp_resident *account);

/* Returns the bytes of PART. */
uint64_t mp_resident_sum(const struct mp_resident *account, enum mp_resident_part part);

/* Returns the name of PART in tables and JSON. */
const char *mp_resident_part_name(const struct mp_resident *account, uint32_t part);

/* Returns who mapped the memory of mapping INDEX of PROFILE, as the name of a library or program, or "?". */
const char *mp_mapping_owner(const struct mp_profile *profile, uint32_t index);

struct mp_resident_share {
    const char *text;           /* such as "in blocks" or "mapped by libv8" */
    uint64_t bytes;
};

/* Returns the *N shares of ACCOUNT, which belongs to PROFILE, largest first, in ARENA. The last one has the text
 * "other" and is the sum of small ones. */
const struct mp_resident_share *mp_resident_shares(const struct mp_profile *profile, const struct mp_resident *account,
                                                   struct mp_arena *arena, uint32_t *n);

/* Returns one line, such as "370.1 MB: 202.0 MB in blocks, 96.3 MB free inside the allocator, 71.8 MB other", in ARENA.
 * All amounts are given in the same unit. Parts of less than a tenth of the unit are left out. PROFILE must have an
 * account. */
const char *mp_resident_text(const struct mp_profile *profile, struct mp_arena *arena);

#endif
