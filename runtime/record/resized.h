/* SPDX-License-Identifier: MIT */
/*
 * resized.h -- counts blocks that realloc made from older blocks, in struct mp_live_resized.
 *
 * The cells count a realloc as a free and an allocation. Only this module records that both were one call, and only
 * realloc calls it. A recorder has a record for each context and kind in which realloc replaced a block. If there is no
 * space for a record, the call is not noted here, and nothing else happens.
 */
#ifndef MP_RESIZED_H
#define MP_RESIZED_H

#include "recorder.h"

/* The older block. `cell` is 0 if it was not recorded, and then nothing is noted. */
struct mp_resized_from {
    const void *block;
    uint32_t cell;
    size_t size;                /* bytes */
};

/* Counts that realloc made BLOCK of SIZE bytes from FROM. CELL, of RECORDER, has just counted BLOCK. */
void mp_resized_note(struct mp_recorder *recorder, const struct mp_resized_from *from, const void *block,
                     size_t size, uint32_t cell);

#endif
