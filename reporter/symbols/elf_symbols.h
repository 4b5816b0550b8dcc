/*
 * elf_symbols.h -- functions by ELF symbols: .symtab of the file or its debug file, the symbols
 * of .gnu_debugdata, .dynsym.
 *
 * A symbol counts only for addresses that it covers: in a stripped library the exported symbol
 * before an address is most often a stranger.  Clones that the compiler made of a function
 * (foo.cold, foo.part.0, foo.constprop.1, foo.isra.2 ...) are that function for the reader, as
 * long as it is sure which `foo` they come from; else they keep their own name.
 */
#ifndef MP_SYMBOLS_ELF_SYMBOLS_H
#define MP_SYMBOLS_ELF_SYMBOLS_H

#include "binary.h"

/* All of these read the symbols of BINARY, which is loaded, when they are called first. */

/* Add the function at ADDRESS by the ELF symbol that covers it, or the one at FUNCTION_START
 * (where the unwind table says that the function begins; MP_NO_START: it does not say), to the
 * places of the answer being made; returns how many: 0 or 1. */
uint32_t mp_elf_answer(struct mp_binary *binary, uint64_t address, uint64_t function_start);

/* Length of the symbol NAME without its version (memcpy@@GLIBC_2.14). */
size_t mp_elf_plain_length(const char *name);

/* Of two symbols for one address the one that people know comes first, as in qsort(3): malloc, not __libc_malloc;
 * not a local one.  BIND: STB_GLOBAL ... */
int mp_elf_compare_aliases(const char *a, unsigned bind_a, const char *b, unsigned bind_b);

/* Calls IS with DATA and the demangled name of each function until it returns true.  Returns whether it did. */
bool mp_elf_any(struct mp_binary *binary, bool (*is)(void *data, const char *name), void *data);

/* The best symbol that begins at START and is not local, NULL if none. */
const char *mp_elf_name_at(struct mp_binary *binary, uint64_t start);

#endif
