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

/* Writes VALUE to SYMBOL in a symbol table whose pages have PROTECTION, which is read-only with or without code.
 * Makes the page writable for that, and then restores PROTECTION. Returns false if the page cannot be made
 * writable. */
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

bool
mp_exports_redirect(const struct link_map *map, const char *name, const void *theirs,
                    const void *ours)
{
    const struct mp_dynamic table = mp_dynamic_read(map);
    const int protection = mp_dynamic_protection((uintptr_t)table.symbols);
    bool done = false;

    for (uint32_t i = 0; i < table.n_symbols && protection >= 0; i++)
        if (map->l_addr + table.symbols[i].st_value == (uintptr_t)theirs &&
            is_definition(&table, i, name))
            done |= write_value(&table.symbols[i], (uintptr_t)ours - map->l_addr, protection);
    return done;
}

void
mp_exports_replace(const struct link_map *map, void *(*replace)(const char *name, void *address))
{
    const struct mp_dynamic table = mp_dynamic_read(map);
    const int protection = mp_dynamic_protection((uintptr_t)table.symbols);

    for (uint32_t i = 0; i < table.n_symbols && protection >= 0; i++) {
        ElfW(Sym) *symbol = &table.symbols[i];
        void *address = (void *)(map->l_addr + symbol->st_value), *ours;

        if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value == 0)
            continue;
        ours = replace(table.strings + symbol->st_name, address);
        if (ours)
            write_value(symbol, (uintptr_t)ours - map->l_addr, protection);
    }
}
