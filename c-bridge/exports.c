/* SPDX-License-Identifier: MIT */
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

/* Writes VALUE to SYMBOL in a symbol table whose pages have PROTECTION, which allows reading and perhaps execution.
 * Makes the page writable and then restores PROTECTION. Returns false if the page cannot be made writable. */
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

struct mp_replaced *
mp_replaced_find(struct mp_replaced *table, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (name[0] == table[i].name[0] && strcmp(name, table[i].name) == 0)
            return &table[i];
    return NULL;
}

static void *
address_of(void (*what)(void))
{
    void *address;

    memcpy(&address, &what, sizeof address);
    return address;
}

void *
mp_replaced_word(const struct mp_replaced *table, unsigned n, void *address)
{
    for (unsigned i = 0; i < n; i++)
        if (table[i].theirs && address == address_of(table[i].theirs))
            return address_of(table[i].ours);
    return NULL;
}

/* Returns the element of TABLE that has the name of SYMBOL, or NULL if SYMBOL is no definition of a function. */
static struct mp_replaced *
defined(const struct mp_dynamic *dynamic, const ElfW(Sym) *symbol, struct mp_replaced *table, unsigned n)
{
    return symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value == 0
               ? NULL : mp_replaced_find(table, n, dynamic->strings + symbol->st_name);
}

bool
mp_exports_any(const struct link_map *map, struct mp_replaced *table, unsigned n)
{
    const struct mp_dynamic dynamic = mp_dynamic_read(map);
    uint32_t i = 0;

    while (i < dynamic.n_symbols && !defined(&dynamic, &dynamic.symbols[i], table, n))
        i++;
    return i < dynamic.n_symbols;
}

void
mp_exports_replace(const struct link_map *map, struct mp_replaced *table, unsigned n)
{
    const struct mp_dynamic dynamic = mp_dynamic_read(map);
    const int protection = mp_dynamic_protection((uintptr_t)dynamic.symbols);

    for (uint32_t i = 0; i < dynamic.n_symbols && protection >= 0; i++) {
        ElfW(Sym) *symbol = &dynamic.symbols[i];
        struct mp_replaced *found = defined(&dynamic, symbol, table, n);
        void *address = (void *)(map->l_addr + symbol->st_value);

        if (!found || found->theirs)
            continue;
        memcpy(&found->theirs, &address, sizeof address);
        write_value(symbol, (uintptr_t)address_of(found->ours) - map->l_addr, protection);
    }
}
