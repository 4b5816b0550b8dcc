#include "write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool
mp_may_write(uint64_t size)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

/* Creates a file. Replaces a file of that name, which is left from a killed process. */
static int
create(int folder, const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = openat(folder, path, flags, 0600);

    if (fd < 0 && errno == EEXIST && unlinkat(folder, path, 0) == 0)
        fd = openat(folder, path, flags, 0600);
    return fd;
}

static bool
write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

/* Writes the file BESIDE and renames it to PATH. Sets the mode by descriptor, because after the rename another
 * user may already have replaced PATH by a link. */
static bool
replace(int folder, const char *path, const char *beside, mode_t mode, const void *bytes, size_t size)
{
    int fd = create(folder, beside), problem;
    bool done;

    if (fd < 0)
        return false;
    done = write_all(fd, bytes, size) && fchmod(fd, mode) == 0;
    problem = errno;
    if (close(fd) != 0 && done) {
        done = false;
        problem = errno;
    }
    if (done && renameat(folder, beside, folder, path) == 0)
        return true;
    problem = done ? errno : problem;
    unlinkat(folder, beside, 0);
    errno = problem;
    return false;
}

bool
mp_write_file(int folder, const char *path, mode_t mode, const void *bytes, size_t size)
{
    char *beside;
    bool done;
    int problem;

    if (!mp_may_write(size))
        return false;
    if (asprintf(&beside, "%s" MP_WRITE_SUFFIX "%ld", path, (long)getpid()) < 0) {
        errno = ENOMEM;
        return false;
    }
    done = replace(folder, path, beside, mode, bytes, size);
    problem = errno;
    free(beside);
    errno = problem;
    return done;
}
