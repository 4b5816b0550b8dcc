/* SPDX-License-Identifier: MIT */
#include "binary.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "code_file.h"
#include "dwarf_units.h"
#include "elf_open.h"
#include "private_copy.h"
#include "reporter/base/open_file.h"
#include "reporter/base/text.h"
#include "symbol_files.h"

#define MOST_KEPT 64u           /* maximum number of open files */

/* Files that remain open from one profile to the next, most recently used first. */
static struct mp_binary *kept;
static bool keep;

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

/* Checks whether the file is the one that ran. If no build-id was recorded, the file must have the recorded inode
 * number, size and time, and code at all recorded addresses. Returns "" or the reason why it is not the file. */
static const char *
check_identity(struct mp_binary *binary, Elf *elf, const struct mp_profile *profile, bool is_other,
               const uint64_t *addresses, uint32_t n_addresses)
{
    const struct mp_module *module = &profile->modules[binary->module];
    size_t recorded = module->build_id_size < sizeof module->build_id ? module->build_id_size
                                                                     : sizeof module->build_id;
    uint8_t id[MP_BUILD_ID_MOST];
    size_t size = mp_elf_build_id(elf, binary->fd, id);
    char present_text[MP_SHORT_ID_SIZE], recorded_text[MP_SHORT_ID_SIZE];
    GElf_Ehdr header;
    struct stat status;

    if (recorded > 0 && !mp_has_build_id(module, id, size))
        return mp_arena_printf(profile->arena, "changed (build-id %s, recorded %s)",
                               mp_short_build_id(id, size, present_text),
                               mp_short_build_id(module->build_id, recorded, recorded_text));
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

/* Returns the descriptor of the separate file with the debug information of BINARY, whose own file is ELF. Returns -1
 * if no such file is found, or if ELF contains debug information itself. */
static int
find_debug_file(const struct mp_binary *binary, Elf *elf)
{
    const enum mp_worth worth = mp_elf_worth(elf);
    uint8_t id[MP_BUILD_ID_MOST];
    char name[MP_LINK_MOST];
    struct mp_wanted wanted = {
        .id = id, .id_size = mp_elf_build_id(elf, binary->fd, id), .beside = binary->path, .device = binary->device,
        .inode = binary->inode, .least = worth + 1, .most = MP_WORTH_LINES};

    if (worth == MP_WORTH_LINES)
        return -1;
    wanted.has_crc = mp_elf_debuglink(elf, binary->fd, name, &wanted.crc);
    wanted.link = wanted.has_crc ? name : mp_arena_printf(binary->arena, "%s.debug", binary->name);
    return mp_wanted_find(&wanted, binary->arena);
}

/* Returns a descriptor of the common file to which COPY of the file at PATH refers, or -1. */
static int
find_common(const struct mp_binary *binary, const char *path, const struct mp_copy *copy)
{
    struct mp_wanted wanted = {.id = copy->common_id, .id_size = copy->common_id_size, .beside = path,
                               .link = copy->common};

    return wanted.id_size == 0 ? -1 : mp_wanted_find(&wanted, binary->arena);
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
    char path[PATH_MAX];

    mp_open_path(fd, path);
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
    struct stat status;

    for (struct mp_binary **at = &kept; *at != NULL; at = &(*at)->next) {
        struct mp_binary *binary = *at;

        if (strcmp(binary->path, path) != 0 || module->build_id_size != binary->build_id_size ||
            memcmp(module->build_id, binary->build_id, sizeof module->build_id) != 0 ||
            (places && !binary->places))
            continue;
        *at = binary->next;
        if (binary->fd >= 0 && (fstat(binary->fd, &status) != 0 || !mp_has_status(module, &status, false))) {
            close_binary(binary);       /* the file was overwritten before it was loaded */
            return NULL;
        }
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

/* Checks whether BINARY's file is the one that ran, and finds its debug file. IS_OTHER means that the file was not
 * opened by its recorded name, because the user named it or the file has no name any more, so that inode number and
 * time need not be the recorded ones. Returns "" or the reason why it is not the file. */
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

/* Returns the path of MODULE's file, or NULL if the module is not a file. */
static const char *
binary_path(const struct mp_profile *profile, uint32_t module)
{
    const struct mp_module *of = &profile->modules[module];
    const char *path = of->file ? of->file : of->path;
    const char *other = of->build_id_size == 0 && mp_module_is_program(profile, of) ? mp_named_program() : NULL;

    if (other != NULL)
        return other;
    return strchr(path, '/') ? path : NULL;     /* linux-vdso.so.1 etc. are not files */
}

/* Examines FD, the file of MODULE at PATH, and closes it if it is not the one that ran. */
static struct mp_binary *
open_binary(const struct mp_profile *profile, const struct mp_symbol_options *options, uint32_t module,
            const char *path, int fd, bool is_other, const uint64_t *addresses, uint32_t n_addresses,
            const char **problem)
{
    struct mp_binary *binary = new_binary(profile, module, path, fd);

    binary->program = mp_module_is_program(profile, &profile->modules[module]);
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

/* Returns a descriptor of the file of MODULE, even if the file has no name any more, or -1. The file must have been
 * handed over, or its process must still run. */
static int
open_without_name(const struct mp_profile *profile, const struct mp_module *module)
{
    const int fd = mp_held_find(module);

    return fd < 0 && !profile->symbolised && profile->meta.ending == MP_END_RUNNING
               ? mp_mapped_open(profile->meta.pid, module, mp_module_is_program(profile, module)) : fd;
}

/* Returns a descriptor of another file with the build-id of MODULE, whose own file is not at PATH, or -1. Prefers a
 * debug file, although it has no code. */
static int
open_elsewhere(const struct mp_profile *profile, const struct mp_module *module, const char *path)
{
    struct mp_wanted wanted = {
        .id = module->build_id, .id_size = module->build_id_size, .beside = path,
        .link = mp_arena_printf(profile->arena, "%s.debug", module->name), .most = MP_WORTH_LINES};

    return module->build_id_size == 0 ? -1 : mp_wanted_find(&wanted, profile->arena);
}

int
mp_binary_file(const struct mp_profile *profile, uint32_t module, struct mp_arena *arena)
{
    const struct mp_module *of = &profile->modules[module];
    const char *path = binary_path(profile, module), *problem;
    const int fd = path == NULL ? -1 : mp_file_open(path, arena, &problem);

    if (path == NULL || (fd >= 0 && (of->build_id_size == 0 || mp_file_has_build_id(fd, of))))
        return fd;
    if (fd >= 0)
        close(fd);
    return open_elsewhere(profile, of, path);
}

struct mp_binary *
mp_binary_open(const struct mp_profile *profile, const struct mp_symbol_options *options,
               uint32_t module, const uint64_t *addresses, uint32_t n_addresses,
               const char **problem)
{
    const struct mp_module *of = &profile->modules[module];
    const char *path = binary_path(profile, module), *ignored;
    const bool is_other = path != NULL && path == mp_named_program();
    struct mp_binary *binary;
    int fd;

    *problem = "missing";
    if (path == NULL || of->in_file)
        return NULL;
    binary = of->build_id_size > 0 ? take_kept(path, of, options->places) : NULL;
    if (binary != NULL) {
        binary->module = module;
        binary->name = of->name;
        binary->program = mp_module_is_program(profile, of);
        mp_account_enter(&binary->account);
        return binary;
    }
    fd = mp_file_open(path, profile->arena, problem);
    if (fd >= 0)
        binary = open_binary(profile, options, module, path, fd, is_other, addresses, n_addresses, problem);
    if (is_other)
        mp_named_program_note(binary != NULL ? "" : *problem);
    if (binary == NULL && (fd = open_without_name(profile, of)) >= 0)
        binary = open_binary(profile, options, module, path, fd, of->file_state == MP_FILE_GONE, addresses,
                             n_addresses, &ignored);
    if (binary == NULL && (fd = open_elsewhere(profile, of, path)) >= 0)
        binary = open_binary(profile, options, module, path, fd, false, addresses, n_addresses, &ignored);
    if (binary == NULL && of->file_state == MP_FILE_GONE && strcmp(*problem, "missing") == 0)
        *problem = "missing (removed or replaced while the program ran)";
    if (binary != NULL && options->cache)
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
