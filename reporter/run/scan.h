/* scan.h -- snapshots of C's heap: those of a data file, and asking a running process for one. */
#ifndef MP_RUN_SCAN_H
#define MP_RUN_SCAN_H

#include "process.h"

/* The newest of DATA_FILE, DATA_FILE.NUMBER.heap.  The caller frees it; NULL: there is none. */
char *mp_scan_newest(const char *data_file);

/* Have PROCESS write one, and wait until it is whole; TIMEOUT: ns until it begins.  The caller removes the file, and
 * frees its name; NULL and *ERROR. */
char *mp_scan_ask(struct mp_process *process, uint64_t timeout, struct mp_error *error);

#endif
