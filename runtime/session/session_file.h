/* SPDX-License-Identifier: MIT */
/*
 * session_file.h -- the data file of a session: its name, its header, and the process that it belongs to.
 */
#ifndef MP_SESSION_FILE_H
#define MP_SESSION_FILE_H

#include <stdbool.h>

#include "runtime/format.h"

/* Rules by which the template becomes the file's name. */
enum mp_file_name {
    MP_FILE_AS_SAID,            /* the name as given; replaces a data file of that name */
    MP_FILE_BESIDE,             /* replaces no file; the process id is appended, as in "mprof.data.PID", unless the
                                   template has %p and that name is free */
    MP_FILE_OF_CHILD            /* as MP_FILE_BESIDE, for a forked child; the file is removed if the child executes a
                                   program that is not profiled */
};

/* Creates the file that TEMPLATE names and fills its header. Returns 0 or -errno, after a message on stderr. Lock
 * held. */
int mp_session_make_file(const char *template, enum mp_file_name name);

/* Returns whether the permissions of the process and its limit of file sizes allow it to make a file that TEMPLATE
 * names, or whether it can hand a file over to mprof run. Makes system calls and may change errno. */
bool mp_session_can_make_file(const char *template);

/* Writes FILE, WORD and NUMBER to PATH (MP_PATH_SIZE bytes), as in "mprof.data.snapshot.1". Returns 0 or
 * -ENAMETOOLONG. */
int mp_session_numbered(char *path, const char *file, const char *word, uint32_t number);

/* Returns whether the present file belongs to this process, and not to the parent of a vfork or a fork. */
bool mp_session_is_ours(void);

/* Returns the header of the file of the first process of the family, or NULL. The forked children of that process count
 * in this header how many programs they start. */
struct mp_live_header *mp_session_family(void);

#endif
