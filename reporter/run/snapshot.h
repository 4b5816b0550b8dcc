/* snapshot.h -- a data file of its own of what a running process allocated so far. */
#ifndef MP_SNAPSHOT_H
#define MP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/base/file_at.h"

struct mp_snapshot {
    char *path;                 /* malloc()ed: the caller frees it, also where it failed; NULL: none */
    uint64_t size;              /* of the file, bytes */
    uint64_t allocs;            /* in it */
    bool lisp;                  /* it has objects of Lisp */
};

/* Read the live file LIVE, and write FILE, NULL: LIVE.snapshot.1, .2 ..., the first that is not there. */
bool mp_snapshot(const struct mp_file_at *live, const char *file, struct mp_snapshot *snapshot,
                 struct mp_error *error);

#endif
