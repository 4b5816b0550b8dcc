/*
 * write_blocks.h -- writes a large file piece by piece, and content in blocks with checksums, which
 * reporter/read/file_blocks.h reads.
 *
 *     if (!mp_writing_begin(&writing, folder, path))
 *         ...                                             errno
 *     mp_writing_put(&writing, magic, sizeof magic);
 *     mp_writing_block(&writing, content, stored, n);
 *     if (!mp_writing_end(&writing, true))
 *         ...                                             errno
 *
 * The file has a temporary name until it is complete, as with mp_write_file(). After the first error nothing more is
 * written, and mp_writing_end() reports it.
 */
#ifndef MP_WRITE_BLOCKS_H
#define MP_WRITE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

struct mp_writing {
    int folder;
    char *path, *beside;        /* beside: the temporary name, or NULL if the file has its name already */
    FILE *file;
    uint64_t size;              /* in bytes, so far */
    int problem;                /* errno of the first error, or 0 */
};

/* Begins to write PATH, for its owner only. A relative path is relative to FOLDER, as for openat(2). On failure returns
 * false and sets errno; nothing needs to be released then. */
bool mp_writing_begin(struct mp_writing *writing, int folder, const char *path);

/* Begins to write to the open file FD, which must be new and empty, and which stays open. The caller removes the file
 * if writing fails. */
bool mp_writing_begin_into(struct mp_writing *writing, int fd);

/* If root writes the file, gives it the owner and the group of LIKE. */
void mp_writing_own(struct mp_writing *writing, const struct stat *like);

void mp_writing_put(struct mp_writing *writing, const void *bytes, size_t size);

/* Writes a block whose content has SIZE bytes and is stored as N bytes STORED. */
void mp_writing_block(struct mp_writing *writing, size_t size, const void *stored, size_t n);

/* Ends writing. If OK, gives the file its name. If not OK, or after an error, removes the temporary file. Returns
 * whether the file was written. Sets errno if OK is true and writing failed. */
bool mp_writing_end(struct mp_writing *writing, bool ok);

#endif
