/* SPDX-License-Identifier: MIT */
/*
 * former.h -- saves the counters that cells had at checkpoints.
 *
 * A checkpoint costs almost nothing by itself: like a new peak, it raises the epoch (MP_EPOCH_MARKS). That
 * invalidates the stamps of all cells. So before a cell changes, its owner calls mp_counter_save() once, which
 * also saves the counters that the cell had at the checkpoint. A cell that does not change is not saved, because
 * it still has them.
 *
 * Each thread decides by the epoch that it reads at a change whether the change came before or after a
 * checkpoint. A thread that learns in any way of something that happened after a checkpoint also sees that
 * checkpoint's epoch. So a block is never freed before a checkpoint and allocated after it.
 */
#ifndef MP_FORMER_H
#define MP_FORMER_H

#include "recorder.h"

/* Maximum number of records of saved counters. A checkpoint is refused if the number could exceed it when all
 * cells change. */
#define MP_FORMER_MOST ((uint32_t)1 << 20)

/* Saves FORMER, the id and counters of a cell of RECORDER that is about to change for the first time since a
 * checkpoint. LAST is the checkpoint for which the cell was saved last, or 0. If there is no space, notes in the
 * header from which checkpoint on figures are missing. */
void mp_former_note(struct mp_recorder *recorder, const struct mp_live_former *former, uint32_t last);

#endif
