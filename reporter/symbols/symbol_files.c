/* SPDX-License-Identifier: MIT */
#include "symbol_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "budget.h"
#include "code_file.h"
#include "elf_open.h"
#include "private_copy.h"
#include "reporter/base/text.h"
#include "symbols.h"

#define FOLDER      "/usr/lib/debug"
#define CRC_UNIT    256u        /* bytes whose checksum takes a unit of work */
#define MOST_CRC    ((off_t)16 << 30)   /* maximum bytes of a debug file without a build-id */

/* A file with a build-id. */
struct identified {
    const char *path;
    uint8_t id[MP_BUILD_ID_MOST];
    size_t id_size;
};

/* What the user named. */
static struct {
    struct mp_arena *arena;
    struct named {
        struct identified file;
        unsigned machine;       /* see identify() */
        bool fits;              /* it belongs to a profile that was read */
        bool told;              /* mp_named_files_tell() printed it */
        const char *problem;    /* why it does not belong to the profile that was read last */
    } *files;
    const char **folders;
    struct identified *found;   /* the files below `folders`, by build-id and path */
    uint32_t n_files, files_room, n_folders, folders_room, n_found, found_room;
    bool opened, walked, asked;
} named;

/* ------------------------------------------------------------------ files that the user named */

static struct mp_arena *
arena_of_named(void)
{
    if (named.arena == NULL)
        named.arena = mp_arena_new();
    named.opened = false;
    return named.arena;
}

void
mp_symbols_add_file(const char *path)
{
    struct mp_arena *arena = arena_of_named();

    named.files = mp_arena_grow(arena, named.files, named.n_files, &named.files_room, sizeof *named.files);
    named.files[named.n_files++] = (struct named){.file.path = mp_arena_strdup(arena, path)};
}

void
mp_symbols_add_folder(const char *path)
{
    struct mp_arena *arena = arena_of_named();

    named.folders = mp_arena_grow(arena, named.folders, named.n_folders, &named.folders_room, sizeof *named.folders);
    named.folders[named.n_folders++] = mp_arena_strdup(arena, path);
    named.walked = false;
}

bool
mp_symbols_named(void)
{
    return named.n_files + named.n_folders > 0;
}

void
mp_symbols_ask(void)
{
    named.asked = true;
}

bool
mp_symbols_asked(void)
{
    return named.asked || mp_symbols_named();
}

/* Reads the build-id of FILE, and sets *MACHINE to EM_X86_64 etc., or to EM_NONE if it is not an ELF file. Returns
 * false and sets *PROBLEM if the file cannot be read. */
static bool
identify(struct identified *file, struct mp_arena *arena, unsigned *machine, const char **problem)
{
    const int fd = mp_file_open(file->path, arena, problem);
    Elf *elf = fd < 0 ? NULL : mp_elf_open(fd, ELF_C_READ);
    GElf_Ehdr header;

    file->id_size = elf == NULL ? 0 : mp_elf_build_id(elf, fd, file->id);
    *machine = elf == NULL || gelf_getehdr(elf, &header) == NULL ? EM_NONE : header.e_machine;
    elf_end(elf);
    if (fd < 0 && strcmp(*problem, "missing") == 0)
        *problem = strerror(ENOENT);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Returns 0 if the directory PATH can be read, or an error number. */
static int
try_folder(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0 || (S_ISDIR(status.st_mode) && access(path, R_OK | X_OK) != 0))
        return errno;
    return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

bool
mp_symbols_readable(struct mp_error *error)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "libelf: %s", elf_errmsg(-1));
    for (uint32_t i = 0; i < named.n_files && !named.opened; i++) {
        struct named *file = &named.files[i];
        const char *problem;

        if (!identify(&file->file, named.arena, &file->machine, &problem))
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", file->file.path, problem);
    }
    for (uint32_t i = 0; i < named.n_folders && !named.opened; i++) {
        const int number = try_folder(named.folders[i]);

        if (number != 0)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "--symbols=%s: %s", named.folders[i], strerror(number));
    }
    named.opened = true;
    return true;
}

