/* SPDX-License-Identifier: MIT */
/*
 * scan.h -- takes a snapshot of malloc's live blocks and of all pointers to them (heap_format.h). The file is
 * called FILE.NUMBER.heap, where FILE is the data file, or has no name. At the end of the process its header says what
 * became of the snapshot (enum mp_leaks_state).
 *
 * This directory owns the search for malloc's blocks that nothing refers to. A copy of the process searches and
 * writes the file; the program is paused only while the copy is made. Only session/ calls it, except that c-bridge/
 * notes what the program maps (scan_mapped.h).
 */
#ifndef MP_SCAN_H
#define MP_SCAN_H

#include "runtime/format.h"
#include "runtime/heap_format.h"

/* Begins a snapshot, which is called NAME unless that is NULL. If OFFER is NULL, it goes into a new file with the
 * next number. Otherwise it goes into a file without a name, whose descriptor is put into OFFER. Returns the
 * process id of the copy that writes it, which the caller passes to mp_copy_wait() or leaves to mp_copy_reap().
 * Returns -errno on failure, and -EOPNOTSUPP if not all blocks are recorded. The file is locked (flock(2)) until it
 * is complete or has been removed. Lock held, and recording. */
long mp_scan_make(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* Ends the snapshot with MP_TRIGGER_EXIT, whose copy of the process has ended. Keeps it in the data file if it could
 * not be written beside that. Lock held, and recording. */
void mp_scan_end(void);

/* Returns the file of the last snapshot, or "" if that has no name. Lock held. */
const char *mp_scan_file(void);

#endif
