/* SPDX-License-Identifier: MIT */
/*
 * mappers.h -- counts the memory that the program maps itself, in struct mp_live_mapper and struct mp_live_mappings.
 *
 * Lock held in all functions.
 */
#ifndef MP_MAPPERS_H
#define MP_MAPPERS_H

#include "recorder.h"

/* Counts that a call in CONTEXT mapped memory of KIND from START to END. Older mappings there are counted as
 * unmapped. */
void mp_mappings_add(struct mp_recorder *recorder, uint32_t context, enum mp_mapped_kind kind, uint64_t start,
                     uint64_t end);

/* What a call unmapped. */
#define MP_MAX_PIECES 8u
struct mp_mapping_pieces {
    struct mp_live_range list[MP_MAX_PIECES];
    uint32_t n;                 /* number of pieces; if it exceeds MP_MAX_PIECES, the later ones are missing */
};

/* Counts that the memory from START to END is unmapped, and fills *PIECES. */
void mp_mappings_cut(uint64_t start, uint64_t end, struct mp_mapping_pieces *pieces);

/* Takes back mp_mappings_cut(), because the call failed. */
void mp_mappings_restore(const struct mp_mapping_pieces *pieces);

/* Counts that madvise(2) releases the memory from START to END. */
void mp_mappings_discard(uint64_t start, uint64_t end);

/* Returns the kind of the memory mapped at ADDRESS, or 0 if it is unknown. */
enum mp_mapped_kind mp_mappings_kind(uint64_t address);

#endif
