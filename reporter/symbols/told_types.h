/*
 * told_types.h -- what a pointer points to, and what stands where in a structure.
 */
#ifndef MP_SYMBOLS_TOLD_TYPES_H
#define MP_SYMBOLS_TOLD_TYPES_H

#include "binary.h"
#include "told.h"

/* In all of these a DIE may be none: its addr is NULL. */

/* TYPE without typedefs, const, volatile and the like; none: void. */
Dwarf_Die mp_told_plain(Dwarf_Die type);

/* What pointers or references of TYPE point to.  False: TYPE is none.  *TARGET is none: void. */
bool mp_told_target(Dwarf_Die type, Dwarf_Die *target);

/* Bytes of TYPE; 0: not known. */
uint64_t mp_told_size(Dwarf_Die type);

/* *TYPE becomes that of what stands OFFSET bytes into it; false: it is not known. */
bool mp_told_part(Dwarf_Die *type, uint64_t offset);

/* Is what stands OFFSET bytes into the structure TYPE less than one element before an array?  An index may lead there
 * and mean the array. */
bool mp_told_is_before_array(Dwarf_Die type, uint64_t offset);

/* Does TARGET say what a block is?  Not void, and nothing without a name; *BYTE: only that it is bytes. */
bool mp_told_says(Dwarf_Die target, bool *byte);

/* All of it, in ARENA.  False: it has no name. */
bool mp_told_describe(struct mp_binary *binary, Dwarf_Die target, struct mp_arena *arena, struct mp_told *told);

#endif
