/* SPDX-License-Identifier: MIT */
/*
 * dynamic.h -- reads the dynamic section of a loaded ELF object: its symbols and relocations.
 */
#ifndef MP_DYNAMIC_H
#define MP_DYNAMIC_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct mp_dynamic {
    ElfW(Sym) *symbols;         /* symbol table; NULL if absent or without names */
    uint32_t n_symbols;
    const char *strings;        /* names of the symbols */
    const ElfW(Rela) *plt, *other;      /* relocations of the PLT, and all others */
    size_t plt_size, other_size;        /* bytes of plt and other */
};

/* Returns the protection (PROT_*) that the page at ADDRESS in a loaded ELF object has after relocation. Returns
 * -1 if it is unknown. */
int mp_dynamic_protection(uintptr_t address);

/* Reads the dynamic section of MAP. The pointers in the result are valid while the object is loaded. */
struct mp_dynamic mp_dynamic_read(const struct link_map *map);

/* Returns the end of the last page of the loaded ELF object that is mapped at ADDRESS, or 0 if no object is mapped
 * there. The mappings do not show this end, because the kernel may merge the mapping of an object's zeroed variables
 * with the memory that is mapped behind it. Takes no lock. */
uintptr_t mp_dynamic_end(uintptr_t address);

#endif
