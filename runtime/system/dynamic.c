/* SPDX-License-Identifier: MIT */
#include "dynamic.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

/* Returns the address in ENTRY. The loader has relocated the entries of ordinary objects, but not the entries
 * of the kernel's vDSO. */
static void *
address_of(const struct link_map *map, const ElfW(Dyn) *entry)
{
    const ElfW(Addr) at = entry->d_un.d_ptr;

    return (void *)(at < map->l_addr ? map->l_addr + at : at);
}

/* Returns the number of symbols, computed from the GNU hash table HASH. HASH has four header words, a Bloom
 * filter, the buckets, and one chain word for each symbol from number `first` on. A bucket has the number of the
 * first symbol of its chain, and bit 0 of a chain word marks the end of a chain. So the chain that begins last ends
 * with the last symbol. */
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

struct mp_dynamic
mp_dynamic_read(const struct link_map *map)
{
    struct mp_dynamic dynamic = {0};

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB: dynamic.symbols = address_of(map, d); break;
        case DT_STRTAB: dynamic.strings = address_of(map, d); break;
        case DT_HASH: dynamic.n_symbols = ((const uint32_t *)address_of(map, d))[1]; break;
        case DT_GNU_HASH: dynamic.n_symbols = count_by_hash(address_of(map, d)); break;
        case DT_JMPREL: dynamic.plt = address_of(map, d); break;
        case DT_PLTRELSZ: dynamic.plt_size = d->d_un.d_val; break;
        case DT_RELA: dynamic.other = address_of(map, d); break;
        case DT_RELASZ: dynamic.other_size = d->d_un.d_val; break;
        default: break;
        }
    if (!dynamic.symbols || !dynamic.strings)
        return (struct mp_dynamic){0};
    return dynamic;
}

int
mp_dynamic_protection(uintptr_t address)
{
    struct dl_find_object found;
    const ElfW(Ehdr) *header;
    const ElfW(Phdr) *segments;
    int protection = -1;

    if (_dl_find_object((void *)address, &found) != 0)
        return -1;
    header = found.dlfo_map_start;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return -1;
    segments = (const void *)((const char *)header + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (address - found.dlfo_link_map->l_addr - segments[i].p_vaddr >= segments[i].p_memsz)
            continue;
        if (segments[i].p_type == PT_GNU_RELRO)
            return PROT_READ;
        if (segments[i].p_type == PT_LOAD)
            protection = (segments[i].p_flags & PF_R ? PROT_READ : 0) |
                         (segments[i].p_flags & PF_W ? PROT_WRITE : 0) |
                         (segments[i].p_flags & PF_X ? PROT_EXEC : 0);
    }
    return protection;
}

#define PAGE ((uintptr_t)4096)      /* the loader also uses the rest of the object's last page */

uintptr_t
mp_dynamic_end(uintptr_t address)
{
    struct dl_find_object found;

    return _dl_find_object((void *)address, &found) == 0 ? ((uintptr_t)found.dlfo_map_end + PAGE - 1) & ~(PAGE - 1) : 0;
}
