/* SPDX-License-Identifier: MIT */
/*
 * file_at.h -- a file identified by an open directory and by its device and inode.
 *
 * If other users can write to a directory or change the path to it, a name may lead to another file at any time.
 * So the directory is opened once, without following symbolic links. All operations use this directory and the
 * last component of the name, and only as long as these still lead to the same file.
 */
#ifndef MP_FILE_AT_H
#define MP_FILE_AT_H

#include <stdbool.h>
#include <sys/types.h>

struct mp_file_at {
    char *path;                 /* name in messages, or NULL if no file is open */
    const char *name;           /* last component of `path` */
    int folder;                 /* directory, opened with O_PATH, or -1 if no directory contains the file */
    int fd;
    dev_t device;
    ino_t inode;
    uid_t owner;
};

/* Opens the regular file PATH with FLAGS of open(2). PATH is relative to the directory ROOT, or interpreted as
 * usual if ROOT is AT_FDCWD. No component of PATH may be a symbolic link. FILE->path is set to NAMED. On failure
 * returns false and sets errno as mp_open_at() does. */
bool mp_file_at_open(int root, const char *path, const char *named, int flags, struct mp_file_at *file);

/* Opens PATH for reading in the same way, except that directories in PATH may be symbolic links. */
bool mp_file_at_find(const char *path, struct mp_file_at *file);

/* Opens the regular file NAME in FOLDER for reading. NAME must not be a symbolic link. FILE->path is set to
 * NAMED. */
bool mp_file_at_in(int folder, const char *name, const char *named, struct mp_file_at *file);

/* Create the file PATH, which must not exist, with mode 0600, for reading and writing. The second function
 * creates it in the open directory FOLDER, under the last component of PATH. On failure return false and set
 * errno. */
bool mp_file_at_create(const char *path, struct mp_file_at *file);
bool mp_file_at_create_in(int folder, const char *path, struct mp_file_at *file);

/* Returns whether the name in the directory still leads to FILE. Async-signal-safe. */
bool mp_file_at_stands(const struct mp_file_at *file);

/* Removes FILE if its name still leads to it. Returns false if it does not, or if FILE cannot be removed.
 * Async-signal-safe. */
bool mp_file_at_remove(const struct mp_file_at *file);

/* Closes both descriptors. Does nothing if FILE is closed. */
void mp_file_at_close(struct mp_file_at *file);

#endif
