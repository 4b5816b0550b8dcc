/* SPDX-License-Identifier: MIT */
/* text_file.h -- reads lines of a file named by the user. The size is bounded, because the file may be anything,
 * such as /dev/zero. */
#ifndef MP_TEXT_FILE_H
#define MP_TEXT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"

struct mp_text_file {
    FILE *in;
    const char *name;           /* for messages */
    char *line;
    size_t capacity, size;      /* capacity of `line`; bytes of the file read so far */
    bool failed;
};

/* Opens the file PATH.  On failure returns false and fills *ERROR. */
bool mp_text_file_open(struct mp_text_file *file, const char *path, struct mp_error *error);

/* Reads from the stream IN, called NAME in messages. mp_text_file_close() closes IN, unless it is stdin. */
struct mp_text_file mp_text_file_of(FILE *in, const char *name);

/* Returns the next line without its newline, valid until the next call. Returns NULL at the end of the file.
 * Also returns NULL, and fills *ERROR, if the file cannot be read, is larger than 64 MiB or contains a zero
 * byte. */
char *mp_text_file_line(struct mp_text_file *file, struct mp_error *error);

/* Returns false if reading failed. */
bool mp_text_file_close(struct mp_text_file *file);

#endif
