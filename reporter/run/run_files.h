/* run_files.h -- the live files that a run left: known by the run's id in their headers. */
#ifndef MP_RUN_FILES_H
#define MP_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/file_at.h"

struct mp_run_file {
    char *path;
    dev_t device;               /* it is this file, whatever its path leads to later */
    ino_t inode;
    uid_t owner;
    size_t asked;               /* bytes of `path` that the template stands for; behind them is what the
                                   monitor adds where that name is taken: .PID or .PID.2 */
    uint32_t pid;               /* of the process that wrote it */
    uint64_t start;             /* when recording began, ns, CLOCK_MONOTONIC */
    bool followed;              /* the process began another recording after it */
};

struct mp_run_files {
    struct mp_run_file *files;
    uint32_t n;
};

/* The files that processes of the run RUN_ID made of TEMPLATE, absolute, and those that they recorded
 * in after these, wherever they are: but a file may only name another one of its own owner.  Sealed files and snapshots
 * are none of them, nor are symbolic links.  In the order in which they began.  Without memory some are not found. */
void mp_run_files_find(const char *template, const uint64_t run_id[2], struct mp_run_files *found);
void mp_run_files_free(struct mp_run_files *found);

/* Open FILE for reading, with the directory that has it.  False and errno; ENOENT also if its path leads to another
 * file by now. */
bool mp_run_file_open(const struct mp_run_file *file, struct mp_file_at *opened);

#endif
