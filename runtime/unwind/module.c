/* SPDX-License-Identifier: MIT */
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "debug_frame.h"
#include "module_list.h"
#include "runtime/record/block_filter.h"
#include "runtime/record/sample.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/handed.h"
#include "runtime/system/mapped.h"
#include "runtime/system/options.h"
#include "runtime/system/program.h"
#include "runtime/system/sys.h"

static void (*on_return)(uint32_t module);
static void (*on_new)(uintptr_t start, uintptr_t end);

/* Returns whether MAP is the program. */
static bool
is_program(const struct link_map *map)
{
    return !map->l_prev && (!map->l_name || !*map->l_name);
}

/* Returns the absolute path of the object MAP, valid until the next call. The kernel's vdso and similar objects keep
 * their names. */
static const char *
path_of(const struct link_map *map)
{
    static MP_LARGE char path[2 * MP_PATH_SIZE]; /* static because the stack may be small; guarded by the lock */
    const char *name = is_program(map) ? mp_program_path() : map->l_name;
    size_t used = 0, length;

    /* /proc/self/fd/N means another file in each process, and later */
    if (strncmp(name, "/proc/", 6) == 0 && mp_mapped_path((uintptr_t)map->l_ld, path))
        return path;
    if (strchr(name, '/') && *name != '/') {
        long n = mp_sys_getcwd(path, MP_PATH_SIZE);

        used = n > 1 ? (size_t)n - 1 : 0;
        if (n > 0)
            path[used++] = '/';
    }
    length = strlen(name);
    if (length > MP_PATH_SIZE - 1)
        length = MP_PATH_SIZE - 1;
    memcpy(path + used, name, length);
    path[used + length] = '\0';
    return path;
}

/* Hands over the file PATH. Returns false if it is not there, or if MAPPED is not 0 and not its inode number. */
static bool
hand_over(const char *path, uint64_t mapped, struct mp_code_file *file)
{
    return mp_hand_over(path, file) == 0 && (mapped == 0 || mp_same_inode(file->inode, mapped));
}

/* Hands over the file of the object MAP at PATH, and identifies it in RECORD. Without a build-id, only a file with the
 * inode number of the mapping is the right one. It may be one that was handed over before it was opened. */
static void
identify(const struct link_map *map, const char *path, struct mp_live_module *record)
{
    const uint64_t mapped = record->build_id_size > 0 || *path != '/' ? 0 : mp_mapped_inode(record->start);
    struct mp_code_file file;

    if (*path != '/')
        return;
    if (!(is_program(map) && hand_over(mp_program_file(), mapped, &file)) && !hand_over(path, mapped, &file) &&
        !(mapped != 0 && mp_handed_over(mapped, &file))) {
        record->file = mapped != 0 || mp_hand_over(path, &file) == -ENOENT ? MP_FILE_GONE : MP_FILE_UNKNOWN;
        record->inode = mapped;
        return;
    }
    record->file = MP_FILE_KNOWN;
    record->inode = file.inode;
    record->size = file.size;
    record->mtime = file.mtime;
}

/* Widens FOUND to all addresses of the program if it is a segment of the program. With gaps between the segments,
 * as with -z max-page-size, glibc returns each segment separately, and the unwind tables are in another segment
 * than the code. The loader maps libraries without such gaps. */
static void
widen(struct dl_find_object *found)
{
    const struct link_map *map = found->dlfo_link_map;
    const ElfW(Phdr) *segments = (const void *)getauxval(AT_PHDR);
    uintptr_t start = UINTPTR_MAX, end = 0;

    if (!is_program(map))
        return;
    for (unsigned long i = 0; segments && i < getauxval(AT_PHNUM); i++) {
        uintptr_t at = map->l_addr + segments[i].p_vaddr;

        if (segments[i].p_type != PT_LOAD)
            continue;
        if (at < start)
            start = at;
        if (at + segments[i].p_memsz > end)
            end = at + segments[i].p_memsz;
    }
    start &= ~(getauxval(AT_PAGESZ) - 1);
    if (start <= (uintptr_t)found->dlfo_map_start && (uintptr_t)found->dlfo_map_end <= end) {
        found->dlfo_map_start = (void *)start;
        found->dlfo_map_end = (void *)end;
    }
}

static bool
find_object(uintptr_t pc, struct dl_find_object *found)
{
    if (_dl_find_object((void *)pc, found) != 0)
        return false;
    widen(found);
    return true;
}

bool
mp_module_same(uintptr_t a, uintptr_t b)
{
    struct dl_find_object of_a, of_b;

    return _dl_find_object((void *)a, &of_a) == 0 && _dl_find_object((void *)b, &of_b) == 0 &&
           of_a.dlfo_link_map == of_b.dlfo_link_map;
}

/* An address in libmprof.so, where the linker defines it; and the ends of the code of libmprof.a in a program that is
 * linked with it (c-bridge/local.mk). */
extern MP_HIDDEN const char mp_library[] __attribute__((weak)), __start_mprof_text[] __attribute__((weak)),
    __stop_mprof_text[] __attribute__((weak));

