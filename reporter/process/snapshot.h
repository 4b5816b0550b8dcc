/* SPDX-License-Identifier: MIT */
/* snapshot.h -- writes what a running process has allocated so far to a data file of its own. */
#ifndef MP_RUN_SNAPSHOT_H
#define MP_RUN_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/base/file_at.h"

struct mp_snapshot {
    char *path;                 /* path of the snapshot, allocated with malloc(); the caller frees it, also after a
                                   failure; NULL means none */
    uint64_t size;              /* size of the file, bytes */
    uint64_t allocs;            /* number of allocations in it */
    bool lisp;                  /* it contains Lisp objects */
};

/* Reads the live file LIVE and writes it sealed to FILE. If FILE is NULL, writes to the first of LIVE.snapshot.1,
 * LIVE.snapshot.2 ... that does not exist. On failure returns false and fills *ERROR. */
bool mp_snapshot(const struct mp_file_at *live, const char *file, struct mp_snapshot *snapshot,
                 struct mp_error *error);

#endif
