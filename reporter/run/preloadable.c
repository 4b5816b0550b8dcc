/* SPDX-License-Identifier: MIT */
#include "preloadable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "runtime/system/elf_file.h"

/* ------------------------------------------------------------------ search */

static bool
runnable_file(const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return false;
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, X_OK) == 0;
}

/* Returns the next path to try for NAME, from the next element of *SEARCH. An empty element is the working directory.
 * The caller frees the path. Returns NULL at the end or if out of memory. */
static char *
next_candidate(const char **search, const char *name)
{
    const char *from = *search, *end;
    char *path;

    if (!from)
        return NULL;
    end = strchrnul(from, ':');
    *search = *end ? end + 1 : NULL;
    if (asprintf(&path, "%.*s%s%s", (int)(end - from), from, end > from ? "/" : "./", name) < 0)
        return NULL;
    return path;
}

/* Searches NAME in $PATH. Returns its path, which the caller frees. Otherwise returns NULL and sets errno, to EACCES
 * if a file was found that cannot be run. */
static char *
search_path(const char *name)
{
    const char *search = getenv("PATH");
    int found = ENOENT;
    char *path;

    if (!search)
        search = "/bin:/usr/bin";
    while ((path = next_candidate(&search, name))) {
        if (runnable_file(path))
            return path;
        if (errno == EACCES || errno == EISDIR)
            found = EACCES;
        free(path);
    }
    errno = found;
    return NULL;
}

char *
mp_program_find(const char *name, int *status, struct mp_error *error)
{
    char *path = NULL;
    int number;

    errno = ENOENT;
    if (strchr(name, '/'))
        path = runnable_file(name) ? strdup(name) : NULL;
    else if (*name)
        path = search_path(name);
    number = errno;
    if (path)
        return path;
    *status = number == ENOENT || number == ENOTDIR ? MP_EXIT_NOT_FOUND : MP_EXIT_CANNOT_RUN;
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: %s", name, strerror(number));
    return NULL;
}

/* --------------------------------------------------------------------- ELF */

static bool
refuse(struct mp_error *error, const char *path, const char *why)
{
    return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: %s", path, why);
}

/* Returns whether PATH is a dynamic linker. It has no linker itself, but preloads if it is run as a program. */
static bool
is_dynamic_linker(const char *path)
{
    const char *name = mp_text_basename(path);

    return strncmp(name, "ld", 2) == 0 && strstr(name, ".so");
}

static bool
check_elf(int fd, const char *path, struct mp_error *error)
{
    struct mp_elf_file file;

    if (!mp_elf_file_read(fd, &file))
        return refuse(error, path, "is a damaged ELF file");
    if (!file.is_of_our_class)
        return refuse(error, path, file.has_64_bits
                                       ? "is a 64-bit program, libmprof.so is for 32 bits"
                                       : "is a 32-bit program, libmprof.so is for 64 bits");
    if (!file.is_for_our_machine)
        return refuse(error, path, "is a program for another kind of machine");
    if (file.linker[0] == '\0' && !is_dynamic_linker(path))
        return refuse(error, path, "is statically linked, so libmprof.so cannot be preloaded");
    if (strstr(file.linker, "ld-musl"))
        return refuse(error, path, "is a program for musl, libmprof.so is for glibc");
    if (file.first_library[0])
        return mp_fail(error, MP_ERR_SANITIZED, MP_NO_OFFSET,
                       "%s: is built with a sanitizer, whose %s must be the first library, "
                       "so it cannot be profiled", path, file.first_library);
    if (file.contains_sanitizer)
        return mp_fail(error, MP_ERR_SANITIZED, MP_NO_OFFSET,
                       "%s: is built with a sanitizer, whose runtime and malloc are linked into it, "
                       "so it cannot be profiled", path);
    return true;
}

/* -------------------------------------------------------------- privileges */

/* Returns whether the kernel ignores the set-id bits and capabilities of PATH. They have no effect on file systems
 * mounted nosuid, or in processes that may not gain privileges. */
