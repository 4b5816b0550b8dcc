/*
 * input_files.h -- what a command is to read: a data file or a process; of one that takes many, files, directories
 * and lists.
 */
#ifndef MP_COMMAND_INPUT_FILES_H
#define MP_COMMAND_INPUT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/error.h"

struct mp_profile;

/* The profile of ARGUMENT, a data file, or the id of a process that is being recorded: then of what it has recorded up
 * to now.  The caller frees it; NULL and *ERROR. */
struct mp_profile *mp_input_profile(const char *argument, struct mp_error *error);

/* Zeroed: none. */
struct mp_input_files {
    struct mp_input_file {
        char *path;
        dev_t device;           /* and inode: 0, 0: there is no such file */
        ino_t inode;
        uint32_t number;        /* in the order in which they were added */
        const void *of;         /* `of` at that time */
    } *list;
    uint32_t n, room;
    uint32_t n_added;
    const void *of;             /* what the caller wants to know of those that are added now; not owned */
};

/* Add what ARGUMENT stands for: a file, even if there is none; all data files in a directory and those below
 * it; or, as @FILE, what the lines of FILE stand for (@-: of standard input), but no further list.  False and
 * *ERROR: a list or directory cannot be read, or has no data file. */
bool mp_input_files_add(struct mp_input_files *files, const char *argument, struct mp_error *error);

/* All are there.  Sort them, and leave out those that are the same file as another one.  Is OUTPUT among
 * them, it is taken out, and the result is true. */
bool mp_input_files_settle(struct mp_input_files *files, const char *output);

void mp_input_files_free(struct mp_input_files *files);

#endif
