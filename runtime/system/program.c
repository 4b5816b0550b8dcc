/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "mapped.h"
#include "options.h"
#include "runtime/compiler.h"
#include "sys.h"

#define EXECUTABLE "/proc/self/exe"

/* Returns the path that was passed to execve(2). Returns "" if the program was started by a descriptor, because
 * "/dev/fd/N" is no name of the program. */
static const char *
started_as(void)
{
    const char *file = (const char *)getauxval(AT_EXECFN);

    return !file || strncmp(file, "/dev/fd/", 8) == 0 ? "" : file;
}

static bool
is_executable(const char *path)
{
    struct stat given, real;

    return mp_sys_stat(path, 0, &given) == 0 && mp_sys_stat(EXECUTABLE, 0, &real) == 0 &&
           given.st_dev == real.st_dev && given.st_ino == real.st_ino;
}

/* Writes the absolute path of FILE to PATH (MP_PATH_SIZE bytes). Returns false if it does not fit. */
static bool
make_absolute(const char *file, char *path)
{
    size_t used = 0, length;
    long n;

    while (strncmp(file, "./", 2) == 0)
        file += 2;
    length = strlen(file);
    if (*file != '/') {
        n = mp_sys_getcwd(path, MP_PATH_SIZE);
        if (n <= 1 || n >= MP_PATH_SIZE || path[0] != '/')
            return false;
        used = (size_t)n - 1;
        if (used > 1)
            path[used++] = '/';
    }
    if (used + length >= MP_PATH_SIZE)
        return false;
    memcpy(path + used, file, length + 1);
    return true;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Returns whether the loader itself was started, with the program as an argument. */
static bool
is_loader(void)
{
    return getauxval(AT_BASE) == 0;
}

/* Writes the executable's path to PATH. Uses the symbolic link with which the program was started only if its
 * base name differs from the executable's. Otherwise the path without links is clearer. */
static void
find_path(char *path)
{
    static MP_LARGE char link[MP_PATH_SIZE]; /* static because the stack may be small; the lock is held */
    const char *file = started_as();
    long n;

    if (is_loader() && mp_mapped_path(getauxval(AT_PHDR), path))
        return;
    n = mp_sys_readlink(EXECUTABLE, path, MP_PATH_SIZE - 1);
    path[n > 0 ? n : 0] = '\0';
    if (*file && strcmp(base_name(file), base_name(path)) != 0 && make_absolute(file, link) &&
        is_executable(link))
        strcpy(path, link);
}

const char *
mp_program_path(void)
{
    static MP_LARGE char path[MP_PATH_SIZE];

    if (!path[0])
        find_path(path);
    return path;
}

const char *
mp_program_file(void)
{
    return is_loader() ? mp_program_path() : EXECUTABLE;
}

const char *
mp_program_name(void)
{
    const char *file = started_as();

    return base_name(*file ? file : mp_program_path());
}
