/* scan.h -- snapshots of C's heap: those of a data file, and asking a running process for one. */
#ifndef MP_RUN_SCAN_H
#define MP_RUN_SCAN_H

#include "process.h"
#include "reporter/profile/profile.h"

/* The newest snapshot of C's blocks, DATA_FILE.NUMBER.heap, of the process that MEANT tells: others may have been left
 * there by earlier recordings of that name.  If there is none, one that cannot be read.  The caller frees it; NULL:
 * there is neither. */
char *mp_scan_newest(const char *data_file, const struct mp_meta *meant);

/* Have PROCESS begin one; TIMEOUT: ns until it does, or until *INTERRUPTED.  The caller waits for the file, removes it,
 * and frees its name; NULL and *ERROR. */
char *mp_scan_ask(struct mp_process *process, uint64_t timeout, const volatile sig_atomic_t *interrupted,
                  struct mp_error *error);

/* Wait until PATH, which PROCESS writes, is whole. */
bool mp_scan_wait(const char *path, const struct mp_process *process, struct mp_error *error);

#endif
