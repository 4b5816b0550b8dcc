/*
 * fde.h -- where functions begin, out of .eh_frame: all that a stripped file tells.
 *
 * libdw reads the entries, but gives the rows of a table only, not an entry's own range; so the
 * encoded pointers are read here (Linux Standard Base, "DWARF Extensions").
 */
#ifndef MP_SYMBOLS_FDE_H
#define MP_SYMBOLS_FDE_H

#include <libelf.h>

#include "spans.h"

/* Those of ELF that begin in CODE; in ARENA. */
struct mp_fdes *mp_fdes_open(Elf *elf, const struct mp_spans *code, struct mp_arena *arena);

/* Where the function at ADDRESS begins, or MP_NO_START. */
uint64_t mp_fdes_find(const struct mp_fdes *fdes, uint64_t address);

#endif
