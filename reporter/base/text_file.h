/* text_file.h -- files of lines that a user names, which may be anything: /dev/zero never ends. */
#ifndef MP_TEXT_FILE_H
#define MP_TEXT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"

struct mp_text_file {
    FILE *in;
    const char *name;           /* for messages */
    char *line;
    size_t capacity, size;      /* of `line`; bytes read of the file */
    bool failed;
};

/* Opens the file PATH.  On failure returns false and fills *ERROR. */
bool mp_text_file_open(struct mp_text_file *file, const char *path, struct mp_error *error);

/* Reads the stream IN, called NAME in messages.  Closing the text file closes it, unless it is stdin. */
struct mp_text_file mp_text_file_of(FILE *in, const char *name);

/* Returns the next line without its end, valid until the next call.  Returns NULL at the end of the file, or if it
 * cannot be read, is larger than 64 MiB or contains a zero byte; *ERROR is filled then. */
char *mp_text_file_line(struct mp_text_file *file, struct mp_error *error);

/* Returns false if reading failed. */
bool mp_text_file_close(struct mp_text_file *file);

#endif
