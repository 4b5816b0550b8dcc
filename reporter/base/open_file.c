/* SPDX-License-Identifier: MIT */
#include "open_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "arena.h"
#include "text.h"

#define HARMLESS (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

static void
close_quietly(int fd)
{
    const int problem = errno;

    close(fd);
    errno = problem;
}

/* The file systems in which regular files are entries to the kernel: reading one can have effects, for example take
 * messages from a log. linux/magic.h lacks some of them. */
static const unsigned kernel_files[] = {
    PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, DEBUGFS_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,
    BPF_FS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC,
    BINFMTFS_MAGIC, AAFS_MAGIC, XENFS_SUPER_MAGIC, OPENPROM_SUPER_MAGIC, USBDEVICE_SUPER_MAGIC,
    0x62656570u,                /* configfs */
    0x19800202u,                /* mqueue */
    0x65735543u,                /* fusectl */
    0x6e667364u                 /* nfsd */
};

/* Returns whether FD is a file that contains data. If not, sets errno. */
static bool
has_data(int fd)
{
    struct statfs place;

    if (fstatfs(fd, &place) != 0)
        return false;
    errno = MP_NOT_REGULAR;
    for (size_t i = 0; i < sizeof kernel_files / sizeof *kernel_files; i++)
        if ((unsigned)place.f_type == kernel_files[i])
            return false;
    return true;
}

/* Returns whether FD is a regular file. If not, sets errno. */
static bool
is_regular(int fd, struct stat *status)
{
    if (fstat(fd, status) != 0)
        return false;
    errno = S_ISLNK(status->st_mode) ? ELOOP : MP_NOT_REGULAR;
    return S_ISREG(status->st_mode) && has_data(fd);
}

/* Opens the file PATH, whose status is CHECKED, without /proc. Another user can replace PATH meanwhile, but only by
 * what he can create in the directory, which is opened first, and that is no device. A FIFO does not block. */
static int
open_without_proc(int folder, const char *path, int flags, const struct stat *checked)
{
    const int held = mp_open_folder_of(folder, path);
    struct stat status;
    int fd = -1;

    if (held < 0)
        return -1;
    if (fstatat(held, mp_text_basename(path), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode))
        errno = S_ISLNK(status.st_mode) ? ELOOP : MP_NOT_REGULAR;
    else
        fd = openat(held, mp_text_basename(path), flags | O_NOFOLLOW | HARMLESS);
    close_quietly(held);
    if (fd < 0 || (is_regular(fd, &status) && status.st_dev == checked->st_dev && status.st_ino == checked->st_ino))
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

int
mp_open_at(int folder, const char *path, int flags)
{
    const int place = openat(folder, path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
    struct stat status;
    char itself[32];
    int fd = -1;

    if (place < 0)
        return -1;
    if (is_regular(place, &status)) {
        snprintf(itself, sizeof itself, "/proc/self/fd/%d", place);
        fd = open(itself, (flags & ~O_NOFOLLOW) | HARMLESS);
        if (fd < 0 && errno == ENOENT)
            fd = open_without_proc(folder, path, flags, &status);
    }
    close_quietly(place);
    return fd;
}

void
mp_open_path(int fd, char path[static PATH_MAX])
{
    char link[32];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
}

int
mp_open(const char *path)
{
    return mp_open_at(AT_FDCWD, path, O_RDONLY);
}

int
mp_create_at(int folder, const char *name)
{
    return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | HARMLESS, 0600);
}

const char *
mp_open_problem(int number)
{
    return number == MP_NOT_REGULAR ? "not a regular file" : strerror(number);
}

int
mp_open_folder_of(int folder, const char *path)
{
    const size_t length = (size_t)(mp_text_basename(path) - path);
    char *name = mp_need(length > 0 ? strndup(path, length) : strdup("."));
    const int fd = openat(folder, name, FOLDER);
    const int problem = errno;

    free(name);
    errno = problem;
    return fd;
}

/* Returns whether only this user can create files in the directory FD. If not, sets errno to EPERM. */
static bool
is_own(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return false;
    errno = EPERM;
    return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Creates the directory NAME in FOLDER as described for mp_open_own_folder(). IS_NAMED means that the user chose it. */
static bool
make_folder(int folder, const char *name, bool is_named)
{
    struct stat status;

    if (fstat(folder, &status) != 0)
        return false;
    if (status.st_uid != geteuid() && (!is_named || geteuid() == 0)) {
        errno = EPERM;
        return false;
    }
    return mkdirat(folder, name, 0700) == 0 || errno == EEXIST;
}

/* Opens the directory NAME in FOLDER, and creates it if MAKE. */
static int
enter(int folder, const char *name, bool is_named, bool make)
{
    const int flags = FOLDER | (is_named || is_own(folder) ? 0 : O_NOFOLLOW);
    int fd = openat(folder, name, flags);

    if (fd < 0 && errno == ENOENT && make && make_folder(folder, name, is_named))
        fd = openat(folder, name, flags | O_NOFOLLOW);
    return fd;
}

int
mp_open_own_folder(const char *path, size_t named, bool make)
{
    char *copy = mp_need(strdup(path)), *rest = copy;
    int folder = open(*path == '/' ? "/" : ".", FOLDER), fd = -1, problem;

    for (char *name; folder >= 0 && (name = strtok_r(rest, "/", &rest)) != NULL;) {
        const int next = enter(folder, name, (size_t)(name - copy) < named, make);

        close_quietly(folder);
        folder = next;
    }
    if (folder >= 0 && is_own(folder))
        fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    problem = errno;
    if (folder >= 0)
        close(folder);
    free(copy);
    errno = problem;
    return fd;
}
