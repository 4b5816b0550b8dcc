/*
 * session_leaks.h -- when it is written what leads to the blocks that live (scan.h): on request, and at exit.
 */
#ifndef MP_SESSION_LEAKS_H
#define MP_SESSION_LEAKS_H

/* Have it written into FILE, which must not be there, or, if that is "", a file whose name is put there; FILE has
 * MP_PATH_SIZE bytes.  0 or -errno: -ENODATA while nothing is recorded, -EOPNOTSUPP where not every block was.  Lock
 * held. */
int mp_session_leaks(char *file);

/* The process is about to end: have it written if that was asked for, and wait until it is. */
void mp_session_leaks_at_exit(void);

#endif
