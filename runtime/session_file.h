/*
 * session_file.h -- the data file of a session: its name, its header, and whose it is.
 */
#ifndef MP_SESSION_FILE_H
#define MP_SESSION_FILE_H

#include <stdbool.h>

#include "format.h"

/* Make the file after TEMPLATE and fill its header; CHILD: a name of its own beside the first
 * process's ("mprof.data.PID").  0 or -errno, which has been said on stderr.  Lock held. */
int mp_session_make_file(const char *template, bool child);

/* PATH (MP_PATH_SIZE bytes) becomes FILE WORD NUMBER, as in "mprof.data.snapshot.1"; 0 or -ENAMETOOLONG. */
int mp_session_numbered(char *path, const char *file, const char *word, uint32_t number);

/* Does the present file belong to this process (and not to the parent of a vfork)? */
bool mp_session_is_ours(void);

/* Header of the file of the first process of the family; forked children count there what they
 * start.  NULL: none. */
struct mp_live_header *mp_session_family(void);

#endif
