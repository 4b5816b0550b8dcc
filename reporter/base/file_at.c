/* SPDX-License-Identifier: MIT */
#include "file_at.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena.h"
#include "open_file.h"
#include "text.h"

#ifndef SYS_openat2
#define SYS_openat2 437         /* the same on all machines */
#endif

#define NO_SYMLINKS 4u          /* RESOLVE_NO_SYMLINKS */
#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---------------------------------------------------------------- directories */

/* Like struct open_how of the kernel. */
struct how {
    uint64_t flags, mode, resolve;
};

/* Opens the directory PATH component by component, for kernels without openat2(2). Overwrites PATH. */
static int
open_by_parts(int root, char *path)
{
    char *rest = path;
    int folder = *path == '/' ? open("/", FOLDER) : openat(root, ".", FOLDER);

    for (char *part; folder >= 0 && (part = strtok_r(rest, "/", &rest)) != NULL;) {
        int next = openat(folder, part, FOLDER), problem = errno;

        close(folder);
        errno = problem;
        folder = next;
    }
    return folder;
}

/* Opens the directory PATH without following links. May overwrite PATH. On failure returns -1 and sets errno. */
static int
open_folder(int root, char *path)
{
    const struct how how = {.flags = FOLDER, .resolve = NO_SYMLINKS};
    long fd = syscall(SYS_openat2, root, path, &how, sizeof how);

    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return open_by_parts(root, path);
    return (int)fd;
}

/* Returns the directory part of PATH, malloc()ed. */
static char *
folder_of(const char *path)
{
    const size_t length = (size_t)(mp_text_basename(path) - path);

    if (length == 0)
        return mp_need(strdup("."));
    return mp_need(strndup(path, length > 1 ? length - 1 : 1));
}

/* ---------------------------------------------------------------- files */

static void
begin(struct mp_file_at *file, const char *named)
{
    *file = (struct mp_file_at){.path = mp_need(strdup(named)), .folder = -1, .fd = -1};
    file->name = mp_text_basename(file->path);
}

/* Reads the properties of the open file. Returns false if the file was not opened. */
static bool
measure(struct mp_file_at *file)
{
    struct stat status;

    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        return false;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->owner = status.st_uid;
    return true;
}

static bool
fail(struct mp_file_at *file)
{
    const int problem = errno;

    mp_file_at_close(file);
    errno = problem;
    return false;
}

/* Opens NAME in the directory, which is open. */
static bool
open_in_folder(struct mp_file_at *file, const char *name, int flags)
{
    file->fd = mp_open_at(file->folder, name, flags | O_NOFOLLOW);
    return measure(file);
}

bool
mp_file_at_open(int root, const char *path, const char *named, int flags, struct mp_file_at *file)
{
    char *folder = folder_of(path);

    begin(file, named);
    file->folder = open_folder(root, folder);
    free(folder);
    return (file->folder >= 0 && open_in_folder(file, mp_text_basename(path), flags)) || fail(file);
}

/* Opens the directory part of PATH, which may contain symbolic links. On failure returns false and sets errno. */
static bool
find_folder(const char *path, struct mp_file_at *file)
{
    begin(file, path);
    file->folder = mp_open_folder_of(AT_FDCWD, path);
    return file->folder >= 0;
}

bool
mp_file_at_find(const char *path, struct mp_file_at *file)
{
    return (find_folder(path, file) && open_in_folder(file, file->name, O_RDONLY)) || fail(file);
}

bool
mp_file_at_in(int folder, const char *name, const char *named, struct mp_file_at *file)
{
    begin(file, named);
    file->folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    return (file->folder >= 0 && open_in_folder(file, name, O_RDONLY)) || fail(file);
}

static bool
create(struct mp_file_at *file)
{
    file->fd = mp_create_at(file->folder, file->name);
    return measure(file);
}

bool
mp_file_at_create(const char *path, struct mp_file_at *file)
{
    return (find_folder(path, file) && create(file)) || fail(file);
}

bool
mp_file_at_create_in(int folder, const char *path, struct mp_file_at *file)
{
    begin(file, path);
    file->folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    return (file->folder >= 0 && create(file)) || fail(file);
}

bool
mp_file_at_stands(const struct mp_file_at *file)
{
    struct stat status;

    return file->folder >= 0 && fstatat(file->folder, file->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_dev == file->device && status.st_ino == file->inode;
}

bool
mp_file_at_remove(const struct mp_file_at *file)
{
    return mp_file_at_stands(file) && unlinkat(file->folder, file->name, 0) == 0;
}

void
mp_file_at_close(struct mp_file_at *file)
{
    if (file->path && file->folder >= 0)
        close(file->folder);
    if (file->path && file->fd >= 0)
        close(file->fd);
    free(file->path);
    *file = (struct mp_file_at){.folder = -1, .fd = -1};
}