/* Returns the beginning of the SIZE bytes ID in hexadecimal. */
static const char *
shorten(const uint8_t *id, size_t size)
{
    char text[MP_SHORT_ID_SIZE];

    return mp_arena_strdup(named.arena, mp_short_build_id(id, size, text));
}

/* No module of PROFILE has the build-id of FILE. Returns why FILE does not belong to PROFILE. Returns NULL if FILE has
 * the name of the program and no chain contains the program, because then no build-id of the program was recorded. */
static const char *
misfit(const struct named *file, const struct mp_profile *profile)
{
    const struct mp_module *program = mp_symbols_program(profile);

    if (file->machine == EM_NONE)
        return "is not an ELF file";
    if (profile->meta.machine != 0 && file->machine != profile->meta.machine)
        return "is for another kind of machine than the recorded one";
    if (program == NULL && strcmp(mp_text_basename(profile->meta.program), mp_text_basename(file->file.path)) == 0)
        return NULL;
    if (program == NULL)
        return "has the build-id of no recorded file";
    if (program->build_id_size == 0)
        return mp_arena_printf(named.arena, "cannot be verified, because %s was recorded without a build-id",
                               program->path);
    return mp_arena_printf(named.arena, "has build-id %s, not %s as the recorded %s, and belongs to no library",
                           shorten(file->file.id, file->file.id_size),
                           shorten(program->build_id, program->build_id_size), program->path);
}

void
mp_named_files_note(const struct mp_profile *profile)
{
    for (uint32_t i = 0; i < named.n_files; i++) {
        struct named *file = &named.files[i];
        bool fits = false;

        for (uint32_t k = 0; k < profile->n_modules && !fits; k++)
            fits = mp_has_build_id(&profile->modules[k], file->file.id, file->file.id_size);
        file->problem = fits ? NULL : misfit(file, profile);
        file->fits |= file->problem == NULL;
    }
}

void
mp_named_files_tell(const struct mp_profile *profile)
{
    for (uint32_t i = 0; i < named.n_files; i++) {
        struct named *file = &named.files[i];

        for (uint32_t k = 0; k < profile->n_modules && !file->told; k++) {
            const struct mp_module *module = &profile->modules[k];

            file->told = strcmp(module->problem, "no symbols") == 0 &&
                         mp_has_build_id(module, file->file.id, file->file.id_size);
            if (file->told)
                mp_text_printf(stderr, "mprof: %s contains no symbols\n", file->file.path);
        }
    }
}

/* Returns the first named file that has the build-id of no module, or NULL. */
static struct named *
unplaced(void)
{
    for (uint32_t i = 0; i < named.n_files; i++)
        if (named.files[i].problem != NULL)
            return &named.files[i];
    return NULL;
}

const char *
mp_named_program(void)
{
    return unplaced() == NULL ? NULL : unplaced()->file.path;
}

void
mp_named_program_note(const char *problem)
{
    struct named *file = unplaced();

    if (file != NULL && *problem == '\0')
        file->fits = true;
    else if (file != NULL)
        file->problem = mp_arena_printf(named.arena, "is not the recorded program: %s", problem);
}

bool
mp_symbols_check(struct mp_error *error)
{
    for (uint32_t i = 0; i < named.n_files; i++) {
        const struct named *file = &named.files[i];

        if (!file->fits && file->problem != NULL)
            return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s %s", file->file.path, file->problem);
    }
    return true;
}

/* ------------------------------------------------------------------ files below directories */

static int
compare_ids(const struct identified *a, const struct identified *b)
{
    if (a->id_size != b->id_size)
        return a->id_size < b->id_size ? -1 : 1;
    return memcmp(a->id, b->id, a->id_size);
}

static int
compare_identified(const void *left, const void *right)
{
    const struct identified *a = left, *b = right;
    const int order = compare_ids(a, b);

    return order != 0 ? order : strcmp(a->path, b->path);
}

