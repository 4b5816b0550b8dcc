/* SPDX-License-Identifier: MIT */
/*
 * scan.h -- takes a snapshot of malloc's live blocks and of all pointers to them (heap_format.h). The snapshot's file
 * is called FILE.NUMBER.heap, where FILE is the data file, or has no name. At the end of the process the header of the
 * data file states what became of the snapshot (enum mp_leaks_state).
 *
 * This directory owns the search for malloc's blocks that nothing refers to. A copy of the process searches and
 * writes the file; the program is paused only while the copy is made. Only session/ calls it, except that c-bridge/
 * notes what the program maps (scan_mapped.h).
 */
#ifndef MP_SCAN_H
#define MP_SCAN_H

#include "runtime/format.h"
#include "runtime/heap_format.h"

/* Begins a snapshot. NAME is its name, or NULL. If OFFER is NULL, the snapshot is written to a new file with the next
 * number. Otherwise it is written to a file without a name, whose descriptor is put into OFFER. Returns the process id
 * of the copy that writes the snapshot. The caller passes this id to mp_copy_wait(), or a later mp_copy_reap() reaps
 * the copy. Returns -errno on failure, and -EOPNOTSUPP if not all blocks are recorded. The file is locked (flock(2))
 * until it is complete or has been removed. Lock held, and recording. */
long mp_scan_make(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* Ends the snapshot with MP_TRIGGER_EXIT, whose copy of the process has ended. If the snapshot could not be written
 * beside the data file, appends it to the data file. Lock held, and recording. */
void mp_scan_end(void);

/* Returns the path of the last snapshot's file, or "" if the file has no name. Lock held. */
const char *mp_scan_file(void);

#endif
