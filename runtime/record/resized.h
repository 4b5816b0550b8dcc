/*
 * resized.h -- what realloc made of older blocks: the records of struct mp_live_resized.
 *
 * To the cells a realloc is a free and an allocation.  That both were one call is noted here, on realloc's own
 * way only: a recorder has a record for each context and kind in which realloc made a block of an older one.
 * Where there is no room for one, that is not noted, and nothing else happens.
 */
#ifndef MP_RESIZED_H
#define MP_RESIZED_H

#include "recorder.h"

/* The older block; cell 0: it was not recorded, nothing is noted. */
struct mp_resized_from {
    const void *block;
    uint32_t cell;
    size_t size;                /* bytes */
};

/* Of FROM realloc made BLOCK of SIZE bytes, which was just counted in CELL, of RECORDER's own. */
void mp_resized_note(struct mp_recorder *recorder, const struct mp_resized_from *from, const void *block,
                     size_t size, uint32_t cell);

#endif