/* Notes the file that ENTRY names, if it has a build-id. */
static void
note_entry(const FTSENT *entry)
{
    struct identified file = {.path = entry->fts_path};
    const char *problem;
    unsigned machine;

    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
        fprintf(stderr, "mprof: %s: %s\n", entry->fts_path, strerror(entry->fts_errno));
    if ((entry->fts_info != FTS_F && entry->fts_info != FTS_SL) ||
        !identify(&file, named.arena, &machine, &problem) || file.id_size == 0)
        return;
    file.path = mp_arena_strdup(named.arena, file.path);
    named.found = mp_arena_grow(named.arena, named.found, named.n_found, &named.found_room, sizeof *named.found);
    named.found[named.n_found++] = file;
}

/* Reads the build-ids of all files below the named directories, once. Does not follow links to directories. */
static void
walk(void)
{
    named.n_found = 0;
    named.walked = true;
    for (uint32_t i = 0; i < named.n_folders; i++) {
        char *const roots[] = {(char *)named.folders[i], NULL};
        FTS *entries = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);

        for (FTSENT *entry; entries != NULL && (entry = fts_read(entries)) != NULL;)
            note_entry(entry);
        if (entries != NULL)
            fts_close(entries);
    }
    if (named.n_found > 0)
        qsort(named.found, named.n_found, sizeof *named.found, compare_identified);
}

/* ------------------------------------------------------------------ candidates */

enum mp_worth
mp_elf_worth(Elf *elf)
{
    enum mp_worth worth = MP_WORTH_ANYTHING;
    size_t names;
    GElf_Shdr header;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return worth;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &header) == NULL || header.sh_type == SHT_NOBITS
                               ? NULL : elf_strptr(elf, names, header.sh_name);

        if (name != NULL && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
            return MP_WORTH_LINES;
        if (name != NULL && header.sh_type == SHT_SYMTAB)
            worth = MP_WORTH_NAMES;
    }
    return worth;
}

/* Returns whether the file FD of SIZE bytes has the checksum of .gnu_debuglink. A file of terabytes that is almost
 * all a hole is not read. */
static bool
has_crc(int fd, off_t size, const struct mp_wanted *wanted)
{
    unsigned char piece[1u << 14];
    uLong crc = crc32_z(0, NULL, 0);
    ssize_t got = 1;

    if (size > MOST_CRC || !mp_budget_take(MP_WORK, (uint64_t)size / CRC_UNIT))
        return false;
    for (off_t at = 0; at < size && (got = pread(fd, piece, sizeof piece, at)) > 0; at += got)
        crc = crc32_z(crc, piece, (size_t)got);
    return got > 0 && crc == wanted->crc;
}

static bool
is_wanted(int fd, const struct mp_wanted *wanted)
{
    uint8_t id[MP_BUILD_ID_MOST];
    struct stat status;
    Elf *elf;
    bool is;

    if (fstat(fd, &status) != 0 || (status.st_ino == wanted->inode && status.st_dev == wanted->device))
        return false;
    elf = mp_elf_open(fd, ELF_C_READ);
    is = elf != NULL && mp_elf_worth(elf) >= wanted->least &&
         (wanted->id_size == 0 || (mp_elf_build_id(elf, fd, id) == wanted->id_size &&
                                   memcmp(id, wanted->id, wanted->id_size) == 0));
    elf_end(elf);
    return is && (wanted->id_size > 0 || (wanted->has_crc && has_crc(fd, status.st_size, wanted)));
}

/* Opens PATH if it is the wanted file. Returns its descriptor, or -1. */
static int
try_path(const struct mp_wanted *wanted, const char *path, struct mp_arena *arena)
{
    const char *problem;
    const int fd = mp_file_open(path, arena, &problem);

    if (fd < 0 || is_wanted(fd, wanted))
        return fd;
    close(fd);
    return -1;
}

/* Looks for the file in FOLDER, if that is laid out as /usr/lib/debug. Returns its descriptor or -1. */
static int
try_build_id(const struct mp_wanted *wanted, const char *folder, struct mp_arena *arena)
{
    char first[3], rest[2 * MP_BUILD_ID_MOST + 1], *path = NULL;
    int fd;

    if (wanted->id_size < 2 || wanted->id_size > MP_BUILD_ID_MOST)
        return -1;
    mp_text_put_hex(first, first + sizeof first, wanted->id, 1);
    mp_text_put_hex(rest, rest + sizeof rest, wanted->id + 1, wanted->id_size - 1);
    if (asprintf(&path, "%s/.build-id/%s/%s.debug", folder, first, rest) < 0)
        return -1;
    fd = try_path(wanted, path, arena);
    free(path);
    return fd;
}

