/* SPDX-License-Identifier: MIT */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/write_file.h"
#include "reporter/file/data_file.h"
#include "reporter/heap/heap.h"

/* Writes to PATH, which is no regular file. If it has become one, fails without changing it. */
static bool
write_into(const char *path, const void *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    struct stat status;
    FILE *out = fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode) ? fdopen(fd, "w") : NULL;
    bool ok;

    if (!out) {
        errno = fd >= 0 ? EEXIST : errno;
        if (fd >= 0)
            close(fd);
        return false;
    }
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

/* Checks that the name of OUTPUT, which was made up, is free or belongs to a regular file of this user. Stores the mode
 * for the new file in *MODE. Returns false and fills *ERROR if not. */
static bool
is_free(const struct mp_output_file *output, mode_t *mode, struct mp_error *error)
{
    struct stat status;
    const char *why;

    *mode = mode_of_new();
    if (fstatat(output->folder, mp_text_basename(output->path), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ||
               mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", output->path, strerror(errno));
    *mode = status.st_mode & 0777;
    if (S_ISREG(status.st_mode) && status.st_uid == geteuid())
        return true;
    why = S_ISREG(status.st_mode) ? "belongs to another user" : S_ISLNK(status.st_mode) ? "is a symbolic link"
                                                                                        : "is not a regular file";
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s; choose another name with -o", output->path, why);
}

/* Writes the file of OUTPUT, whose name was made up. */
static bool
write_in_folder(const struct mp_output_file *output, const void *bytes, struct mp_error *error)
{
    mode_t mode;

    return is_free(output, &mode, error) &&
           (mp_write_file(output->folder, mp_text_basename(output->path), mode, bytes, output->content.size) ||
            mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", output->path, strerror(errno)));
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
    *output = (struct mp_output_file){.path = mp_output_is_standard(path) ? NULL : path, .folder = -1};
    if (!output->path)
        return stdout;
    if (!may_replace(output->path, inputs, error))
        return NULL;
    return mp_text_open(&output->content);
}

FILE *
mp_output_begin_in(struct mp_output_file *output, int folder, const char *path, const char *const *inputs,
                   struct mp_error *error)
{
    mode_t ignored;

    *output = (struct mp_output_file){.path = path, .folder = mp_open_folder_of(folder, mp_text_basename(path))};
    if (output->folder < 0)
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    else if (is_free(output, &ignored, error) && may_replace(path, inputs, error))
        return mp_text_open(&output->content);
    if (output->folder >= 0)
        close(output->folder);
    return NULL;
}

bool
mp_output_end(struct mp_output_file *output, bool ok, struct mp_error *error)
{
    char *bytes;

    if (!output->path)
        return ok;
    bytes = mp_text_close(&output->content);
    if (ok && output->folder >= 0)
        ok = write_in_folder(output, bytes, error);
    else if (ok && !write_output(output->path, bytes, output->content.size))
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", output->path, strerror(errno));
    if (output->folder >= 0)
        close(output->folder);
    free(bytes);
    return ok;
}
