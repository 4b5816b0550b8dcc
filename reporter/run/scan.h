/* scan.h -- snapshots of C's heap: those of a data file, and asking a running process for one. */
#ifndef MP_RUN_SCAN_H
#define MP_RUN_SCAN_H

#include "process.h"
#include "reporter/profile/profile.h"

/* The newest snapshot of C's blocks, DATA_FILE.NUMBER.heap, of the process that MEANT tells: others may have been left
 * there by earlier recordings of that name.  If there is none, one that cannot be read.  The caller frees it; NULL:
 * there is neither. */
char *mp_scan_newest(const char *data_file, const struct mp_meta *meant);

/* The same, without reading a directory if the last one has no name of its own, or there is none, of those that MEANT,
 * which was read from the live form, says there are. */
char *mp_scan_newest_noted(const char *data_file, const struct mp_meta *meant);

/* Have PROCESS make a snapshot, of C's blocks or of the heap as REQUEST says; TIMEOUT: ns until it begins, or until
 * *INTERRUPTED, if that is not NULL.  NAME: for messages.  A file without a name, which the
 * caller closes; -1 and *ERROR. */
int mp_scan_ask(struct mp_process *process, enum mp_request request, uint64_t timeout,
                const volatile sig_atomic_t *interrupted, const char *name, struct mp_error *error);

#endif
