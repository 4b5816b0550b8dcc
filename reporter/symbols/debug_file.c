#include "debug_file.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "file_copy.h"
#include "reporter/base/text.h"

#define FOLDER      "/usr/lib/debug"
#define MOST_ID     64u         /* bytes of a build-id */

/* The properties of the file to find. */
struct wanted {
    const struct mp_binary *binary;
    const uint8_t *id;
    size_t id_size;             /* in bytes; 0 = no build-id */
    bool has_crc;
    uint32_t crc;
};

/* ----------------------------------------------------------------- checks of a candidate */

static bool
has_id(int fd, const struct wanted *wanted)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const void *id = NULL;
    ssize_t size = elf == NULL ? -1 : dwelf_elf_gnu_build_id(elf, &id);
    bool same = size == (ssize_t)wanted->id_size && memcmp(id, wanted->id, wanted->id_size) == 0;

    elf_end(elf);
    return same;
}

static bool
has_crc(int fd, const struct wanted *wanted)
{
    unsigned char piece[1u << 14];
    uLong crc = crc32_z(0, NULL, 0);
    ssize_t got;

    for (off_t at = 0; (got = pread(fd, piece, sizeof piece, at)) > 0; at += got)
        crc = crc32_z(crc, piece, (size_t)got);
    return got == 0 && crc == wanted->crc;
}

/* Opens PATH if it is the wanted file and not the stripped file itself. Returns its descriptor, or -1. */
static int
try_path(const struct wanted *wanted, const char *path)
{
    const char *problem;
    int fd = mp_file_open(path, wanted->binary->arena, &problem);
    struct stat status;

    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && (status.st_ino != wanted->binary->inode ||
                                    status.st_dev != wanted->binary->device) &&
        (wanted->id_size > 0 ? has_id(fd, wanted) : wanted->has_crc && has_crc(fd, wanted)))
        return fd;
    close(fd);
    return -1;
}

/* Returns whether the file contains debug information itself. */
static bool
has_debug(Elf *elf)
{
    size_t names;
    GElf_Shdr header;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &header) == NULL || header.sh_type == SHT_NOBITS
                               ? NULL : elf_strptr(elf, names, header.sh_name);

        if (name != NULL &&
            (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------- places to search */

static int
try_build_id(const struct wanted *wanted)
{
    char path[sizeof FOLDER "/.build-id/" + 2 * MOST_ID + sizeof "/.debug"], *to;
    const char *const end = path + sizeof path;

    if (wanted->id_size < 2 || wanted->id_size > MOST_ID)
        return -1;
    to = mp_text_put_hex(mp_text_put(path, end, FOLDER "/.build-id/"), end, wanted->id, 1);
    to = mp_text_put_hex(mp_text_put(to, end, "/"), end, wanted->id + 1, wanted->id_size - 1);
    mp_text_put(to, end, ".debug");
    return try_path(wanted, path);
}

/* Looks for the file LINK in the usual places for the folder of FILE. Returns its descriptor or -1. */
static int
try_beside(const struct wanted *wanted, const char *file, const char *link)
{
    static const char *const ways[] = { "%.*s/%s", "%.*s/.debug/%s", FOLDER "%.*s/%s" };
    const char *slash = strrchr(file, '/');
    int fd = -1;

    for (size_t i = 0; slash != NULL && fd < 0 && i < sizeof ways / sizeof *ways; i++) {
        char *path = NULL;

        if (asprintf(&path, ways[i], (int)(slash - file), file, link) < 0)
            return -1;
        fd = try_path(wanted, path);
        free(path);
    }
    return fd;
}

/* Like try_beside(), and tries again with symbolic links in FILE resolved, because /lib may be a link to /usr/lib. */
static int
try_link(const struct wanted *wanted, const char *file, const char *link)
{
    int fd = try_beside(wanted, file, link);
    char *real = fd < 0 ? realpath(file, NULL) : NULL;

    if (real != NULL && strcmp(real, file) != 0)
        fd = try_beside(wanted, real, link);
    free(real);
    return fd;
}

/* Asks the debuginfod servers. libdebuginfod is loaded at run time, because it is rarely installed. */
static int
try_debuginfod(const struct wanted *wanted)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    void *library, *client, *(*begin)(void);
    int (*find)(void *, const unsigned char *, int, char **), fd = -1;
    void (*end)(void *);

    if (servers == NULL || *servers == '\0' || wanted->id_size == 0)
        return -1;
    library = dlopen("libdebuginfod.so.1", RTLD_LAZY);
    if (library == NULL)
        return -1;
    *(void **)&begin = dlsym(library, "debuginfod_begin");
    *(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
    *(void **)&end = dlsym(library, "debuginfod_end");
    client = begin != NULL && find != NULL && end != NULL ? begin() : NULL;
    if (client != NULL) {
        fd = find(client, wanted->id, (int)wanted->id_size, NULL);
        end(client);
    }
    /* the library remains loaded, because its libcurl does not support unloading */
    return fd;
}

int
mp_debug_find(const struct mp_binary *binary, Elf *elf)
{
    const void *id = NULL;
    GElf_Word crc = 0;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
    const char *link = dwelf_elf_gnu_debuglink(elf, &crc);
    struct wanted wanted = { .binary = binary, .id = id, .id_size = size > 0 ? (size_t)size : 0,
                             .has_crc = link != NULL, .crc = crc };
    char *usual = NULL;
    int fd;

    if (has_debug(elf))
        return -1;
    fd = try_build_id(&wanted);
    if (fd < 0 && link == NULL && asprintf(&usual, "%s.debug", binary->name) < 0)
        usual = NULL;
    if (fd < 0 && (link != NULL || usual != NULL))
        fd = try_link(&wanted, binary->path, link != NULL ? link : usual);
    free(usual);
    return fd < 0 ? try_debuginfod(&wanted) : fd;
}

int
mp_debug_find_common(const struct mp_binary *binary, const char *file, const char *name,
                     const uint8_t *id, size_t id_size)
{
    struct wanted wanted = { .binary = binary, .id = id, .id_size = id_size };
    int fd = id_size == 0 ? -1 : try_build_id(&wanted);

    if (id_size == 0)
        return -1;
    if (fd < 0)
        fd = *name == '/' ? try_path(&wanted, name) : try_link(&wanted, file, name);
    return fd < 0 ? try_debuginfod(&wanted) : fd;
}
