#include "exports.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/system/dynamic.h"
#include "runtime/system/sys.h"

static bool
is_definition(const struct mp_dynamic *table, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &table->symbols[i];

    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           strcmp(table->strings + symbol->st_name, name) == 0;
}

bool
mp_exports_defines(const struct link_map *map, const char *name)
{
    const struct mp_dynamic table = mp_dynamic_read(map);
    uint32_t i = 0;

    while (i < table.n_symbols && !is_definition(&table, i, name))
        i++;
    return i < table.n_symbols;
}

/* The table is read-only, alone or with code; it is so again when this returns. */
static bool
write_value(ElfW(Sym) *symbol, ElfW(Addr) value, int protection)
{
    const uintptr_t page = getauxval(AT_PAGESZ), at = (uintptr_t)&symbol->st_value;
    void *start = (void *)(at & ~(page - 1));

    if (mp_sys_protect(start, page, protection | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(&symbol->st_value, value, __ATOMIC_SEQ_CST);
    mp_sys_protect(start, page, protection);
    return true;
}

/* How the segment of MAP that holds AT is mapped; -1: not known. */
static int
protection_of(const struct link_map *map, uintptr_t at)
{
    struct dl_find_object found;
    const ElfW(Ehdr) *header;
    const ElfW(Phdr) *segments;

    if (_dl_find_object((void *)at, &found) != 0)
        return -1;
    header = found.dlfo_map_start;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return -1;
    segments = (const void *)((const char *)header + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD &&
            at - map->l_addr - segments[i].p_vaddr < segments[i].p_memsz)
            return (segments[i].p_flags & PF_R ? PROT_READ : 0) |
                   (segments[i].p_flags & PF_W ? PROT_WRITE : 0) |
                   (segments[i].p_flags & PF_X ? PROT_EXEC : 0);
    return -1;
}

bool
mp_exports_redirect(const struct link_map *map, const char *name, const void *theirs,
                    const void *ours)
{
    const struct mp_dynamic table = mp_dynamic_read(map);
    const int protection = protection_of(map, (uintptr_t)table.symbols);
    bool done = false;

    for (uint32_t i = 0; i < table.n_symbols && protection >= 0; i++)
        if (map->l_addr + table.symbols[i].st_value == (uintptr_t)theirs &&
            is_definition(&table, i, name))
            done |= write_value(&table.symbols[i], (uintptr_t)ours - map->l_addr, protection);
    return done;
}
