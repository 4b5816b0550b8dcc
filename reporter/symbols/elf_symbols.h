/* SPDX-License-Identifier: MIT */
/*
 * elf_symbols.h -- functions by ELF symbols, which come from .symtab of the file or its debug file, .gnu_debugdata,
 * and .dynsym.
 *
 * A symbol counts only for addresses that it covers, because in a stripped library the exported symbol before an
 * address usually belongs to another function. Clones made by the compiler (foo.cold, foo.part.0, foo.constprop.1,
 * foo.isra.2) are reported as `foo` if their origin is certain, and else keep their own names.
 */
#ifndef MP_SYMBOLS_ELF_SYMBOLS_H
#define MP_SYMBOLS_ELF_SYMBOLS_H

#include "binary.h"

/* The functions below read the symbols of BINARY, which must be loaded, on their first call. */

/* Adds the function whose symbol covers ADDRESS to the places of the answer being made. Without such a symbol, uses
 * the symbol at FUNCTION_START, the start of the function by the unwind table, or MP_NO_START. Returns the number
 * of places added, 0 or 1. */
uint32_t mp_elf_answer(struct mp_binary *binary, uint64_t address, uint64_t function_start);

/* Returns the length of the symbol NAME without its version (memcpy@@GLIBC_2.14). */
size_t mp_elf_plain_length(const char *name);

/* Compares two symbols of one address, as in qsort(3). The name that users know comes first, for example malloc
 * before __libc_malloc, and local symbols come last. BIND_A and BIND_B are STB_GLOBAL etc. */
int mp_elf_compare_aliases(const char *a, unsigned bind_a, const char *b, unsigned bind_b);

/* Calls IS with DATA and the demangled name of each function until it returns true. Returns whether it did. */
bool mp_elf_any(struct mp_binary *binary, bool (*is)(void *data, const char *name), void *data);

/* Returns the best symbol that begins at START and is not local, or NULL. */
const char *mp_elf_name_at(struct mp_binary *binary, uint64_t start);

/* Returns the parameters in the mangled name of the function NAME that begins at START, as in struct mp_function, or
 * NULL. The caller frees the result. */
char *mp_elf_parameters(struct mp_binary *binary, uint64_t start, const char *name);

/* The start addresses of functions from .eh_frame, the only source in a stripped file. */
struct mp_fdes;

/* Returns the entries of ELF that begin in CODE, allocated in ARENA. */
struct mp_fdes *mp_fdes_open(Elf *elf, const struct mp_spans *code, struct mp_arena *arena);

/* Returns the bytes of the longest entry. libdw may read all of it for one address. */
uint64_t mp_fdes_longest(const struct mp_fdes *fdes);

/* Returns the start of the function at ADDRESS, or MP_NO_START. */
uint64_t mp_fdes_find(const struct mp_fdes *fdes, uint64_t address);

#endif