/* Looks for the file below the named directories, whose files are read only if none is laid out as /usr/lib/debug. */
static int
try_folders(const struct mp_wanted *wanted, const struct identified *key, struct mp_arena *arena)
{
    uint32_t low = 0, high;
    int fd = -1;

    for (uint32_t i = 0; i < named.n_folders && fd < 0; i++)
        fd = try_build_id(wanted, named.folders[i], arena);
    if (fd >= 0 || named.n_folders == 0)
        return fd;
    if (!named.walked)
        walk();
    for (high = named.n_found; low < high;) {
        const uint32_t middle = low + (high - low) / 2;

        if (compare_identified(&named.found[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < named.n_found && fd < 0 && compare_ids(&named.found[low], key) == 0; low++)
        fd = try_path(wanted, named.found[low].path, arena);
    return fd;
}

/* Looks for the file among those that the user named. Returns its descriptor or -1. */
static int
try_named(const struct mp_wanted *wanted, struct mp_arena *arena)
{
    struct identified key = {.path = "", .id_size = wanted->id_size};
    int fd = -1;

    if (wanted->id_size == 0 || !mp_symbols_named())
        return -1;
    memcpy(key.id, wanted->id, wanted->id_size);
    for (uint32_t i = 0; i < named.n_files && fd < 0; i++)
        if (compare_ids(&named.files[i].file, &key) == 0)
            fd = try_path(wanted, named.files[i].file.path, arena);
    return fd < 0 ? try_folders(wanted, &key, arena) : fd;
}

/* Looks for the file in the usual places for the folder of FILE. Returns its descriptor or -1. */
static int
try_beside(const struct mp_wanted *wanted, const char *file, struct mp_arena *arena)
{
    static const char *const ways[] = { "%.*s/%s", "%.*s/.debug/%s", FOLDER "%.*s/%s" };
    const char *slash = strrchr(file, '/');
    int fd = -1;

    for (size_t i = 0; slash != NULL && fd < 0 && i < sizeof ways / sizeof *ways; i++) {
        char *path = NULL;

        if (asprintf(&path, ways[i], (int)(slash - file), file, wanted->link) < 0)
            return -1;
        fd = try_path(wanted, path, arena);
        free(path);
    }
    return fd;
}

/* Like try_beside(), and tries again with symbolic links in the path resolved, because /lib may be a link to
 * /usr/lib. */
static int
try_link(const struct mp_wanted *wanted, struct mp_arena *arena)
{
    char *real;
    int fd;

    if (wanted->link == NULL || (wanted->id_size == 0 && !wanted->has_crc))
        return -1;
    if (*wanted->link == '/')
        return try_path(wanted, wanted->link, arena);
    fd = try_beside(wanted, wanted->beside, arena);
    real = fd < 0 ? realpath(wanted->beside, NULL) : NULL;
    if (real != NULL && strcmp(real, wanted->beside) != 0)
        fd = try_beside(wanted, real, arena);
    free(real);
    return fd;
}

/* Asks the debuginfod servers. libdebuginfod is loaded at run time, because it is rarely installed. */
static int
try_debuginfod(const struct mp_wanted *wanted)
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
mp_wanted_find(struct mp_wanted *wanted, struct mp_arena *arena)
{
    const enum mp_worth least = wanted->least;
    int fd = -1;

    for (unsigned worth = wanted->most + 1; worth-- > least && fd < 0;) {
        wanted->least = worth;
        fd = try_named(wanted, arena);
        if (fd < 0)
            fd = try_build_id(wanted, FOLDER, arena);
        if (fd < 0)
            fd = try_link(wanted, arena);
    }
    wanted->least = least;
    return fd < 0 ? try_debuginfod(wanted) : fd;
}
