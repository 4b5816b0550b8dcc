/* SPDX-License-Identifier: MIT */
/* run_files.h -- finds the live files that a run left, by the run's id in their headers. */
#ifndef MP_RUN_FILES_H
#define MP_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/file_at.h"

/* What happened to a file's name after the recording began. */
enum mp_run_file_fate {
    MP_FILE_STANDS,
    MP_FILE_RENAMED,            /* `path` is the new name */
    MP_FILE_REMOVED,            /* the file was written again */
    MP_FILE_REPLACED,           /* the file was written again, beside another file unless that was a stale copy of it */
    MP_FILE_LOST                /* the file is a stale copy of a recording that no file has */
};

struct mp_run_file {
    char *path;
    dev_t device;               /* device and inode identify the file, even if its path leads elsewhere later */
    ino_t inode;
    uid_t owner;
    size_t asked;               /* length of the expanded template in `path`, bytes. If that name was taken, the
                                   monitor added .PID or .PID.2 */
    uint32_t pid;               /* process that wrote the file */
    uint64_t ticks;             /* start time of that process, as in struct mp_live_header */
    uint64_t start;             /* start of the recording, ns, CLOCK_MONOTONIC */
    bool executed;              /* the recording ended because the process executed another program */
    bool followed;              /* the process began another recording afterwards */
    enum mp_run_file_fate fate;
};

struct mp_run_files {
    struct mp_run_file *files;
    uint32_t n;
    int problem;                /* error number of the first failure because of which files may be missing, or 0 */
};

/* Removes spare files of the run (spares.h). Finds the files that processes of the run RUN_ID made from the absolute
 * TEMPLATE, also if a suffix was added to their names since. Finds the further files to which these processes have
 * recorded afterwards, in any directory, if they have the same owner. Skips sealed files, snapshots and symbolic links.
 * Also finds the N files OPEN, wherever they were moved. If no directory contains such a file, writes it again to the
 * directory in which it was opened. Sorts FOUND by the start of the recording. */
void mp_run_files_find(const char *template, const uint64_t run_id[2], const struct mp_file_at open[], uint32_t n,
                       struct mp_run_files *found);
void mp_run_files_free(struct mp_run_files *found);

/* Returns the entry of the file with DEVICE and INODE, or NULL. */
struct mp_run_file *mp_run_files_listed(const struct mp_run_files *found, dev_t device, ino_t inode);

/* Returns whether process PID could give its file the name PATH, according to TEMPLATE. */
bool mp_run_file_may_have(const char *path, const char *template, uint32_t pid);

/* Opens FILE for reading, with its directory. Returns false and sets errno on failure, ENOENT also if its path now
 * leads to another file. */
bool mp_run_file_open(const struct mp_run_file *file, struct mp_file_at *opened);

#endif
