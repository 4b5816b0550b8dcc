/* SPDX-License-Identifier: MIT */
/*
 * write_file.h -- writes files completely or not at all, at once or piece by piece, and content in blocks with
 * checksums, which reporter/file/file_blocks.h reads.
 *
 *     if (!mp_writing_begin(&writing, folder, path))
 *         ...                                             errno
 *     mp_writing_put(&writing, magic, sizeof magic);
 *     mp_writing_block(&writing, content, stored, n);
 *     if (!mp_writing_end(&writing, true))
 *         ...                                             errno
 *
 * The file is created under a temporary name in its directory, which stays open, and is renamed when it is complete.
 * So PATH is either the complete old file or the complete new one, even if the process is killed. A link at PATH is
 * replaced, not followed. There is no fsync. After the first error nothing more is written, and mp_writing_end()
 * reports it.
 */
#ifndef MP_WRITE_FILE_H
#define MP_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* The name of a temporary file is the file's name, this suffix and a process id. */
#define MP_WRITE_SUFFIX ".tmp-"

struct mp_writing {
    int folder;                 /* the directory, opened with O_PATH, or -1 if the file has its name already */
    char *name, *beside;        /* final and temporary name in the directory, or NULL */
    FILE *file;
    uint64_t size;              /* in bytes, so far */
    int problem;                /* errno of the first error, or 0 */
};

/* Returns whether this process may write a file of SIZE bytes. If not, because the attempt would raise SIGXFSZ,
 * sets errno to EFBIG. */
bool mp_may_write(uint64_t size);

/* Begins to write PATH, for its owner only. A relative path is relative to FOLDER, as for openat(2). On failure returns
 * false and sets errno; nothing needs to be released then. */
bool mp_writing_begin(struct mp_writing *writing, int folder, const char *path);

/* Begins to write to the open file FD, which must be new and empty, and which stays open. The caller removes the file
 * if writing fails. */
bool mp_writing_begin_into(struct mp_writing *writing, int fd);

/* If root writes the file, gives it the owner and the group of LIKE. */
void mp_writing_own(struct mp_writing *writing, const struct stat *like);

void mp_writing_put(struct mp_writing *writing, const void *bytes, size_t size);

/* Writes the SIZE bytes at OFFSET of the file FROM. It is an error if there are fewer. */
void mp_writing_copy(struct mp_writing *writing, int from, uint64_t offset, uint64_t size);

/* Writes a block whose content has SIZE bytes and is stored as N bytes STORED. */
void mp_writing_block(struct mp_writing *writing, size_t size, const void *stored, size_t n);

/* Ends writing. If OK, gives the file its name. If not OK, or after an error, removes the temporary file. Returns
 * whether the file was written. Sets errno if OK is true and writing failed. */
bool mp_writing_end(struct mp_writing *writing, bool ok);

/* Writes the SIZE BYTES to the file PATH, with MODE. A relative PATH is relative to FOLDER. On failure returns false,
 * sets errno and leaves nothing behind. */
bool mp_write_file(int folder, const char *path, mode_t mode, const void *bytes, size_t size);

#endif
