#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "reporter/base/text.h"
#include "runtime/sanitizer.h"

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

/* The next element of a search path, "" is the working directory; NULL at the end. */
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

/* NULL and errno; a file that is there but cannot be run counts before one that is not. */
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

static bool
read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* The ELF header of this very command: programs must be of its kind. */
static bool
own_header(ElfW(Ehdr) *header)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read_at(fd, header, sizeof *header, 0);

    if (fd >= 0)
        close(fd);
    return ok;
}

static bool
check_machine(const char *path, const ElfW(Ehdr) *header, struct mp_error *error)
{
    ElfW(Ehdr) own;

    if (!own_header(&own))
        return true;
    if (header->e_ident[EI_CLASS] != own.e_ident[EI_CLASS])
        return refuse(error, path,
                      header->e_ident[EI_CLASS] == ELFCLASS32
                          ? "is a 32-bit program, libmprof.so is for 64 bits"
                          : "is a 64-bit program, libmprof.so is for 32 bits");
    if (header->e_ident[EI_DATA] != own.e_ident[EI_DATA] || header->e_machine != own.e_machine)
        return refuse(error, path, "is a program for another kind of machine");
    return true;
}

/* The dynamic linker that the program asks for, in INTERPRETER; "": it is statically linked. */
static bool
find_interpreter(int fd, const ElfW(Ehdr) *header, char *interpreter, size_t size)
{
    interpreter[0] = '\0';
    if (header->e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        size_t length;

        if (!read_at(fd, &segment, sizeof segment, header->e_phoff + i * sizeof segment))
            return false;
        if (segment.p_type != PT_INTERP)
            continue;
        length = segment.p_filesz < size ? segment.p_filesz : size - 1;
        if (!read_at(fd, interpreter, length, segment.p_offset))
            return false;
        interpreter[length] = '\0';
        return true;
    }
    return true;
}

/* The dynamic linker, run as a program, has no interpreter itself, and does preload. */
static bool
is_dynamic_linker(const char *path)
{
    const char *name = mp_text_basename(path);

    return strncmp(name, "ld", 2) == 0 && strstr(name, ".so");
}

static bool
check_needed(Elf *elf, Elf_Scn *section, const char *path, struct mp_error *error)
{
    GElf_Shdr header;
    Elf_Data *data;
    GElf_Dyn entry;

    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
        !(data = elf_getdata(section, NULL)))
        return true;
    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name = entry.d_tag == DT_NEEDED
                               ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;

        if (name && mp_sanitizer_must_be_first(name))
            return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                           "%s: is built with a sanitizer, whose %s must be the first library, "
                           "so it cannot be profiled", path, name);
    }
    return true;
}

static bool
check_libraries(int fd, const char *path, struct mp_error *error)
{
    bool ok = true;
    Elf_Scn *section = NULL;
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    while (ok && elf && (section = elf_nextscn(elf, section)))
        ok = check_needed(elf, section, path, error);
    elf_end(elf);
    return ok;
}

static bool
check_elf(int fd, const char *path, struct mp_error *error)
{
    ElfW(Ehdr) header;
    char interpreter[4096];

    if (!read_at(fd, &header, sizeof header, 0))
        return refuse(error, path, "is a damaged ELF file");
    if (!check_machine(path, &header, error))
        return false;
    if (!find_interpreter(fd, &header, interpreter, sizeof interpreter))
        return refuse(error, path, "is a damaged ELF file");
    if (interpreter[0] == '\0' && !is_dynamic_linker(path))
        return refuse(error, path, "is statically linked, so libmprof.so cannot be preloaded");
    if (strstr(interpreter, "ld-musl"))
        return refuse(error, path, "is a program for musl, libmprof.so is for glibc");
    return check_libraries(fd, path, error);
}

/* -------------------------------------------------------------- privileges */

/* Set-id bits and capabilities count on file systems without nosuid only, and for processes that
 * may gain privileges. */
static bool
privileges_ignored(const char *path)
{
    struct statvfs info;

    return (statvfs(path, &info) == 0 && (info.f_flag & ST_NOSUID)) ||
           prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static bool
check_privileges(const char *path, struct mp_error *error)
{
    struct stat info;

    if (stat(path, &info) != 0 || privileges_ignored(path))
        return true;
    if ((info.st_mode & S_ISUID) && info.st_uid != getuid())
        return refuse(error, path, "is set-user-id: the system drops LD_PRELOAD for it, "
                                   "so it cannot be profiled");
    if ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != getgid())
        return refuse(error, path, "is set-group-id: the system drops LD_PRELOAD for it, "
                                   "so it cannot be profiled");
    if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return refuse(error, path, "has file capabilities: the system drops LD_PRELOAD for it, "
                                   "so it cannot be profiled");
    return true;
}

/* ----------------------------------------------------------------- scripts */

/* "#!/usr/bin/env -S python3 -u" in LINE: python3; "#!/bin/sh -e": /bin/sh.  LINE is changed. */
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

static bool check_file(const char *path, bool script_allowed, struct mp_error *error);

/* LINE: what follows "#!". */
static bool
check_script(const char *path, char *line, struct mp_error *error)
{
    const char *interpreter = script_interpreter(line);
    struct mp_error why;
    char *found;
    int status;
    bool ok;

    if (!interpreter)
        return true;            /* the system says what is wrong */
    found = mp_program_find(interpreter, &status, &why);
    if (!found)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s: interpreter %.400s", path,
                       why.text);
    ok = check_file(found, false, error);
    free(found);
    return ok;
}

static bool
check_content(int fd, const char *path, bool script_allowed, struct mp_error *error)
{
    char start[257], shell[] = "/bin/sh";
    ssize_t n = pread(fd, start, sizeof start - 1, 0);

    if (n < 0)
        return true;
    start[n] = '\0';
    if (n >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0)
        return check_privileges(path, error) && check_elf(fd, path, error);
    if (!script_allowed)
        return true;
    if (strncmp(start, "#!", 2) != 0)
        return check_script(path, shell, error);        /* as execvp does */
    start[strcspn(start, "\n")] = '\0';
    return check_script(path, start + 2, error);
}

/* A file that may be run but not read cannot be looked into. */
static bool
check_file(const char *path, bool script_allowed, struct mp_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok;

    if (fd < 0)
        return check_privileges(path, error);
    ok = check_content(fd, path, script_allowed, error);
    close(fd);
    return ok;
}

bool
mp_program_check(const char *path, struct mp_error *error)
{
    return check_file(path, true, error);
}