bool
mp_module_is_own(uintptr_t pc)
{
    return mp_library ? mp_module_same(pc, (uintptr_t)mp_library)
                      : pc - (uintptr_t)__start_mprof_text <
                            (uintptr_t)__stop_mprof_text - (uintptr_t)__start_mprof_text;
}

static struct mp_eh_object
tables_of(const struct dl_find_object *found)
{
    return (struct mp_eh_object){ .start = found->dlfo_map_start, .end = found->dlfo_map_end,
                                  .eh_frame_hdr = found->dlfo_eh_frame };
}

bool
mp_module_tables(uintptr_t pc, struct mp_eh_object *object)
{
    struct dl_find_object found;

    if (!find_object(pc, &found) || !found.dlfo_eh_frame)
        return false;
    *object = tables_of(&found);
    return true;
}

/* Finds the GNU build-id among the notes at AT. */
static void
find_build_id(const char *at, size_t size, struct mp_live_module *record)
{
    const char *end = at + size;

    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof *note;
        const char *content = name + ((note->n_namesz + 3u) & ~3u);

        at = content + ((note->n_descsz + 3u) & ~3u);
        if (at > end)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
            note->n_descsz <= sizeof record->build_id) {
            memcpy(record->build_id, content, note->n_descsz);
            record->build_id_size = note->n_descsz;
            return;
        }
    }
}

/* Returns the program headers and sets *N to their number. The ELF header and the program headers must be in the
 * first page of the object. Returns NULL if they are not. */
