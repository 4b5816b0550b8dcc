/* SPDX-License-Identifier: MIT */
/* heap_request.h -- finds the snapshots of C's heap that belong to a data file, and asks a running process for one. */
#ifndef MP_RUN_SCAN_H
#define MP_RUN_SCAN_H

#include "process.h"
#include "reporter/profile/profile.h"

/* Returns the path of the newest snapshot of C's blocks, DATA_FILE.NUMBER.heap, of the process that MEANT
 * describes. Earlier recordings of that name may have left snapshots of other processes, which are ignored. If no
 * snapshot of the process is found, returns the path of a snapshot that cannot be read, or else NULL. The caller
 * frees the path. */
char *mp_scan_newest(const char *data_file, const struct mp_meta *meant);

/* Does what mp_scan_newest() does, for a MEANT that was read from a live file, which contains the number of the last
 * snapshot. Returns NULL at once if that number is 0. Reads the directory only if the snapshot with that number does
 * not fit. */
char *mp_scan_newest_noted(const char *data_file, const struct mp_meta *meant);

/* Asks PROCESS for a snapshot; REQUEST selects C's blocks or the heap. Waits at most TIMEOUT ns until the process
 * begins the snapshot, and then, for any time, until the snapshot is complete. Stops waiting when *INTERRUPTED is
 * nonzero; INTERRUPTED may be NULL. NAME is used in messages. Returns the descriptor of a file without a name, which
 * the caller closes. On failure returns -1 and fills *ERROR. */
int mp_scan_ask(struct mp_process *process, enum mp_request request, uint64_t timeout,
                const volatile sig_atomic_t *interrupted, const char *name, struct mp_error *error);

#endif
