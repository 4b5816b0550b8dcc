#include "exports.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/monitor.h"

struct table {
    ElfW(Sym) *symbols;
    const char *strings;
    uint32_t n;
};

/* Of the object's own dynamic section the loader has made addresses of offsets, of the kernel's not. */
static uintptr_t
address_of(const struct link_map *map, const ElfW(Dyn) *entry)
{
    return entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr;
}

/* The table by hashes ends where the last chain ends: words for the header, the filter, the buckets,
 * and the chains, one word for each symbol from the first hashed one on. */
static uint32_t
count_by_hash(const uint32_t *hash)
{
    const uint32_t n_buckets = hash[0], first = hash[1], filter = hash[2];
    const uint32_t *buckets = hash + 4 + filter * sizeof(ElfW(Addr)) / sizeof *hash;
    const uint32_t *chains = buckets + n_buckets;
    uint32_t last = 0;

    for (uint32_t i = 0; i < n_buckets; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < first)
        return first;
    while (!(chains[last - first] & 1))
        last++;
    return last + 1;
}

static struct table
read_table(const struct link_map *map)
{
    struct table table = { NULL, NULL, 0 };

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB: table.symbols = (void *)address_of(map, d); break;
        case DT_STRTAB: table.strings = (const void *)address_of(map, d); break;
        case DT_HASH: table.n = ((const uint32_t *)address_of(map, d))[1]; break;
        case DT_GNU_HASH: table.n = count_by_hash((const void *)address_of(map, d)); break;
        default: break;
        }
    if (!table.symbols || !table.strings)
        table.n = 0;
    return table;
}

static bool
is_definition(const struct table *table, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &table->symbols[i];

    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           strcmp(table->strings + symbol->st_name, name) == 0;
}

bool
mp_exports_defines(const struct link_map *map, const char *name)
{
    const struct table table = read_table(map);
    uint32_t i = 0;

    while (i < table.n && !is_definition(&table, i, name))
        i++;
    return i < table.n;
}

/* The table is read-only, alone or with code; it is so again when this returns. */
static bool
write_value(ElfW(Sym) *symbol, ElfW(Addr) value, int protection)
{
    const uintptr_t page = getauxval(AT_PAGESZ), at = (uintptr_t)&symbol->st_value;
    void *start = (void *)(at & ~(page - 1));
    bool can;

    if (!mp_monitor_call_begin())
        return false;
    can = mprotect(start, page, protection | PROT_WRITE) == 0;
    if (can) {
        __atomic_store_n(&symbol->st_value, value, __ATOMIC_SEQ_CST);
        mprotect(start, page, protection);
    }
    mp_monitor_call_end();
    return can;
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
    const struct table table = read_table(map);
    const int protection = protection_of(map, (uintptr_t)table.symbols);
    bool done = false;

    for (uint32_t i = 0; i < table.n && protection >= 0; i++)
        if (map->l_addr + table.symbols[i].st_value == (uintptr_t)theirs &&
            is_definition(&table, i, name))
            done |= write_value(&table.symbols[i], (uintptr_t)ours - map->l_addr, protection);
    return done;
}