static bool
privileges_ignored(const char *path)
{
    struct statvfs info;

    return (statvfs(path, &info) == 0 && (info.f_flag & ST_NOSUID)) ||
           prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/* A program to be checked, and the user who starts it. */
struct program {
    const char *path;           /* for messages */
    const char *place;          /* path that leads to the program now */
    uid_t user;
    gid_t group;
};

static bool
check_privileges(const struct program *program, struct mp_error *error)
{
    const char *path = program->path;
    struct stat info;

    if (stat(program->place, &info) != 0 || privileges_ignored(program->place))
        return true;
    if ((info.st_mode & S_ISUID) && info.st_uid != program->user)
        return refuse(error, path, "is set-user-id: the system drops LD_PRELOAD for it, "
                                   "so it cannot be profiled");
    if ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != program->group)
        return refuse(error, path, "is set-group-id: the system drops LD_PRELOAD for it, "
                                   "so it cannot be profiled");
    if (program->user != 0 && getxattr(program->place, "security.capability", NULL, 0) > 0)
        return refuse(error, path, "has file capabilities: the system drops LD_PRELOAD for it, "
                                   "so it cannot be profiled");
    return true;
}

/* ----------------------------------------------------------------- scripts */

/* Returns the interpreter in LINE, the first line of a script without "#!": /bin/sh for "/bin/sh -e", python3 for
 * "/usr/bin/env -S python3 -u". Modifies LINE. Returns NULL if LINE names no interpreter. */
static const char *
script_interpreter(char *line)
{
    char *save, *word = strtok_r(line, " \t", &save);
    const char *next;

    if (!word || strcmp(mp_text_basename(word), "env") != 0)
        return word;
    while ((next = strtok_r(NULL, " \t", &save)))
        if (*next != '-' && !strchr(next, '='))
            return next;
    return word;
}

static bool check_file(const struct program *program, bool script_allowed, struct mp_error *error);

/* Checks whether the interpreter of the script PROGRAM can be found and profiled. LINE is its first line without
 * "#!". */
static bool
check_script(const struct program *program, char *line, struct mp_error *error)
{
    const char *interpreter = script_interpreter(line);
    struct program found_program = *program;
    struct mp_error why;
    char *found;
    int status;
    bool ok;

    if (!interpreter)
        return true;            /* execve(2) will fail, and mprof run reports that */
    found = mp_program_find(interpreter, &status, &why);
    if (!found)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: interpreter %.400s", program->path,
                       why.text);
    found_program.path = found_program.place = found;
    ok = check_file(&found_program, false, error);
    free(found);
    return ok;
}

static bool
check_content(int fd, const struct program *program, bool script_allowed, struct mp_error *error)
{
    char start[257], shell[] = "/bin/sh";
    ssize_t n = pread(fd, start, sizeof start - 1, 0);

    if (n < 0)
        return true;
    start[n] = '\0';
    if (n >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0)
        return check_privileges(program, error) && check_elf(fd, program->path, error);
    if (!script_allowed)
        return true;
    if (strncmp(start, "#!", 2) != 0)
        return check_script(program, shell, error);     /* execvp(3) runs it with /bin/sh */
    start[strcspn(start, "\n")] = '\0';
    return check_script(program, start + 2, error);
}

/* Checks PROGRAM. If it cannot be read but can be run, only checks its privileges. */
static bool
check_file(const struct program *program, bool script_allowed, struct mp_error *error)
{
    int fd = mp_open(program->place);
    bool ok;

    if (fd < 0)
        return check_privileges(program, error);
    ok = check_content(fd, program, script_allowed, error);
    close(fd);
    return ok;
}

bool
mp_program_check(const char *path, struct mp_error *error)
{
    return check_file(&(struct program){path, path, getuid(), getgid()}, true, error);
}

bool
mp_program_check_open(int fd, const char *name, uid_t user, gid_t group, struct mp_error *error)
{
    char place[32];

    snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
    return check_content(fd, &(struct program){name, place, user, group}, true, error);
}
