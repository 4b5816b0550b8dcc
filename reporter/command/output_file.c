#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reporter/base/arena.h"
#include "reporter/base/write_file.h"
#include "reporter/heap/heap.h"
#include "reporter/run/data_file.h"

static bool
write_into(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "we");
    bool ok;

    if (!out)
        return false;
    ok = fwrite(bytes, 1, size, out) == size;
    return fclose(out) == 0 && ok;
}

static mode_t
mode_of_new(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Writes the SIZE BYTES to the file PATH, completely or not at all (see mp_write_file()). An existing file keeps
 * its mode, and umask(2) decides that of a new one. A symbolic link is kept and its target replaced. If PATH is
 * no regular file, such as /dev/null, writes to it. On failure returns false and sets errno. */
static bool
write_output(const char *path, const void *bytes, size_t size)
{
    struct stat status;
    bool there = stat(path, &status) == 0, ok;
    char *real = there ? realpath(path, NULL) : NULL;
    int problem;

    if (there && !S_ISREG(status.st_mode)) {
        ok = write_into(path, bytes, size);
    } else {
        const mode_t mode = there ? status.st_mode & 0777 : mode_of_new();

        ok = mp_write_file(AT_FDCWD, real ? real : path, mode, bytes, size);
    }
    problem = errno;
    free(real);
    errno = problem;
    return ok;
}

static bool
is_among(const struct stat *status, const char *const *files)
{
    struct stat one;

    for (; *files; files++)
        if (stat(*files, &one) == 0 && one.st_dev == status->st_dev && one.st_ino == status->st_ino)
            return true;
    return false;
}

/* Checks that PATH may be replaced. A special file like /dev/null always may, because it is written to instead.
 * Returns false and fills *ERROR if not. */
static bool
may_replace(const char *path, const char *const *inputs, struct mp_error *error)
{
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    if (is_among(&status, inputs))
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: this file is read, and would be replaced; choose "
                       "another name for the output", path);
    return !(mp_data_file_is(path) || mp_heap_is_snapshot(path)) ||
           mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: is a %s, which would be lost; choose another name for the "
                   "output", path, mp_data_file_is(path) ? "recording" : "snapshot of a heap");
}

FILE *
mp_output_begin(struct mp_output_file *output, const char *path, const char *const *inputs, struct mp_error *error)
{
    *output = (struct mp_output_file){.path = mp_output_is_standard(path) ? NULL : path};
    if (!output->path)
        return stdout;
    if (!may_replace(output->path, inputs, error))
        return NULL;
    return mp_text_open(&output->content);
}

bool
mp_output_end(struct mp_output_file *output, bool ok, struct mp_error *error)
{
    char *bytes;

    if (!output->path)
        return ok;
    bytes = mp_text_close(&output->content);
    if (ok && !write_output(output->path, bytes, output->content.size))
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", output->path, strerror(errno));
    free(bytes);
    return ok;
}
