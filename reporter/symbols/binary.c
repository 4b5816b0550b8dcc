#include "binary.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cache.h"
#include "code_file.h"
#include "dwarf_units.h"
#include "elf_open.h"
#include "private_copy.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"

#define FOLDER      "/usr/lib/debug"
#define CRC_UNIT    256u        /* bytes whose checksum takes a unit of work */
#define MOST_CRC    ((off_t)16 << 30)   /* maximum bytes of a debug file without a build-id */
#define HEX_SHOWN 6u            /* bytes of a build-id shown in a message */
#define MOST_KEPT 64u           /* maximum number of open files */

/* Files that remain open from one profile to the next, most recently used first. */
static struct mp_binary *kept;
static bool keep;

/* Returns whether MODULE is the program. It has the program's path, or only its name if it was renamed during the
 * run. */
static bool
is_program(const struct mp_profile *profile, const struct mp_module *module)
{
    const char *program = profile->meta.program;

    return *program != '\0' && (strcmp(module->path, program) == 0 ||
                                strcmp(module->name, mp_text_basename(program)) == 0);
}

/* Reads the build-id of the file PATH to ID. Returns its size, or 0 if it has none or cannot be read. */
static size_t
read_build_id(const char *path, uint8_t id[MP_BUILD_ID_MOST])
{
    const int fd = mp_open(path);
    Elf *elf = fd < 0 || elf_version(EV_CURRENT) == EV_NONE ? NULL : mp_elf_open(fd, ELF_C_READ);
    const size_t size = elf == NULL ? 0 : mp_elf_build_id(elf, fd, id);

    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return size;
}

bool
mp_symbols_is_program(const struct mp_profile *profile, const char *path)
{
    uint8_t id[MP_BUILD_ID_MOST];
    const size_t size = read_build_id(path, id);

    for (uint32_t i = 0; size > 0 && i < profile->n_modules; i++)
        if (is_program(profile, &profile->modules[i]))
            return mp_has_build_id(&profile->modules[i], id, size);
    return false;
}

/* Reads the executable segments. Returns false if the file is neither a program nor a library. */
static bool
read_segments(struct mp_binary *binary, Elf *elf)
{
    size_t count;
    GElf_Phdr header;
    GElf_Ehdr ehdr;

    if (gelf_getehdr(elf, &ehdr) == NULL || (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN) ||
        elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_LOAD &&
            (header.p_flags & PF_X) != 0 && header.p_memsz <= UINT64_MAX - header.p_vaddr)
            mp_spans_add(&binary->code, binary->arena, header.p_vaddr,
                         header.p_vaddr + header.p_memsz, (uint32_t)i);
    mp_spans_flatten(&binary->code, binary->arena);
    return true;
}

/* Returns the beginning of the SIZE bytes ID as "ab12cd..", or "none" if SIZE is 0. */
static const char *
shorten_id(const uint8_t *id, size_t size, char text[2 * HEX_SHOWN + 3])
{
    const char *const end = text + 2 * HEX_SHOWN + 3;
    size_t shown = size < HEX_SHOWN ? size : HEX_SHOWN;

    if (size == 0)
        return "none";
    mp_text_put(mp_text_put_hex(text, end, id, shown), end, shown < size ? ".." : "");
    return text;
}

/* Checks whether the file is the one that ran. Without a build-id, its inode number, size and time must be the recorded
 * ones, and its code at all addresses that were recorded. Returns "" or the reason why not. */
