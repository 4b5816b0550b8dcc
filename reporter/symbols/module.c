#include "module.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "debug_file.h"
#include "dwarf_units.h"
#include "file_copy.h"
#include "reporter/base/text.h"

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

static const char *
file_of(const struct mp_module *module)
{
    return module->file ? module->file : module->path;
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
    for (size_t i = 0; i < count && i < UINT16_MAX; i++)
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

/* Checks whether the file is the one that ran. Returns "" or the reason why not. */
static const char *
check_identity(struct mp_binary *binary, Elf *elf, const struct mp_profile *profile,
               const uint64_t *addresses, uint32_t n_addresses)
{
    const struct mp_module *module = &profile->modules[binary->module];
    size_t recorded = module->build_id_size < sizeof module->build_id ? module->build_id_size
                                                                     : sizeof module->build_id;
    const void *id = NULL;
    ssize_t found = dwelf_elf_gnu_build_id(elf, &id);
    size_t size = found > 0 ? (size_t)found : 0;
    char present_text[2 * HEX_SHOWN + 3], recorded_text[2 * HEX_SHOWN + 3];
    GElf_Ehdr header;

    size = size < sizeof module->build_id ? size : sizeof module->build_id;
    if (recorded > 0 && (size != recorded || memcmp(id, module->build_id, size) != 0))
        return mp_arena_printf(profile->arena, "changed (build-id %s, recorded %s)",
                               shorten_id(id, size, present_text),
                               shorten_id(module->build_id, recorded, recorded_text));
    if (recorded > 0)
        return "";
    if (gelf_getehdr(elf, &header) == NULL ||
        (profile->meta.machine != 0 && header.e_machine != profile->meta.machine))
        return "changed (for another kind of machine)";
    for (uint32_t i = 0; i < n_addresses; i++)
        if (mp_spans_find(&binary->code, addresses[i]) == MP_NO_ID)
            return "changed (no code where it was recorded)";
    return "";
}

/* ------------------------------------------------------------------ copies for libdwfl */

/* Finds and copies dwz's common file, to which COPY of FILE refers. */
static void
find_common(struct mp_binary *binary, const struct mp_copy *copy, const char *file)
{
    const uint8_t *id = NULL;
    size_t size = 0;
    const char *name = copy->has_debug ? mp_copy_common(copy, binary->arena, &id, &size) : NULL;
    int fd = name == NULL || binary->common_fd >= 0
                 ? -1 : mp_debug_find_common(binary, file, name, id, size);
    struct mp_copy common = { .fd = -1 };

    if (fd >= 0) {
        mp_copy_make(fd, false, binary->arena, &common);
        close(fd);
        binary->common_fd = common.fd;
    }
    if (common.fd >= 0)
        return;
    mp_copy_hide_common(copy);      /* otherwise libdw would find and map it */
    if (name != NULL)
        binary->problem = mp_arena_printf(binary->arena, "debug information incomplete (no %s)",
                                          mp_text_clean(binary->arena, name, strlen(name)));
}

/* Copies FD, the file at PATH, and closes it. Returns the copy's descriptor, or -1 with *PROBLEM set. */
static int
copy_file(struct mp_binary *binary, int fd, const char *path, const char **problem)
{
    struct mp_copy copy;

    *problem = mp_copy_make(fd, binary->places, binary->arena, &copy);
    close(fd);
    if (copy.fd < 0)
        return -1;
    binary->has_debug |= copy.has_debug;
    binary->zstd |= copy.zstd;
    find_common(binary, &copy, path);
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

/* Callback of libdwfl that provides the debug file of the module in USERDATA. FILE_NAME is NULL if libdwfl asks for
 * a common file, which is not provided here. */
static int
find_debug(Dwfl_Module *dwfl_module, void **userdata, const char *name, Dwarf_Addr base,
           const char *file_name, const char *link, GElf_Word crc, char **debug_name)
{
    struct mp_binary *binary = *userdata;
    int fd = file_name == NULL ? -1 : binary->debug_fd;
    const char *problem;

    (void)dwfl_module, (void)name, (void)base, (void)link, (void)crc, (void)debug_name;
    if (fd < 0)
        return -1;
    binary->debug_fd = -1;
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

static void
close_binary(struct mp_binary *binary)
{
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
    mp_arena_free(binary->arena);
}

static bool
is_file_of(const struct mp_binary *binary, const char *path, const struct mp_module *module)
{
    return strcmp(binary->path, path) == 0 && module->build_id_size == binary->build_id_size &&
           memcmp(module->build_id, binary->build_id, sizeof module->build_id) == 0;
}

/* Returns the file of MODULE if it was kept, and removes it from the list. Path and build-id must match. */
static struct mp_binary *
take_kept(const char *path, const struct mp_module *module, bool places)
{
    for (struct mp_binary **at = &kept; *at != NULL; at = &(*at)->next) {
        struct mp_binary *binary = *at;

        if (!is_file_of(binary, path, module) || (places && !binary->places))
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
                                  .problem = "", .common_fd = -1, .debug_fd = -1, .fd = fd,
                                  .texts.map.arena = arena, .dies.arena = arena,
                                  .device = status.st_dev, .inode = status.st_ino,
                                  .path = mp_arena_strdup(arena, path),
                                  .build_id_size = of->build_id_size };
    mp_answers_init(&binary->answers, arena);
    memcpy(binary->build_id, of->build_id, sizeof binary->build_id);
    return binary;
}

/* Checks whether BINARY's file is the one that ran, and finds its debug file. Returns "" or the reason why not. */
static const char *
examine(struct mp_binary *binary, const struct mp_profile *profile, const uint64_t *addresses,
        uint32_t n_addresses)
{
    /* without _MMAP libelf reads by pread() */
    Elf *elf = elf_begin(binary->fd, ELF_C_READ, NULL);
    const char *problem = "not an ELF file";

    if (elf != NULL && elf_kind(elf) == ELF_K_ELF && read_segments(binary, elf))
        problem = check_identity(binary, elf, profile, addresses, n_addresses);
    if (*problem == '\0')
        binary->debug_fd = mp_debug_find(binary, elf);
    elf_end(elf);
    return problem;
}

const char *
mp_binary_path(const struct mp_profile *profile, const struct mp_symbol_options *options, uint32_t module)
{
    const char *path = file_of(&profile->modules[module]);

    if (options->executable != NULL && is_program(profile, &profile->modules[module]))
        return options->executable;
    return strchr(path, '/') ? path : NULL;     /* linux-vdso.so.1 etc. are not files */
}

struct mp_binary *
mp_binary_open(const struct mp_profile *profile, const struct mp_symbol_options *options,
               uint32_t module, const uint64_t *addresses, uint32_t n_addresses,
               const char **problem)
{
    const char *path = mp_binary_path(profile, options, module), *other = options->executable;
    bool program = is_program(profile, &profile->modules[module]);
    struct mp_binary *binary;
    int fd;

    *problem = "missing";
    if (path == NULL)
        return NULL;
    binary = profile->modules[module].build_id_size > 0
                 ? take_kept(path, &profile->modules[module], options->places) : NULL;
    if (binary != NULL) {
        binary->module = module;
        binary->name = profile->modules[module].name;
        binary->program = program;
        return binary;
    }
    fd = mp_file_open(path, profile->arena, problem);
    if (fd < 0) {
        name_other(profile, path, other, problem);
        return NULL;
    }
    binary = new_binary(profile, module, path, fd);
    binary->program = program;
    binary->places = options->places;
    *problem = examine(binary, profile, addresses, n_addresses);
    if (**problem != '\0') {
        name_other(profile, path, other, problem);
        close_binary(binary);
        return NULL;
    }
    if (options->cache)
        mp_cache_load(binary);
    return binary;
}

static bool
load(struct mp_binary *binary)
{
    const char *problem;
    int fd = copy_file(binary, binary->fd, binary->path, &problem);

    binary->fd = -1;
    if (fd < 0 || !report_file(binary, fd)) {
        binary->problem = fd < 0 ? problem : "unreadable";
        return false;
    }
    mp_units_open(binary);
    return true;
}

bool
mp_binary_load(struct mp_binary *binary)
{
    if (binary->state == MP_NOT_LOADED)
        binary->state = load(binary) ? MP_LOADED : MP_NOT_LOADABLE;
    return binary->state == MP_LOADED;
}

void
mp_binary_close(struct mp_binary *binary)
{
    if (keep && binary->build_id_size > 0)
        put_kept(binary);
    else
        close_binary(binary);
}
