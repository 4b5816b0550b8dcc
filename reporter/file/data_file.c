/* SPDX-License-Identifier: MIT */
#include "data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live_writer.h"
#include "reporter/base/arena.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "runtime/format.h"

static bool
template_valid(const char *template, struct mp_error *error)
{
    if (*template == '\0')
        return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET, "-o: the file's name is empty");
    for (const char *c = strchr(template, '%'); c; c = strchr(c + 2, '%'))
        if (c[1] == '\0' || !strchr("pe%", c[1]))
            return mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                           "-o %s: only %%p (pid), %%e (program) and %%%% are known", template);
    return true;
}

/* Returns FOLDER, a slash and TEMPLATE, with each % of FOLDER doubled. */
static char *
template_in(const char *folder, const char *template)
{
    size_t size = 2 * strlen(folder) + 1 + strlen(template) + 1;
    char *text = mp_need(malloc(size)), *at = text;

    for (; *folder; *at++ = *folder++)
        if (*folder == '%')
            *at++ = '%';
    *at++ = '/';
    mp_text_put(at, text + size, template);
    return text;
}

char *
mp_data_file_template(const char *template, struct mp_error *error)
{
    char *folder, *text;

    if (!template_valid(template, error))
        return NULL;
    folder = *template == '/' ? NULL : getcwd(NULL, 0);
    if (*template != '/' && !folder) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "working directory: %s", strerror(errno));
        return NULL;
    }
    text = folder ? template_in(folder, template) : mp_need(strdup(template));
    free(folder);
    return text;
}

char *
mp_data_file_expand(const char *template, uint32_t pid, const char *program, struct mp_error *error)
{
    char path[PATH_MAX];

    if (mp_template_expand(template, pid, program, path, sizeof path) != 0) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "-o: the file's name is too long");
        return NULL;
    }
    return mp_need(strdup(path));
}

const char *
mp_data_file_short(const char *path)
{
    char *folder = getcwd(NULL, 0);
    size_t n = folder ? strlen(folder) : 0;
    bool inside = n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/';

    free(folder);
    return inside ? path + n + 1 : path;
}

static bool
begins_with(int fd, const char *magic)
{
    char bytes[8];

    return pread(fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes && memcmp(bytes, magic, sizeof bytes) == 0;
}

static bool
begins_as_ours(int fd)
{
    return begins_with(fd, MP_LIVE_MAGIC) || begins_with(fd, MP_SEALED_MAGIC);
}

/* Returns whether the file PATH can be read and begins with MAGIC. */
static bool
file_begins_with(const char *path, const char *magic)
{
    int fd = mp_open(path);
    bool begins = fd >= 0 && begins_with(fd, magic);

    if (fd >= 0)
        close(fd);
    return begins;
}

bool
mp_data_file_is(const char *path)
{
    return file_begins_with(path, MP_LIVE_MAGIC) || mp_data_file_is_sealed(path);
}

bool
mp_data_file_is_sealed(const char *path)
{
    return file_begins_with(path, MP_SEALED_MAGIC);
}

static bool
is_in_use(const char *path, uint32_t pid, struct mp_error *error)
{
    if (pid == 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: another process begins to record there; choose another with -o", path);
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                   "%s: process %" PRIu32 " has it in use; choose another with -o", path, pid);
}

static bool
is_foreign(const char *path, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                   "%s: exists and is not an mprof data file; choose another with -o", path);
}

/* Checks that the file at PATH is empty or an mprof data file, and that no process records in it. If BESIDE, a process
 * may record in it, because the new file will be created beside it. Returns false and fills *ERROR if a check fails. */
static bool
overwritable(const char *path, bool beside, struct mp_error *error)
{
    int fd = mp_open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    struct stat info;
    uint32_t writer;
    bool ours, young;

    if (fd < 0 && errno == ELOOP)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "%s: is a symbolic link; choose another with -o", path);
    if (fd < 0 && errno == MP_NOT_REGULAR)
        return is_foreign(path, error);
    if (fd < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    ours = fstat(fd, &info) == 0 && (info.st_size == 0 || begins_as_ours(fd));
    young = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;   /* a new file is locked, see
                                                                            runtime/store/claim.h */
    writer = ours ? mp_writer_in_the_way(fd) : 0;
    close(fd);
    if (young || writer != 0)
        return beside || is_in_use(path, writer, error);
    if (!ours)
        return is_foreign(path, error);
    if (access(path, W_OK) != 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
    return true;
}

bool
mp_data_file_check(const char *path, bool beside, struct mp_error *error)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    bool ok = true;

    if (slash)
        slash[slash == folder ? 1 : 0] = '\0';
    if (*mp_text_basename(path) == '\0')
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: is a directory", path);
    else if (slash && access(folder, W_OK | X_OK) != 0)
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot create %s in %s: %s; choose another file with -o",
                     mp_text_basename(path), folder, strerror(errno));
    else if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        ok = overwritable(path, beside, error);
    free(folder);
    return ok;
}

bool
mp_data_file_beside(const struct mp_file_at *live, const char *before, unsigned *number, const char *after,
                    struct mp_file_at *made, struct mp_error *error)
{
    bool done = false;
    char *path;

    if (live->folder < 0)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: the data file has no name any more; choose another "
                       "with -o", live->path);
    for (errno = EEXIST; !done && errno == EEXIST; ++*number) {
        if (asprintf(&path, "%s%s%u%s", live->path, before, *number, after) < 0)
            mp_no_memory();
        done = mp_file_at_create_in(live->folder, path, made);
        if (!done && errno != EEXIST)
            mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
        free(path);
    }
    --*number;
    return done;
}

bool
mp_data_file_snapshot(const struct mp_file_at *live, struct mp_file_at *made, struct mp_error *error)
{
    unsigned number = 1;

    return mp_data_file_beside(live, ".snapshot.", &number, "", made, error);
}
