/* SPDX-License-Identifier: MIT */
#include "imports.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "dynamic.h"
#include "sys.h"

#if defined __x86_64__
#define IS_FUNCTION_WORD(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#define IS_ADDRESS_WORD(type)  ((type) == R_X86_64_64)
#elif defined __aarch64__
#define IS_FUNCTION_WORD(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#define IS_ADDRESS_WORD(type)  ((type) == R_AARCH64_ABS64)
#else
#define IS_FUNCTION_WORD(type) 0
#define IS_ADDRESS_WORD(type)  0
#endif

static void
look(const struct link_map *map, const struct mp_dynamic *dynamic, const ElfW(Rela) *relocations,
     size_t size, struct mp_import *imports, size_t n)
{
    for (size_t i = 0; i < size / sizeof *relocations; i++) {
        const ElfW(Sym) *symbol = &dynamic->symbols[ELF64_R_SYM(relocations[i].r_info)];

        if (!IS_FUNCTION_WORD(ELF64_R_TYPE(relocations[i].r_info)))
            continue;
        for (size_t k = 0; k < n; k++)
            if (strcmp(dynamic->strings + symbol->st_name, imports[k].name) == 0)
                imports[k].word = (void **)(map->l_addr + relocations[i].r_offset);
    }
}

size_t
mp_imports_find(const struct link_map *map, struct mp_import *imports, size_t n)
{
    const struct mp_dynamic dynamic = mp_dynamic_read(map);
    size_t found = 0;

    look(map, &dynamic, dynamic.plt, dynamic.plt_size, imports, n);
    look(map, &dynamic, dynamic.other, dynamic.other_size, imports, n);
    for (size_t k = 0; k < n; k++)
        found += imports[k].word != NULL;
    return found;
}

void
mp_imports_set(const struct mp_import *imports, size_t n, int ours)
{
    size_t page = getauxval(AT_PAGESZ);

    for (size_t k = 0; k < n; k++) {
        void *start = (void *)((uintptr_t)imports[k].word & ~(page - 1));

        if (!imports[k].word || !imports[k].theirs)
            continue;
        /* The loader may have made the page read-only after relocation. The page stays writable. */
        if (mp_sys_protect(start, page, PROT_READ | PROT_WRITE) == 0)
            __atomic_store_n(imports[k].word, ours ? imports[k].ours : imports[k].theirs,
                             __ATOMIC_SEQ_CST);
    }
}

static void
replace_word(void **word, void *with)
{
    const uintptr_t page = getauxval(AT_PAGESZ);
    const int protection = mp_dynamic_protection((uintptr_t)word);
    void *start = (void *)((uintptr_t)word & -page);

    if (protection < 0 || mp_sys_protect(start, page, protection | PROT_WRITE) != 0)
        return;
    __atomic_store_n(word, with, __ATOMIC_SEQ_CST);
    mp_sys_protect(start, page, protection);
}

static void
replace_words(const struct link_map *map, const ElfW(Rela) *relocations, size_t size, void *(*replace)(void *))
{
    for (size_t i = 0; i < size / sizeof *relocations; i++) {
        const unsigned long type = ELF64_R_TYPE(relocations[i].r_info);
        void **word = (void **)(map->l_addr + relocations[i].r_offset), *with;

        if ((IS_FUNCTION_WORD(type) || IS_ADDRESS_WORD(type)) && (with = replace(*word)) != NULL)
            replace_word(word, with);
    }
}

void
mp_imports_replace(const struct link_map *map, void *(*replace)(void *address))
{
    const struct mp_dynamic dynamic = mp_dynamic_read(map);

    replace_words(map, dynamic.plt, dynamic.plt_size, replace);
    replace_words(map, dynamic.other, dynamic.other_size, replace);
}

static void
bind_own(const struct link_map *map, const struct mp_dynamic *dynamic, const ElfW(Rela) *relocations, size_t size,
         bool (*wanted)(const char *name))
{
    for (size_t i = 0; i < size / sizeof *relocations; i++) {
        const ElfW(Sym) *symbol = &dynamic->symbols[ELF64_R_SYM(relocations[i].r_info)];

        if (IS_FUNCTION_WORD(ELF64_R_TYPE(relocations[i].r_info)) && symbol->st_shndx != SHN_UNDEF &&
            ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && wanted(dynamic->strings + symbol->st_name))
            replace_word((void **)(map->l_addr + relocations[i].r_offset), (void *)(map->l_addr + symbol->st_value));
    }
}

void
mp_imports_bind_own(const struct link_map *map, bool (*wanted)(const char *name))
{
    const struct mp_dynamic dynamic = mp_dynamic_read(map);

    bind_own(map, &dynamic, dynamic.plt, dynamic.plt_size, wanted);
    bind_own(map, &dynamic, dynamic.other, dynamic.other_size, wanted);
}
