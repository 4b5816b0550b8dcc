/* SPDX-License-Identifier: MIT */
#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define MOST_SIZE ((size_t)64 << 20)    /* bytes */

bool
mp_text_file_open(struct mp_text_file *file, const char *path, struct mp_error *error)
{
    *file = mp_text_file_of(fopen(path, "re"), path);
    return file->in || mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
}

struct mp_text_file
mp_text_file_of(FILE *in, const char *name)
{
    return (struct mp_text_file){.in = in, .name = name};
}

static char *
fail(struct mp_text_file *file, const char *why, struct mp_error *error)
{
    file->failed = true;
    mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", file->name, why);
    return NULL;
}

static void
put(struct mp_text_file *file, size_t length, int c)
{
    if (length == file->capacity) {
        file->capacity = length > 0 ? 2 * length : 256;
        file->line = mp_need(realloc(file->line, file->capacity));
    }
    file->line[length] = (char)c;
}

char *
mp_text_file_line(struct mp_text_file *file, struct mp_error *error)
{
    size_t length = 0;
    int c;

    while ((c = getc_unlocked(file->in)) != EOF && c != '\n') {
        if (c == '\0')
            return fail(file, "not a text file", error);
        if (++file->size > MOST_SIZE)
            return fail(file, "larger than 64 MiB", error);
        put(file, length++, c);
    }
    if (c == EOF && ferror(file->in))
        return fail(file, strerror(errno), error);
    if (c == EOF && length == 0)
        return NULL;
    if (length > 0 && file->line[length - 1] == '\r')
        length--;
    put(file, length, '\0');
    return file->line;
}

bool
mp_text_file_close(struct mp_text_file *file)
{
    free(file->line);
    if (file->in != stdin)
        fclose(file->in);
    return !file->failed;
}