static const char *
check_identity(struct mp_binary *binary, Elf *elf, const struct mp_profile *profile, bool is_other,
               const uint64_t *addresses, uint32_t n_addresses)
{
    const struct mp_module *module = &profile->modules[binary->module];
    size_t recorded = module->build_id_size < sizeof module->build_id ? module->build_id_size
                                                                     : sizeof module->build_id;
    uint8_t id[MP_BUILD_ID_MOST];
    size_t size = mp_elf_build_id(elf, binary->fd, id);
    char present_text[2 * HEX_SHOWN + 3], recorded_text[2 * HEX_SHOWN + 3];
    GElf_Ehdr header;
    struct stat status;

    if (recorded > 0 && !mp_has_build_id(module, id, size))
        return mp_arena_printf(profile->arena, "changed (build-id %s, recorded %s)",
                               shorten_id(id, size, present_text),
                               shorten_id(module->build_id, recorded, recorded_text));
    if (recorded > 0)
        return "";
    if (gelf_getehdr(elf, &header) == NULL ||
        (profile->meta.machine != 0 && header.e_machine != profile->meta.machine))
        return "changed (for another kind of machine)";
    if (fstat(binary->fd, &status) != 0 || !mp_has_status(module, &status, is_other))
        return "changed (another file than the recorded one, or modified since)";
    for (uint32_t i = 0; i < n_addresses; i++)
        if (mp_spans_find(&binary->code, addresses[i]) == MP_NO_ID)
            return "changed (no code where it was recorded)";
    return "";
}

/* ------------------------------------------------------------------ search for debug files */

/* Debug information of a stripped file is in a file of its own, which is found by build-id below /usr/lib/debug, by
 * the name in .gnu_debuglink in the usual folders, or by debuginfod if DEBUGINFOD_URLS is set. A file is accepted if
 * its build-id matches, or, without a build-id, its checksum.
 *
 * libdwfl searches the same places, but cannot be used. dwfl_standard_find_debuginfo() maps each candidate to check
 * it, and the mapping ends the process if another user truncates the file (private_copy.h). It also blocks if a
 * candidate is a pipe. The same holds for libdw's search for dwz's common files and .dwo files. */

/* The properties of the file to find. */
struct wanted {
    const struct mp_binary *binary;
    const uint8_t *id;
    size_t id_size;             /* in bytes; 0 = no build-id */
    bool has_crc;
    uint32_t crc;
};

static bool
has_id(int fd, const struct wanted *wanted)
{
    Elf *elf = mp_elf_open(fd, ELF_C_READ);
    uint8_t id[MP_BUILD_ID_MOST];
    bool same = elf != NULL && mp_elf_build_id(elf, fd, id) == wanted->id_size &&
                memcmp(id, wanted->id, wanted->id_size) == 0;

    elf_end(elf);
    return same;
}

/* Returns whether the file FD of SIZE bytes has the checksum of .gnu_debuglink. A file of terabytes that is almost
 * all a hole is not read. */
static bool
has_crc(int fd, off_t size, const struct wanted *wanted)
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
        (wanted->id_size > 0 ? has_id(fd, wanted) : wanted->has_crc && has_crc(fd, status.st_size, wanted)))
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

