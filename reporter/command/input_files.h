/* SPDX-License-Identifier: MIT */
/*
 * input_files.h -- the inputs of a command: a data file or a process, or for some commands many files, directories
 * and lists.
 */
#ifndef MP_COMMAND_INPUT_FILES_H
#define MP_COMMAND_INPUT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/error.h"

struct mp_filters;
struct mp_profile;

/* Reads the profile of ARGUMENT, a data file or the id of a process that is being recorded. The profile of a process
 * contains what was recorded so far. mp_several_read() explains FILTERS, which may be NULL. The caller frees the
 * profile. On failure returns NULL and fills *ERROR. */
struct mp_profile *mp_input_profile(const char *argument, const struct mp_filters *filters, struct mp_error *error);

/* A set of input files. Must be zeroed at first. */
struct mp_input_files {
    struct mp_input_file {
        char *path;
        dev_t device;           /* device and inode of the file; 0, 0 if it does not exist */
        ino_t inode;
        uint32_t number;        /* order in which files were added */
        const void *of;         /* value of files->of when the file was added */
    } *list;
    uint32_t n, room;
    uint32_t n_added;
    const void *of;             /* the caller's data for files that are added from now on; not owned */
};

/* Adds ARGUMENT: a file, even if it does not exist, all data files in a directory and below it, or, if it is @FILE,
 * the files and directories in the lines of FILE. @- is standard input. Lists cannot contain lists. Returns false and
 * fills *ERROR if a list or directory cannot be read or a directory has no data file. */
bool mp_input_files_add(struct mp_input_files *files, const char *argument, struct mp_error *error);

/* Sorts the files after all were added, and keeps only one name of a file that was added twice. If OUTPUT is among
 * the files, removes it and returns true. */
bool mp_input_files_settle(struct mp_input_files *files, const char *output);

void mp_input_files_free(struct mp_input_files *files);

#endif
