/* SPDX-License-Identifier: MIT */
/*
 * types.h -- names of types for the allocation bins.
 *
 * A file has types by name and size: structs, unions, classes and typedefs. A function mentions a type as a variable,
 * parameter, result or template argument, directly or behind pointers. The catalog contains the types outside of
 * functions.
 *
 * Functions mention a typedef of a number, a vector, an enumeration or a pointer only behind a pointer, and the catalog
 * has no such typedef. Otherwise size_t would name each block of 8 bytes.
 *
 * The types of a bin are those of the catalog and of mentions that have its size. A block counts for the
 * module of its allocating function, the innermost on its chain that is no wrapper (skip.h), and for the program if
 * the program calls that function directly. So a library that calls the program names none of its blocks.
 *
 * Types that functions near the allocation mention come first, by the rank of the function. Rank 0 is the innermost
 * function of the frame that allocates, or of wrappers in its module. Rank 1 are the functions into which it is
 * inlined. Rank 2 are the functions of the calling frame, in the same module or the program. The program's other types
 * follow. A library's other types do not, because libc alone has a struct of almost every size.
 *
 * A module's types count only for sizes of which a tenth of the blocks count for it. Otherwise two blocks of libc could
 * name a bin with 500 blocks of a program without debug information.
 */
#ifndef MP_SYMBOLS_TYPES_H
#define MP_SYMBOLS_TYPES_H

#include "binary.h"
#include "reporter/profile/profile.h"

/* Returns a new object for the bins of PROFILE, allocated in ARENA. */
struct mp_types *mp_types_new(const struct mp_profile *profile, struct mp_arena *arena);

/* Returns whether FRAME is near enough to an allocation that the types of its functions matter. */
bool mp_types_wanted(const struct mp_types *types, uint32_t frame);

/* Reads the types mentioned by the functions of ANSWER for FRAME of BINARY. Must be called for all frames of BINARY
 * before mp_types_note(), so that one walk finds all types that are only declared there. */
void mp_types_read(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
                   const struct mp_answer *answer);

/* Notes that FRAME of BINARY is in the function KNOWN. INNERMOST means that no function inlined in KNOWN contains
 * it. */
void mp_types_note(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
                   bool innermost, uint32_t known);

/* Adds the program's other types. Call it when all frames of BINARY are noted. */
void mp_types_collect(struct mp_types *types, struct mp_binary *binary);

/* Fills in the bins of PROFILE. Call it when all binaries are collected and PROFILE has its functions. */
void mp_types_finish(struct mp_types *types, struct mp_profile *profile);

#endif
