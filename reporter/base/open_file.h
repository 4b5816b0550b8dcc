/* SPDX-License-Identifier: MIT */
/*
 * open_file.h -- opens files whose names come from a data file, a process or another tool's file, and creates files
 * whose names a command makes up.
 *
 * Opening a device can have effects, for example start a watchdog that resets the machine. Opening a FIFO can wait
 * forever, or wake up its writer. Reading a file of /proc, /sys or the like can have effects, too, so these count as no
 * regular files. Links there to files elsewhere, such as /proc/PID/exe, are followed. Therefore the reporter opens
 * files only by these functions. tests/lint/opens.txt lists the few exceptions.
 */
#ifndef MP_OPEN_FILE_H
#define MP_OPEN_FILE_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define MP_NOT_REGULAR EMEDIUMTYPE      /* errno for what is neither a regular file nor a symbolic link; open(2) never
                                           sets it */

/* Opens the regular file PATH for reading (O_RDONLY) or for reading and writing (O_RDWR). A relative PATH is relative
 * to FOLDER, as for openat(2). FLAGS may contain O_NOFOLLOW. The type is checked on a descriptor without access
 * (O_PATH), and the checked file itself is then opened, so that nobody can replace it in between. On failure returns
 * -1 and sets errno: to MP_NOT_REGULAR for a device, FIFO, socket, directory or file of /proc, to ELOOP for a link that
 * is not to be followed. */
int mp_open_at(int folder, const char *path, int flags);

/* Like mp_open_at(), with a PATH that is absolute or relative to the working directory, for reading. */
int mp_open(const char *path);

/* Creates the file NAME, which must not exist, not even as a dangling link, for reading and writing by its owner
 * only. On failure returns -1 and sets errno. */
int mp_create_at(int folder, const char *name);

/* Returns the text of the error number NUMBER. */
const char *mp_open_problem(int number);

/* Writes the path that the open file or directory FD has now to PATH, which becomes "" if that is impossible. The path
 * of a file that was removed ends with " (deleted)". */
void mp_open_path(int fd, char path[static PATH_MAX]);

/* Opens the directory of the file PATH, with O_PATH. A relative PATH is relative to FOLDER. The caller uses the
 * directory with the last component of PATH. On failure returns -1 and sets errno. */
int mp_open_folder_of(int folder, const char *path);

/* Opens the directory PATH for files of this user only. The first NAMED bytes of PATH were chosen by the user, and the
 * rest was made up. If MAKE, creates missing directories, but as root only in root's own directories, and below the
 * named part only in directories of this user. In the made-up part, a symbolic link is followed only if nobody else
 * could have created it. On failure returns -1 and sets errno, to EPERM if others can write to the directory, or if it
 * may not be created. */
int mp_open_own_folder(const char *path, size_t named, bool make);

#endif
