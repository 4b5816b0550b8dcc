/*
 * program.h -- what the program is called.
 *
 * A file may have several names by symbolic links, as redis-server and redis-check-rdb, and all
 * applets of busybox; what counts is the name by which it was started.  Of `ld.so PROGRAM` it is
 * PROGRAM.
 */
#ifndef MP_PROGRAM_NAME_H
#define MP_PROGRAM_NAME_H

/* Absolute path of the executable, through the link by which it was started; "" if not known. */
const char *mp_program_path(void);

/* The name by which it was started: of a script, the script's, not its interpreter's. */
const char *mp_program_name(void);

#endif