static const ElfW(Phdr) *
program_headers(const struct dl_find_object *found, uint16_t *n)
{
    const ElfW(Ehdr) *header = found->dlfo_map_start;
    uintptr_t size = (uintptr_t)found->dlfo_map_end - (uintptr_t)found->dlfo_map_start;

    if (size < 4096 || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return NULL;
    *n = header->e_phnum;
    return (const void *)((const char *)header + header->e_phoff);
}

static void
read_headers(const struct dl_find_object *found, struct mp_live_module *record)
{
    const char *start = found->dlfo_map_start, *end = found->dlfo_map_end;
    uint16_t n = 0;
    const ElfW(Phdr) *segments = program_headers(found, &n);

    for (unsigned i = 0; i < n; i++) {
        const char *content = (const char *)found->dlfo_link_map->l_addr + segments[i].p_vaddr;

        if (segments[i].p_type == PT_NOTE && !record->build_id_size && content >= start &&
            content + segments[i].p_memsz <= end)
            find_build_id(content, segments[i].p_memsz, record);
    }
}

bool
mp_module_info(uintptr_t pc, struct dl_phdr_info *info)
{
    struct dl_find_object found;

    if (!find_object(pc, &found))
        return false;
    memset(info, 0, sizeof *info);
    info->dlpi_addr = found.dlfo_link_map->l_addr;
    info->dlpi_phdr = program_headers(&found, &info->dlpi_phnum);
    return info->dlpi_phdr != NULL;
}

/* Returns whether the object contains libc's or the loader's own code. */
static bool
is_libc(const struct dl_find_object *found)
{
    uintptr_t start = (uintptr_t)found->dlfo_map_start, end = (uintptr_t)found->dlfo_map_end;
    uintptr_t loader = _r_debug.r_ldbase, libc = (uintptr_t)&strlen;

    return (loader >= start && loader < end) || (libc >= start && libc < end) ||
           ((uintptr_t)&_dl_find_object >= start && (uintptr_t)&_dl_find_object < end);
}

bool
mp_module_is_libc(uintptr_t pc)
{
    struct dl_find_object found;

    return find_object(pc, &found) && is_libc(&found);
}

/* ld.so frees MAP when it has unloaded the object. In a sampled recording the hook would not notice that. */
static void
set_link_map(struct mp_loaded_module *module, const void *map)
{
    module->link_map = map;
    if (mp_sample_period > 0)
        mp_filter_keep(map);
}

/* Records the object FOUND, whose build-id is in NOW. Returns NULL if there is no memory. */
static struct mp_loaded_module *
add(const struct dl_find_object *found, const struct mp_live_module *now)
{
    struct mp_loaded_module *module = mp_module_list_new();
    struct mp_live_module *record;
    uint32_t id = module ? mp_store_take(MP_EXT_MODULES, 1) : 0;
    const char *path;

    if (!id)
        return NULL;
    path = path_of(found->dlfo_link_map);
    record = &mp_store.modules[id];
    *record = *now;
    record->path = mp_store_string(path, strlen(path));
    record->start = (uintptr_t)found->dlfo_map_start;
    identify(found->dlfo_link_map, path, record);
    record->bias = found->dlfo_link_map->l_addr;
    __atomic_store_n(&record->end, (uintptr_t)found->dlfo_map_end, __ATOMIC_RELEASE);

    module->start = record->start;
    set_link_map(module, found->dlfo_link_map);
    module->id = id;
    module->libc = is_libc(found);
    mp_module_list_add(module, now->build_id);
    return module;
}

/* Returns whether FOUND is the object that was recorded as MODULE and then unloaded. */
static bool
is_same_file(const struct dl_find_object *found, const struct mp_live_module *now,
             const struct mp_loaded_module *module)
{
    const struct mp_live_module *record = &mp_store.modules[module->id];

    return now->build_id_size && now->build_id_size == record->build_id_size &&
           memcmp(now->build_id, record->build_id, now->build_id_size) == 0 &&
           record->end == (uintptr_t)found->dlfo_map_end &&
           record->bias == found->dlfo_link_map->l_addr;
}

/* Notes that the unloaded MODULE is loaded again as FOUND. */
static struct mp_loaded_module *
come_back(struct mp_loaded_module *module, const struct dl_find_object *found)
{
    set_link_map(module, found->dlfo_link_map);
    mp_module_list_back(module);
    mp_debug_frame_loaded(module->debug, true);
    if (mp_store.header)                /* the present file is this process's, and not a parent's */
        mp_store.modules[module->id].unloaded = 0;
    on_return(module->id);
    return module;
}

static struct mp_loaded_module *
recorded(const struct dl_find_object *found)
{
    const uintptr_t start = (uintptr_t)found->dlfo_map_start;
    struct mp_live_module now = { 0 };
    struct mp_loaded_module *new, *module;

    read_headers(found, &now);
    for (module = mp_module_list_first(start, now.build_id); module;
         module = mp_module_list_next(module)) {
        if (module->start != start)
            continue;
        if (!module->gone)
            return module;
        if (is_same_file(found, &now, module))
            return come_back(module, found);
    }
    new = add(found, &now);
    if (new)
        on_new(start, (uintptr_t)found->dlfo_map_end);
    return new;
}

void
mp_module_tell(void (*new)(uintptr_t start, uintptr_t end), void (*back)(uint32_t module))
{
    on_new = new;
    on_return = back;
}

void
mp_module_find(uintptr_t pc, struct mp_code_place *place)
{
    MP_LOCK_HELD();
    struct dl_find_object found;
    const struct mp_loaded_module *module;

    memset(place, 0, sizeof *place);
    if (!find_object(pc, &found))
        return;
    place->object = tables_of(&found);
    module = recorded(&found);
    if (module) {
        place->module = module->id;
        place->libc = module->libc;
        place->program = is_program(found.dlfo_link_map);
    }
}

#ifdef MP_HAVE_RULES
bool
mp_module_debug_tables(uintptr_t pc, struct mp_eh_object *object)
{
    MP_LOCK_HELD();
    struct dl_find_object found;
    struct mp_loaded_module *module;
    uint16_t n;

    if (!find_object(pc, &found) || !program_headers(&found, &n) || !(module = recorded(&found)))
        return false;
    if (!module->debug_sought) {
        const char *name = found.dlfo_link_map->l_name;
        const struct mp_debug_source source = {
            .path = *name ? name : mp_program_path(), .start = (uintptr_t)found.dlfo_map_start,
            .end = (uintptr_t)found.dlfo_map_end, .bias = found.dlfo_link_map->l_addr, .pc = pc,
        };

        module->debug_sought = true;
        module->debug = mp_debug_frame_read(&source);
    }
    return module->debug && mp_debug_frame_find(pc, object);
}
#endif

static bool
is_there(const struct mp_loaded_module *module)
{
    struct dl_find_object found;

    return _dl_find_object((void *)module->start, &found) == 0 &&
           found.dlfo_link_map == module->link_map;
}

bool
mp_module_sweep(void (*gone)(uint32_t module))
{
    MP_LOCK_HELD();
    struct mp_loaded_module *next = NULL;
    bool some = false;

    for (struct mp_loaded_module *module = mp_module_list_loaded(NULL); module; module = next) {
        struct mp_live_module *record = &mp_store.modules[module->id];

        next = mp_module_list_loaded(module);
        if (is_there(module))
            continue;
        record->unloaded = 1;
        mp_debug_frame_loaded(module->debug, false);
        gone(module->id);
        mp_module_list_gone(module, record->build_id_size != 0);
        some = true;
    }
    return some;
}

void
mp_module_reset(void)
{
    MP_LOCK_HELD();
    mp_debug_frame_reset();
    mp_module_list_reset();
}

static void
find_range(void *address, uintptr_t *start, uintptr_t *end)
{
    struct dl_find_object found;

    *start = *end = 0;
    if (_dl_find_object(address, &found) == 0) {
        *start = (uintptr_t)found.dlfo_map_start;
        *end = (uintptr_t)found.dlfo_map_end;
    }
}

void
mp_module_loader(uintptr_t *start, uintptr_t *end)
{
    /* AT_BASE is not used, because it is 0 if the loader itself was started as a program. */
    find_range((void *)_r_debug.r_ldbase, start, end);
}

void
mp_module_libc(uintptr_t *start, uintptr_t *end)
{
    find_range((void *)(uintptr_t)&strlen, start, end);
}
