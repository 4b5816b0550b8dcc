/*
 * scan.h -- a snapshot of malloc's live blocks, and of what leads to them (heap_format.h): NAME.NUMBER.heap, NAME being
 * the data file, or a file without a name.
 *
 * A copy of the process writes it; the program is held up for as long as the copy takes to make.
 */
#ifndef MP_SCAN_H
#define MP_SCAN_H

#include "runtime/format.h"
#include "runtime/heap_format.h"

/* Have one written, called NAME unless that is NULL, into a file without a name, which is put into OFFER, or, if that
 * is NULL, into a new file with the next number.  The copy's process id, to be waited for by mp_copy_wait(), or let go
 * of by mp_copy_reap(); or -errno: -EOPNOTSUPP where not all blocks are recorded.  The file is locked (flock(2)) until
 * it is whole, or was removed.  Lock held, and recording. */
long mp_scan_make(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer);

/* Returns the file that the last one was written into; "": a file without a name.  Lock held. */
const char *mp_scan_file(void);

#endif