static int
try_build_id(const struct wanted *wanted)
{
    char path[sizeof FOLDER "/.build-id/" + 2 * MP_BUILD_ID_MOST + sizeof "/.debug"], *to;
    const char *const end = path + sizeof path;

    if (wanted->id_size < 2 || wanted->id_size > MP_BUILD_ID_MOST)
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

/* Returns a descriptor of the debug file of BINARY, whose file is ELF. Returns -1 if no such file exists, or if ELF
 * contains debug information itself. */
static int
find_debug_file(const struct mp_binary *binary, Elf *elf)
{
    uint8_t id[MP_BUILD_ID_MOST];
    char name[MP_LINK_MOST];
    uint32_t crc = 0;
    const char *link = mp_elf_debuglink(elf, binary->fd, name, &crc) ? name : NULL;
    struct wanted wanted = { .binary = binary, .id = id, .id_size = mp_elf_build_id(elf, binary->fd, id),
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

/* Returns a descriptor of the common file to which COPY of the file at PATH refers, or -1. */
static int
find_common(const struct mp_binary *binary, const char *path, const struct mp_copy *copy)
{
    const struct wanted wanted = { .binary = binary, .id = copy->common_id, .id_size = copy->common_id_size };
    int fd = wanted.id_size == 0 ? -1 : try_build_id(&wanted);

    if (fd < 0 && wanted.id_size > 0)
        fd = *copy->common == '/' ? try_path(&wanted, copy->common) : try_link(&wanted, path, copy->common);
    return fd < 0 ? try_debuginfod(&wanted) : fd;
}

/* ------------------------------------------------------------------ copies for libdwfl */

/* Opens a copy of dwz's common file, to which COPY of the file at PATH refers. */
static void
open_common(struct mp_binary *binary, const char *path, const struct mp_copy *copy)
{
    int fd = find_common(binary, path, copy);
    struct mp_copy common = { .fd = -1 };

    if (fd >= 0) {
        mp_budget_add_file(fd);
        mp_copy_make(fd, false, false, binary->arena, &common);
        close(fd);
    }
    binary->common_fd = common.fd;
    if (common.fd >= 0)
        binary->common = dwarf_begin(common.fd, DWARF_C_READ);
    else
        binary->problem = mp_arena_printf(binary->arena, "debug information incomplete (no %s)",
                                          mp_text_clean(binary->arena, copy->common, strlen(copy->common)));
}

/* Copies FD, the file at PATH, and closes it. Returns the copy's descriptor, or -1 with *PROBLEM set. */
static int
copy_file(struct mp_binary *binary, int fd, const char *path, const char **problem)
{
    struct mp_copy copy;

    *problem = mp_copy_make(fd, binary->places, false, binary->arena, &copy);
    close(fd);
    if (copy.fd < 0)
        return -1;
    binary->has_debug |= copy.has_debug;
    binary->zstd |= copy.zstd;
    if (copy.has_debug && copy.common != NULL && binary->common_fd < 0)
        open_common(binary, path, &copy);
    return copy.fd;
}

/* Returns the path of FD, because the name of a common file is relative to its folder. */
static char *
path_of(int fd, struct mp_arena *arena)
{
    char name[32], path[4096];
    ssize_t length;

    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    length = readlink(name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return mp_arena_strdup(arena, path);
}

/* Callback of libdwfl that provides a copy of the debug file of the module in USERDATA. libdwfl does not ask for common
 * files, because no copy has a .gnu_debugaltlink. */
static int
find_debug(Dwfl_Module *dwfl_module, void **userdata, const char *name, Dwarf_Addr base,
           const char *file_name, const char *link, GElf_Word crc, char **debug_name)
{
    struct mp_binary *binary = *userdata;
    int fd = binary->debug_fd;
    const char *problem;

    (void)dwfl_module, (void)name, (void)base, (void)file_name, (void)link, (void)crc, (void)debug_name;
    if (fd < 0)
        return -1;
    binary->debug_fd = -1;
    mp_budget_add_file(fd);
    fd = copy_file(binary, fd, path_of(fd, binary->arena), &problem);
    if (fd < 0)
        binary->problem = mp_arena_printf(binary->arena, "debug information %s", problem);
    return fd;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,         /* never called, because the file is passed to libdwfl */
    .find_debuginfo = find_debug,
    .section_address = dwfl_offline_section_address,
};

/* Passes FD, a copy, to a Dwfl of its own, without changing its addresses. FD is closed in any case. */
static bool
report_file(struct mp_binary *binary, int fd)
{
    GElf_Addr bias;
    void **userdata;

    binary->dwfl = dwfl_begin(&callbacks);
    if (binary->dwfl != NULL) {
        dwfl_report_begin(binary->dwfl);
        binary->dwfl_module = dwfl_report_elf(binary->dwfl, binary->name, binary->path, fd, 0,
                                              true);
        dwfl_report_end(binary->dwfl, NULL, NULL);
    }
    if (binary->dwfl_module == NULL) {
        close(fd);
        return false;
    }
    dwfl_module_info(binary->dwfl_module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
    *userdata = binary;
    binary->elf = dwfl_module_getelf(binary->dwfl_module, &bias);
    return binary->elf != NULL && bias == 0;
}

/* --------------------------------------------------------------- opening and closing files */

static void
close_binary(struct mp_binary *binary)
{
    mp_account_close(&binary->account);
    mp_cache_save(binary);
    mp_units_close(binary);
    if (binary->dwfl != NULL)
        dwfl_end(binary->dwfl);
    if (binary->common != NULL)
        dwarf_end(binary->common);
    if (binary->common_fd >= 0)
        close(binary->common_fd);
    if (binary->debug_fd >= 0)
        close(binary->debug_fd);
    if (binary->fd >= 0)
        close(binary->fd);
    if (binary->code_fd >= 0)
        close(binary->code_fd);
    mp_arena_free(binary->arena);
}

/* Returns the file of MODULE if it was kept, and removes it from the list. Path and build-id must match. */
static struct mp_binary *
take_kept(const char *path, const struct mp_module *module, bool places)
{
    for (struct mp_binary **at = &kept; *at != NULL; at = &(*at)->next) {
        struct mp_binary *binary = *at;

        if (strcmp(binary->path, path) != 0 || module->build_id_size != binary->build_id_size ||
            memcmp(module->build_id, binary->build_id, sizeof module->build_id) != 0 ||
            (places && !binary->places))
            continue;
        *at = binary->next;
        mp_answers_forget_ids(&binary->answers);
        return binary;
    }
    return NULL;
}

static void
put_kept(struct mp_binary *binary)
{
    struct mp_binary **at = &kept;
    uint32_t n = 0;

    binary->next = kept;
    kept = binary;
    while (*at != NULL && n++ < MOST_KEPT)
        at = &(*at)->next;
    if (*at != NULL) {
        close_binary(*at);
        *at = NULL;
    }
}

void
mp_symbols_keep_files(bool wanted)
{
    keep = wanted;
    while (!wanted && kept != NULL) {
        struct mp_binary *next = kept->next;

        close_binary(kept);
        kept = next;
    }
}

/* Prepends the path to *PROBLEM if PATH is OTHER, the file that the user specified instead of the recorded one. */
static void
name_other(const struct mp_profile *profile, const char *path, const char *other,
           const char **problem)
{
    if (path == other)
        *problem = mp_arena_printf(profile->arena, "%s: %s",
                                   mp_text_clean(profile->arena, other, strlen(other)), *problem);
}

/* Returns a new binary for FD, the file of MODULE at PATH. */
static struct mp_binary *
new_binary(const struct mp_profile *profile, uint32_t module, const char *path, int fd)
{
    const struct mp_module *of = &profile->modules[module];
    struct mp_arena *arena = mp_arena_new();
    struct mp_binary *binary = mp_arena_alloc(arena, sizeof *binary);
    struct stat status = { 0 };

    fstat(fd, &status);
    *binary = (struct mp_binary){ .module = module, .name = of->name, .arena = arena,
                                  .problem = "", .common_fd = -1, .debug_fd = -1, .code_fd = -1, .fd = fd,
                                  .texts.map.arena = arena, .dies.arena = arena,
                                  .device = status.st_dev, .inode = status.st_ino,
                                  .path = mp_arena_strdup(arena, path),
                                  .build_id_size = of->build_id_size };
    mp_answers_init(&binary->answers, arena);
    memcpy(binary->build_id, of->build_id, sizeof binary->build_id);
    return binary;
}

/* Checks whether BINARY's file is the one that ran, and finds its debug file. IS_OTHER means that the recorded
 * state says nothing about it, because the user named it or its name was gone. Returns "" or the reason why not. */
static const char *
examine(struct mp_binary *binary, const struct mp_profile *profile, bool is_other, const uint64_t *addresses,
        uint32_t n_addresses)
{
    /* without _MMAP libelf reads by pread() */
    Elf *elf = mp_elf_open(binary->fd, ELF_C_READ);
    const char *problem = "not an ELF file";

    if (elf != NULL && read_segments(binary, elf))
        problem = check_identity(binary, elf, profile, is_other, addresses, n_addresses);
    if (*problem == '\0')
        binary->debug_fd = find_debug_file(binary, elf);
    elf_end(elf);
    return problem;
}

const char *
mp_binary_path(const struct mp_profile *profile, const struct mp_symbol_options *options, uint32_t module)
{
    const struct mp_module *of = &profile->modules[module];
    const char *path = of->file ? of->file : of->path;

    if (options->executable != NULL && is_program(profile, of))
        return options->executable;
    return strchr(path, '/') ? path : NULL;     /* linux-vdso.so.1 etc. are not files */
}

/* Examines FD, the file of MODULE at PATH, and closes it if it is not the one that ran. */
static struct mp_binary *
open_binary(const struct mp_profile *profile, const struct mp_symbol_options *options, uint32_t module,
            const char *path, int fd, bool is_other, const uint64_t *addresses, uint32_t n_addresses,
            const char **problem)
{
    struct mp_binary *binary = new_binary(profile, module, path, fd);

    binary->program = is_program(profile, &profile->modules[module]);
    binary->places = options->places;
    mp_account_enter(&binary->account);
    mp_budget_add_file(fd);
    *problem = examine(binary, profile, is_other, addresses, n_addresses);
    if (**problem == '\0')
        return binary;
    mp_account_leave(&binary->account);
    close_binary(binary);
    return NULL;
}

/* Returns a descriptor of the file of MODULE that may have no name any more, or -1. */
static int
open_without_name(const struct mp_profile *profile, const struct mp_module *module)
{
    const int fd = mp_held_find(module);

    return fd < 0 && profile->meta.ending == MP_END_RUNNING
               ? mp_mapped_open(profile->meta.pid, module, is_program(profile, module)) : fd;
}

struct mp_binary *
mp_binary_open(const struct mp_profile *profile, const struct mp_symbol_options *options,
               uint32_t module, const uint64_t *addresses, uint32_t n_addresses,
               const char **problem)
{
    const struct mp_module *of = &profile->modules[module];
    const char *path = mp_binary_path(profile, options, module), *other = options->executable, *ignored;
    struct mp_binary *binary;
    int fd;

    *problem = "missing";
    if (path == NULL)
        return NULL;
    binary = of->build_id_size > 0 ? take_kept(path, of, options->places) : NULL;
    if (binary != NULL) {
        binary->module = module;
        binary->name = of->name;
        binary->program = is_program(profile, of);
        mp_account_enter(&binary->account);
        return binary;
    }
    fd = mp_file_open(path, profile->arena, problem);
    if (fd >= 0)
        binary = open_binary(profile, options, module, path, fd, path == other, addresses, n_addresses, problem);
    if (binary == NULL && (fd = open_without_name(profile, of)) >= 0)
        binary = open_binary(profile, options, module, path, fd, of->file_state == MP_FILE_GONE, addresses,
                             n_addresses, &ignored);
    if (binary == NULL && of->file_state == MP_FILE_GONE && strcmp(*problem, "missing") == 0)
        *problem = "missing (removed or replaced while the program ran)";
    if (binary == NULL)
        name_other(profile, path, other, problem);
    else if (options->cache)
        mp_cache_load(binary);
    return binary;
}

bool
mp_binary_load(struct mp_binary *binary)
{
    const char *problem;
    int fd;

    if (binary->state != MP_NOT_LOADED)
        return binary->state == MP_LOADED;
    binary->state = MP_NOT_LOADABLE;
    binary->code_fd = fcntl(binary->fd, F_DUPFD_CLOEXEC, 0);
    fd = copy_file(binary, binary->fd, binary->path, &problem);
    binary->fd = -1;
    if (fd < 0 || !report_file(binary, fd)) {
        binary->problem = fd < 0 ? problem : "unreadable";
        return false;
    }
    binary->state = MP_LOADED;
    mp_units_open(binary);
    return true;
}

void
mp_binary_close(struct mp_binary *binary)
{
    mp_account_leave(&binary->account);
    if (keep && binary->build_id_size > 0)
        put_kept(binary);
    else
        close_binary(binary);
}
