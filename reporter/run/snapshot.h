/* snapshot.h -- a data file of its own of what a running process allocated so far. */
#ifndef MP_SNAPSHOT_H
#define MP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"

struct mp_snapshot {
    char *path;                 /* malloc()ed: the caller frees it, also where it failed; NULL: none */
    uint64_t size;              /* of the file, bytes */
    uint64_t allocs;            /* in it */
    bool lisp;                  /* it has objects of Lisp */
};

/* Read the live file LIVE, and write FILE, NULL: LIVE.snapshot.1, .2 ..., the first that is not there. */
bool mp_snapshot(const char *live, const char *file, struct mp_snapshot *snapshot,
                 struct mp_error *error);

/* Wait for the process that writes FILE, a snapshot of a heap (runtime/heap_format.h): it keeps it locked. */
bool mp_snapshot_heap_wait(const char *file, struct mp_error *error);

/* Does a process write FILE at this moment? */
bool mp_snapshot_heap_is_written(const char *file);

#endif
