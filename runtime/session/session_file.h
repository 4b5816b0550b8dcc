/*
 * session_file.h -- the data file of a session: its name, its header, and whose it is.
 */
#ifndef MP_SESSION_FILE_H
#define MP_SESSION_FILE_H

#include <stdbool.h>

#include "runtime/format.h"

/* What the template makes of the file's name. */
enum mp_file_name {
    MP_FILE_AS_SAID,            /* replacing a data file of that name */
    MP_FILE_BESIDE,             /* replacing none: with the process id behind it, "mprof.data.PID" */
    MP_FILE_OF_CHILD            /* the same, of a child that nobody asked to record: not kept, if it
                                   becomes a program that is not profiled */
};

/* Make the file after TEMPLATE and fill its header.  0 or -errno, which has been said on stderr.  Lock
 * held. */
int mp_session_make_file(const char *template, enum mp_file_name name);

/* Has the process the right, and by its limits the room, to make files after TEMPLATE?  A system call or
 * two; errno may change. */
bool mp_session_can_make_file(const char *template);

/* PATH (MP_PATH_SIZE bytes) becomes FILE WORD NUMBER, as in "mprof.data.snapshot.1"; 0 or -ENAMETOOLONG. */
int mp_session_numbered(char *path, const char *file, const char *word, uint32_t number);

/* Does the present file belong to this process, and not to the parent of a vfork, or of a fork? */
bool mp_session_is_ours(void);

/* Header of the file of the first process of the family; forked children count there what they
 * start.  NULL: none. */
struct mp_live_header *mp_session_family(void);

#endif
