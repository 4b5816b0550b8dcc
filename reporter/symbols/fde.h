/*
 * fde.h -- the start addresses of functions from .eh_frame, the only source in a stripped file.
 *
 * libdw reads the entries, but provides only the rows of a table, not an entry's address range. The encoded
 * pointers are therefore decoded here (Linux Standard Base, "DWARF Extensions").
 */
#ifndef MP_SYMBOLS_FDE_H
#define MP_SYMBOLS_FDE_H

#include <libelf.h>

#include "spans.h"

/* Returns the entries of ELF that begin in CODE, allocated in ARENA. */
struct mp_fdes *mp_fdes_open(Elf *elf, const struct mp_spans *code, struct mp_arena *arena);

/* Returns the start of the function at ADDRESS, or MP_NO_START. */
uint64_t mp_fdes_find(const struct mp_fdes *fdes, uint64_t address);

#endif
