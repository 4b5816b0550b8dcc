#include "write_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "write_file.h"

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

bool
mp_write_output(const char *path, const void *bytes, size_t size)
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
