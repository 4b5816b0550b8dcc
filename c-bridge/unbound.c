/* SPDX-License-Identifier: MIT */
#include "unbound.h"

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>

#include "runtime/monitor.h"
#include "runtime/system/dynamic.h"

const void *volatile mp_bound = (const void *)&mp_bound;

/* Declared again, because <link.h> does not declare it as hidden. */
extern MP_HIDDEN const ElfW(Dyn) our_dynamic_section[] __asm__("_DYNAMIC");

/* Reads the kernel's description of this process. Returns the program's headers and their number, or NULL. */
static const ElfW(Phdr) *
program_headers(size_t *n)
{
    const long fd = mp_monitor_call(SYS_openat, AT_FDCWD, (long)"/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    const ElfW(Phdr) *headers = NULL;
    ElfW(auxv_t) entry;

    *n = 0;
    while (fd >= 0 && mp_monitor_call(SYS_read, fd, (long)&entry, sizeof entry, 0, 0, 0) == (long)sizeof entry)
        if (entry.a_type == AT_PHDR)
            headers = (const void *)(uintptr_t)entry.a_un.a_val;
        else if (entry.a_type == AT_PHNUM)
            *n = entry.a_un.a_val;
    mp_monitor_call(SYS_close, fd, 0, 0, 0, 0, 0);
    return headers;
}

/* Returns the loader's list, which it describes to debuggers in the program's dynamic section. */
static const struct link_map *
loaded(void)
{
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t base = 0;
    size_t n;
    const ElfW(Phdr) *headers = program_headers(&n);

    for (size_t i = 0; i < n; i++)
        if (headers[i].p_type == PT_PHDR)
            base = (uintptr_t)headers - headers[i].p_vaddr;
    for (size_t i = 0; i < n; i++)
        if (headers[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(base + headers[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_DEBUG && dynamic->d_un.d_ptr)
            return ((const struct r_debug *)dynamic->d_un.d_ptr)->r_map;
    return NULL;
}

static bool
is_same(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

/* Returns the version numbers of MAP's symbols, or NULL. Bit 15 marks a version for old programs only. */
static const ElfW(Versym) *
versions_of(const struct link_map *map)
{
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_VERSYM)
            return (const void *)(d->d_un.d_ptr < map->l_addr ? map->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
    return NULL;
}

static void *
find_in(const struct link_map *map, const char *name)
{
    const struct mp_dynamic table = mp_dynamic_read(map);
    const ElfW(Versym) *versions = versions_of(map);

    for (uint32_t i = 0; i < table.n_symbols; i++) {
        const ElfW(Sym) *symbol = &table.symbols[i];

        if (symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 && !(versions && versions[i] & 0x8000) &&
            is_same(table.strings + symbol->st_name, name))
            return (void *)(map->l_addr + symbol->st_value);
    }
    return NULL;
}

void *
mp_unbound_next(const char *name)
{
    const struct link_map *map = loaded();
    void *found = NULL;

    while (map && map->l_ld != our_dynamic_section)
        map = map->l_next;
    while (map && !found && (map = map->l_next))
        found = find_in(map, name);
    return found;
}
