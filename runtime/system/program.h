/*
 * program.h -- the program's name and path.
 *
 * Symbolic links may give a file several names, such as redis-server and redis-check-rdb, or all applets of
 * busybox. The name by which the program was started counts. For `ld.so PROGRAM` that is PROGRAM.
 */
#ifndef MP_PROGRAM_NAME_H
#define MP_PROGRAM_NAME_H

/* Returns the absolute path of the executable, by the link with which it was started, or "" if unknown. */
const char *mp_program_path(void);

/* Returns the name by which the program was started. For a script it is the script's name, not its interpreter's. */
const char *mp_program_name(void);

#endif
