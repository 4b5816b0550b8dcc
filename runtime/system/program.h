/* SPDX-License-Identifier: MIT */
/*
 * program.h -- the program's name and path.
 *
 * Symbolic links may give one file several names, such as redis-server and redis-check-rdb, or the applets of
 * busybox. The functions return the name by which the program was started. For `ld.so PROGRAM` that is PROGRAM.
 */
#ifndef MP_PROGRAM_NAME_H
#define MP_PROGRAM_NAME_H

/* Returns the absolute path by which the executable was started, which may be a symbolic link to it. Returns ""
 * if the path is unknown. */
const char *mp_program_path(void);

/* Returns a path that leads to the executable's file even if the file was removed or replaced. For `ld.so PROGRAM` no
 * such path exists, and the result is mp_program_path(). */
const char *mp_program_file(void);

/* Returns the name by which the program was started. For a script it is the script's name, not its interpreter's. */
const char *mp_program_name(void);

#endif
