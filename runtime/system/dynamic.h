/*
 * dynamic.h -- the dynamic section of an ELF object of the process: its symbols, and what of them its
 * words refer to.
 */
#ifndef MP_DYNAMIC_H
#define MP_DYNAMIC_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct mp_dynamic {
    ElfW(Sym) *symbols;         /* NULL: there are none, or no names of them */
    uint32_t n_symbols;
    const char *strings;        /* their names */
    const ElfW(Rela) *plt, *other;      /* relocations */
    size_t plt_size, other_size;        /* bytes of them */
};

/* How the page at ADDRESS of an ELF object of the process is mapped, PROT_*, after relocation; -1: not known. */
int mp_dynamic_protection(uintptr_t address);

/* What the dynamic section of MAP says; it lives as long as the object is loaded. */
struct mp_dynamic mp_dynamic_read(const struct link_map *map);

#endif
