/*
 * file_at.h -- a file that is known by the open directory in which it is, and by its device and inode.
 *
 * Where other users can write into a directory, or change the way to it, a name may lead to another file at any time.
 * So the directory is opened once, without symbolic links on the way; what is done to the file is done by that
 * directory and the last part of the name, and only while they still lead to the same file.
 */
#ifndef MP_FILE_AT_H
#define MP_FILE_AT_H

#include <stdbool.h>
#include <sys/types.h>

struct mp_file_at {
    char *path;                 /* for messages; NULL: no file is open */
    const char *name;           /* its last part */
    int folder;                 /* O_PATH; -1: no directory has the file */
    int fd;
    dev_t device;
    ino_t inode;
    uid_t owner;
};

/* Opens the regular file PATH with FLAGS, of open(2).  PATH starts at the directory ROOT, or, if that is AT_FDCWD, as
 * usual.  No part of PATH may be a symbolic link.  NAMED becomes the path of FILE.  False and errno. */
bool mp_file_at_open(int root, const char *path, const char *named, int flags, struct mp_file_at *file);

/* The same for reading, but the directories of PATH may be symbolic links: only PATH itself must be none. */
bool mp_file_at_find(const char *path, struct mp_file_at *file);

/* Opens the regular file NAME in FOLDER, which is not a symbolic link, for reading; NAMED becomes its path. */
bool mp_file_at_in(int folder, const char *name, const char *named, struct mp_file_at *file);

/* Creates PATH, which must not exist, with mode 0600, for reading and writing.  And: in the open directory FOLDER,
 * where it has the last part of PATH as its name.  False and errno. */
bool mp_file_at_create(const char *path, struct mp_file_at *file);
bool mp_file_at_create_in(int folder, const char *path, struct mp_file_at *file);

/* Does the name in the directory still lead to FILE?  Async-signal-safe. */
bool mp_file_at_stands(const struct mp_file_at *file);

/* Removes FILE, if its name still leads to it; false: it does not, or cannot be removed.  Async-signal-safe. */
bool mp_file_at_remove(const struct mp_file_at *file);

/* Closes both descriptors.  FILE may be closed already. */
void mp_file_at_close(struct mp_file_at *file);

#endif
