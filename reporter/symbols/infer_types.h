/* SPDX-License-Identifier: MIT */
/*
 * infer_types.h -- the targets of pointer types, and the members of structures.
 */
#ifndef MP_SYMBOLS_INFER_TYPES_H
#define MP_SYMBOLS_INFER_TYPES_H

#include "binary.h"
#include "infer.h"

/* A DIE may be absent in all functions below; its addr is NULL then. */

/* Sets *TARGET to the type to which a pointer or reference of TYPE points, absent for void. Returns false if TYPE
 * is not a pointer or reference. */
bool mp_infer_target(Dwarf_Die type, Dwarf_Die *target);

/* Returns the size of TYPE in bytes, or 0 if it is unknown. */
uint64_t mp_infer_size(Dwarf_Die type);

/* Replaces *TYPE by the type of the part that begins OFFSET bytes into it. Returns false if that is unknown. */
bool mp_infer_part(Dwarf_Die *type, uint64_t offset);

/* Returns whether the position OFFSET bytes into the structure TYPE is less than one element before an array. An
 * indexed access with this offset may refer to the array. */
bool mp_infer_is_before_array(Dwarf_Die type, uint64_t offset);

/* Returns whether TARGET describes a block, that is, has a name and is neither void nor a function. Sets *BYTE to
 * whether it is a base type of one byte, such as char. */
bool mp_infer_describes_block(Dwarf_Die target, bool *byte);

/* Fills in *INFERRED, allocated in ARENA. Returns false if TARGET has no name. */
bool mp_infer_describe(struct mp_binary *binary, Dwarf_Die target, struct mp_arena *arena,
                       struct mp_inferred *inferred);

#endif
