/*
 * dwarf_names.h -- identifies the function of a DIE.
 *
 * A function is one declaration, identified by linkage name (or name), file and line. Its concrete code, its
 * inlined calls, and the clones and cold parts made by the compiler are therefore the same function.
 */
#ifndef MP_SYMBOLS_DWARF_NAMES_H
#define MP_SYMBOLS_DWARF_NAMES_H

#include "binary.h"

/* Returns the function of DIE, an index in BINARY's answers, or MP_NO_ID if it has no name. START is the address of
 * its code, or 0 if it is inlined. Each DIE is read only once. */
uint32_t mp_dwarf_known(struct mp_binary *binary, Dwarf_Die *die, uint64_t start);

/* Returns PATH from the line table of UNIT as the compiler saw it. A relative path is joined to the directory of
 * the compilation. Returns "" if PATH is NULL. */
const char *mp_dwarf_path(struct mp_binary *binary, Dwarf_Die *unit, const char *path);

/* Returns the path number FILE in the file table of UNIT, or "" if the table does not have it. */
const char *mp_dwarf_file(struct mp_binary *binary, Dwarf_Die *unit, Dwarf_Word file);

/* Returns the inlined function if DIE is an inlined call or a copy, else DIE. */
Dwarf_Die mp_dwarf_origin(Dwarf_Die *die);

#endif
