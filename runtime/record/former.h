/*
 * former.h -- what cells had counted when the program called a checkpoint.
 *
 * A checkpoint costs next to nothing by itself: it raises the epoch by one (MP_EPOCH_MARKS), as a new peak
 * does.  So a cell's stamp is not the present one, and before the cell changes its owner comes by
 * mp_counter_save() once; there it also writes down what the cell has, which is what it had at the
 * checkpoint.  A cell that nobody changes is not written down: it has still what it had.
 *
 * Which changes came before a checkpoint and which after it, each thread decides by the epoch that it sees at
 * the change.  Whoever was told of something that came after a checkpoint, in whatever way, sees the epoch of
 * that checkpoint, too: so a block is never freed before a checkpoint and allocated after it.
 */
#ifndef MP_FORMER_H
#define MP_FORMER_H

#include "recorder.h"

/* Checkpoints are refused when there are so many records, or will be when all cells have changed. */
#define MP_FORMER_MOST ((uint32_t)1 << 20)

/* A cell of RECORDER's is about to change for the first time since a checkpoint: FORMER, to be copied, has its
 * id and what it had then.  It was written down last at checkpoint LAST, 0: never; where there is no room, the
 * header says from which checkpoint on figures are lacking. */
void mp_former_note(struct mp_recorder *recorder, const struct mp_live_former *former, uint32_t last);

#endif
