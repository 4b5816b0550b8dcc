/* SPDX-License-Identifier: MIT */
/*
 * private_copy.h -- opens other users' files without blocking, and makes private copies that cannot change.
 *
 * libdw and libelf map the files that they read. If a file is truncated meanwhile (by a build, cp or strip), access
 * to the mapping ends the process by SIGBUS, in a Lisp image the user's process. They therefore get unnamed private
 * copies. Parts that are not needed are holes in the copy; only a few percent of a stripped library are copied.
 *
 * Compressed sections are stored decompressed in the copy, whose pages can be released. libelf would inflate them
 * into memory that it keeps, a gigabyte for a library like LLVM.
 */
#ifndef MP_SYMBOLS_PRIVATE_COPY_H
#define MP_SYMBOLS_PRIVATE_COPY_H

#include <stdbool.h>

#include "reporter/base/arena.h"

/* Returns a descriptor of the regular file PATH, or -1 with *PROBLEM set, allocated in ARENA. */
int mp_file_open(const char *path, struct mp_arena *arena, const char **problem);

struct mp_copy {
    int fd;                     /* -1 = none */
    bool has_debug, zstd;       /* there is debug information; it is compressed by zstd, and not unpacked here */
    /* The file that contains debug information shared by several files, made by dwz. Its name comes from the section
     * .gnu_debugaltlink, which the copy does not have, so that libdw does not open that file itself. */
    const char *common;         /* NULL = none */
    const uint8_t *common_id;   /* its build-id */
    size_t common_id_size;
};

/* Copies the parts of the ELF file FD that the symboliser needs, including locations of variables if PLACES. Of the
 * debug information, only that of a .dwo file is copied if SPLIT. The caller closes the copy's descriptor. Returns ""
 * or a description of the problem. Both *COPY and the description are allocated in ARENA. */
const char *mp_copy_make(int fd, bool places, bool split, struct mp_arena *arena, struct mp_copy *copy);

#endif
