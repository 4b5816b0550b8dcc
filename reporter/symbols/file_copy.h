/*
 * file_copy.h -- files of others: opened so that they cannot stop us, copied so that they stay.
 *
 * libdw and libelf map the files that they read.  Somebody may shorten a file meanwhile (a build,
 * cp, strip), and then reading the mapping ends the process by SIGBUS, in a Lisp image the user's.
 * So they get copies, which nobody else can open by a name and which have a hole where nothing is
 * needed: of a stripped library a few percent are copied.
 */
#ifndef MP_SYMBOLS_FILE_COPY_H
#define MP_SYMBOLS_FILE_COPY_H

#include <stdbool.h>

#include "reporter/base/arena.h"

/* A file descriptor, or -1 and *PROBLEM (in ARENA). */
int mp_file_open(const char *path, struct mp_arena *arena, const char **problem);

struct mp_copy {
    int fd;                     /* -1: none */
    uint64_t bytes;             /* that were needed; the rest reads as zeros */
    bool has_debug, zstd;       /* is there debug information?  Is it compressed so? */
    uint64_t common_place, common_offset, common_size;  /* .gnu_debugaltlink: see below */
};

/* Copy what the symboliser needs of the ELF file FD, and, if PLACES, where variables are: "" or the problem, in
 * ARENA. */
const char *mp_copy_make(int fd, bool places, struct mp_arena *arena, struct mp_copy *copy);
/* Name and build-id of the common file of dwz that it refers to, in ARENA; NULL: to none. */
const char *mp_copy_common(const struct mp_copy *copy, struct mp_arena *arena, const uint8_t **id,
                           size_t *size);
/* Make the copy refer to none. */
bool mp_copy_hide_common(const struct mp_copy *copy);
void mp_copy_close(struct mp_copy *copy);

#endif
