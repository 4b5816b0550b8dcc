/* scan.h -- snapshots of C's heap: finds those of a data file, and asks a running process for one. */
#ifndef MP_RUN_SCAN_H
#define MP_RUN_SCAN_H

#include "process.h"
#include "reporter/profile/profile.h"

/* Finds the newest snapshot of C's blocks, DATA_FILE.NUMBER.heap, of the process that MEANT describes. Earlier
 * recordings of that name may have left others. If there is none, returns an unreadable one. The caller frees the
 * path. Returns NULL if there is neither. */
char *mp_scan_newest(const char *data_file, const struct mp_meta *meant);

/* Does the same for a profile MEANT that was read from a live file and therefore has the number of snapshots. Returns
 * NULL at once if there are none. Reads the directory only if the last one does not belong to the process. */
char *mp_scan_newest_noted(const char *data_file, const struct mp_meta *meant);

/* Asks PROCESS for a snapshot; REQUEST selects C's blocks or the heap. Waits at most TIMEOUT ns until it begins, or
 * until *INTERRUPTED is nonzero; INTERRUPTED may be NULL. NAME is used in messages. Returns a file without a name,
 * which the caller closes. On failure returns -1 and fills *ERROR. */
int mp_scan_ask(struct mp_process *process, enum mp_request request, uint64_t timeout,
                const volatile sig_atomic_t *interrupted, const char *name, struct mp_error *error);

#endif
