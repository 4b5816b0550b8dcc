/* SPDX-License-Identifier: MIT */
/*
 * children.h -- the file FILE.children, in which mprof run collects the sealed recordings of all processes but the
 * first, whose file is FILE.
 *
 * FILE.children is an archive (reporter/file/archive.h). A recording is added to it before the recording's live file is
 * removed, so no recording is lost if mprof run is killed. While a process runs, it has a file of its own, FILE.PID. It
 * keeps this file if other files belong to it (snapshots), or if the user chose names with the process id or the
 * program.
 */
#ifndef MP_CHILDREN_H
#define MP_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/file_at.h"
#include "reporter/profile/profile.h"

/* The archive of a run. One thread at a time uses it. Must be zeroed at first. */
struct mp_children {
    char *path;                 /* NULL if nothing is collected */
    uint64_t run_id[2];         /* as in struct mp_meta */
    struct mp_file_at file;     /* its path is NULL until the first recording is added */
    uint64_t size;              /* size of the file in bytes */
};

/* Begins to collect recordings of the run RUN_ID, whose first data file is FIRST. Does nothing in a second call, or if
 * names from TEMPLATE, the template of data files, contain the process id or the program. */
void mp_children_begin(struct mp_children *children, const uint64_t run_id[2], const char *template,
                       const char *first);

/* Seals PROFILE and adds it to the file. Sets *SIZE to the number of bytes added. On failure returns false, sets *ERROR
 * and leaves the file as it was. */
bool mp_children_add(struct mp_children *children, const struct mp_profile *profile, uint64_t *size,
                     struct mp_error *error);

/* Closes the file. If nothing was added, removes an archive that an earlier run has left at its path. */
void mp_children_end(struct mp_children *children);

#endif
