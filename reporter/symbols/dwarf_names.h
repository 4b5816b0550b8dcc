/*
 * dwarf_names.h -- who the function of a DIE is.
 *
 * One function for the reader is one declaration: linkage name (or name), file and line.  So its
 * concrete code, the places where it was inlined, and the clones and cold parts that the compiler
 * made of it are one and the same.
 */
#ifndef MP_SYMBOLS_DWARF_NAMES_H
#define MP_SYMBOLS_DWARF_NAMES_H

#include "binary.h"

/* The function of DIE, which begins at START (0: inlined, it has no start), among BINARY's answers;
 * made once for each DIE.  MP_NO_ID if it has no name. */
uint32_t mp_dwarf_known(struct mp_binary *binary, Dwarf_Die *die, uint64_t start);

/* PATH, which the line table of UNIT has, NULL: "", as the compiler saw it: a relative one in the directory
 * where it ran. */
const char *mp_dwarf_path(struct mp_binary *binary, Dwarf_Die *unit, const char *path);

/* Number FILE of the file table of UNIT, "" if it has none. */
const char *mp_dwarf_file(struct mp_binary *binary, Dwarf_Die *unit, Dwarf_Word file);

/* What was inlined, if DIE is an inlined call or a copy; else DIE. */
Dwarf_Die mp_dwarf_origin(Dwarf_Die *die);

#endif
