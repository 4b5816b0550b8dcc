/* SPDX-License-Identifier: MIT */
#include "code_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "elf_open.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "symbols.h"

#define MOST_FILES  256u
#define HEX_SHOWN   ((MP_SHORT_ID_SIZE - 3) / 2)        /* bytes of a build-id shown in a message */

bool
mp_module_is_program(const struct mp_profile *profile, const struct mp_module *module)
{
    const char *program = profile->meta.program;

    return *program != '\0' && (strcmp(module->path, program) == 0 ||
                                strcmp(module->name, mp_text_basename(program)) == 0);
}

const struct mp_module *
mp_symbols_program(const struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (mp_module_is_program(profile, &profile->modules[i]))
            return &profile->modules[i];
    return NULL;
}

const char *
mp_short_build_id(const uint8_t *id, size_t size, char text[static MP_SHORT_ID_SIZE])
{
    const char *const end = text + MP_SHORT_ID_SIZE;
    size_t shown = size < HEX_SHOWN ? size : HEX_SHOWN;

    if (size == 0)
        return "none";
    mp_text_put(mp_text_put_hex(text, end, id, shown), end, shown < size ? ".." : "");
    return text;
}

bool
mp_has_build_id(const struct mp_module *module, const uint8_t *id, size_t size)
{
    size = size < sizeof module->build_id ? size : sizeof module->build_id;
    return size > 0 && size == module->build_id_size && memcmp(id, module->build_id, size) == 0;
}

static uint64_t
mtime_of(const struct stat *status)
{
    return (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
}

bool
mp_has_status(const struct mp_module *module, const struct stat *status, bool is_other)
{
    switch (module->file_state) {
    case MP_FILE_KNOWN:
        return module->size == (uint64_t)status->st_size &&
               (is_other || (module->inode == status->st_ino && module->mtime == mtime_of(status)));
    case MP_FILE_GONE:
        return is_other;
    default:
        return true;
    }
}

/* ---------------------------------------------------------------- held files */

static struct {
    struct held {
        int fd;
        struct stat status;
    } list[MOST_FILES];
    unsigned n;
} held;

static bool
is_held(const struct stat *status)
{
    for (unsigned i = 0; i < held.n; i++) {
        const struct stat *other = &held.list[i].status;

        if (other->st_dev == status->st_dev && other->st_ino == status->st_ino && other->st_size == status->st_size &&
            mtime_of(other) == mtime_of(status))
            return true;
    }
    return false;
}

/* Returns the maximum number of held files, at most a quarter of the files that this process may open. */
static unsigned
most_files(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < MOST_FILES ? (unsigned)limit.rlim_cur / 4
                                                                                   : MOST_FILES;
}

void
mp_symbols_hold(int place)
{
    char itself[32];
    struct stat status;
    int fd;

    if (held.n >= most_files() || fstat(place, &status) != 0 || is_held(&status))
        return;
    snprintf(itself, sizeof itself, "/proc/self/fd/%d", place);
    fd = mp_open(itself);
    if (fd >= 0)
        held.list[held.n++] = (struct held){fd, status};
}

bool
mp_file_has_build_id(int fd, const struct mp_module *module)
{
    uint8_t id[MP_BUILD_ID_MOST];
    Elf *elf = mp_elf_open(fd, ELF_C_READ);
    const bool has = elf != NULL && mp_has_build_id(module, id, mp_elf_build_id(elf, fd, id));

    elf_end(elf);
    return has;
}

int
mp_held_find(const struct mp_module *module)
{
    for (unsigned i = 0; i < held.n; i++)
        if (module->build_id_size > 0 ? mp_file_has_build_id(held.list[i].fd, module)
                                      : module->file_state == MP_FILE_KNOWN &&
                                            mp_has_status(module, &held.list[i].status, false))
            return fcntl(held.list[i].fd, F_DUPFD_CLOEXEC, 0);
    return -1;
}

/* ---------------------------------------------------------------- mapped files */

/* Opens PATH, a link in /proc to the mapped file of MODULE. If no build-id was recorded, the file must have the
 * recorded inode number. The highest 16 bits are not compared, because /proc/PID/maps omits them with overlayfs. */
static int
open_mapped(const char *path, const struct mp_module *module)
{
    const int fd = mp_open(path);
    struct stat status;

    if (fd < 0 || module->build_id_size > 0 ||
        (module->inode != 0 && fstat(fd, &status) == 0 && (status.st_ino ^ module->inode) << 16 == 0))
        return fd;
    close(fd);
    return -1;
}

int
mp_mapped_open(uint32_t pid, const struct mp_module *module, bool is_program)
{
    char path[80], *line = NULL;
    uint64_t start, end;
    size_t room = 0;
    FILE *maps;
    int fd = -1;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", pid);
    maps = fopen(path, "re");
    while (maps != NULL && fd < 0 && getline(&line, &room, maps) > 0)
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && start == module->start) {
            snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
            fd = open_mapped(path, module);
        }
    free(line);
    if (maps != NULL)
        fclose(maps);
    if (fd >= 0 || !is_program)
        return fd;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
    return open_mapped(path, module);
}
