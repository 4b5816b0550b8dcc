/* SPDX-License-Identifier: MIT */
/*
 * subjects.h -- the served subjects, which are recorded processes and data files, and their ids.
 *
 * The list is made again now and then, because processes start and end.
 */
#ifndef MP_SUBJECTS_H
#define MP_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/arena.h"
#include "reporter/base/error.h"
#include "reporter/base/map.h"

struct mp_subject {
    const char *id;             /* process id, or last part of the file's name; ~2, ~3 ... is appended to make it
                                   unique */
    uint32_t pid;               /* process id; 0 for a data file */
    const char *path;           /* path of the data file, or of the process's program */
    dev_t device;               /* device and inode of the data file; a file with several names is one subject */
    ino_t inode;
    bool in_folder;             /* found in a folder that is served, so it must not be replaced with a link */
};

struct mp_subjects {
    const char *const *wanted;  /* process ids, files and folders to serve; empty for all recorded processes of this
                                   user */
    unsigned n_wanted;
    struct mp_subject *list;    uint32_t n, capacity;
    struct mp_map ids, files;   /* indexes of the list by id, and of its data files by device and inode */
    uint64_t made;              /* time when the list was made, ns, CLOCK_MONOTONIC */
    struct mp_arena *arena;     /* memory of the list */
};

/* Checks what was requested. Returns false and fills *ERROR if one of `wanted` is a process that is not recorded or a
 * file that cannot be read. */
bool mp_subjects_check(const struct mp_subjects *subjects, struct mp_error *error);

/* Makes the list again, unless it is younger than a second. Subjects returned before become invalid. */
void mp_subjects_refresh(struct mp_subjects *subjects);
void mp_subjects_free(struct mp_subjects *subjects);

/* Returns the subject with ID, or the only one if ID is "". Returns NULL if there is no such subject, or several for
 * "". */
const struct mp_subject *mp_subjects_find(const struct mp_subjects *subjects, const char *id);

/* Returns the current path of SUBJECT's data file, which the caller frees. Returns NULL and fills *ERROR if the
 * process is no longer recorded or the file was replaced with a link. */
char *mp_subject_file(const struct mp_subject *subject, struct mp_error *error);

#endif
