/*
 * file_copy.h -- opens other users' files without blocking, and makes private copies that cannot change.
 *
 * libdw and libelf map the files that they read. If a file is truncated meanwhile (by a build, cp or strip), access
 * to the mapping ends the process by SIGBUS, in a Lisp image the user's process. They therefore get unnamed private
 * copies. Parts that are not needed are holes in the copy; only a few percent of a stripped library are copied.
 */
#ifndef MP_SYMBOLS_FILE_COPY_H
#define MP_SYMBOLS_FILE_COPY_H

#include <stdbool.h>

#include "reporter/base/arena.h"

/* Returns a descriptor of the regular file PATH, or -1 with *PROBLEM set, allocated in ARENA. */
int mp_file_open(const char *path, struct mp_arena *arena, const char **problem);

struct mp_copy {
    int fd;                     /* -1 = none */
    uint64_t bytes;             /* number of bytes copied; the rest reads as zeros */
    bool has_debug, zstd;       /* there is debug information; it is compressed by zstd */
    uint64_t common_place, common_offset, common_size;  /* .gnu_debugaltlink: offset of its type in the section
                                                           headers, offset and size of its content */
};

/* Copies the parts of the ELF file FD that the symboliser needs, including locations of variables if PLACES.
 * Returns "" or a description of the problem, allocated in ARENA. */
const char *mp_copy_make(int fd, bool places, struct mp_arena *arena, struct mp_copy *copy);
/* Returns the name of dwz's common file to which the copy refers, and its build-id in *ID and *SIZE, all in ARENA.
 * Returns NULL if the copy does not refer to a common file. */
const char *mp_copy_common(const struct mp_copy *copy, struct mp_arena *arena, const uint8_t **id,
                           size_t *size);
/* Removes the reference to a common file from the copy. */
bool mp_copy_hide_common(const struct mp_copy *copy);
void mp_copy_close(struct mp_copy *copy);

#endif
