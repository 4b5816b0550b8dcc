#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reporter/base/arena.h"
#include "reporter/base/write_output.h"
#include "reporter/heap/heap.h"
#include "reporter/run/data_file.h"

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
    *output = (struct mp_output_file){.path = path && strcmp(path, "-") != 0 ? path : NULL};
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
    if (ok && !mp_write_output(output->path, bytes, output->content.size))
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", output->path, strerror(errno));
    free(bytes);
    return ok;
}
