/*
 * types.h -- names of types for the allocation bins.
 *
 * A bin's types are the structs, unions, classes, and typedefs of them or of arrays of them, that
 * have its size.  First come those that the functions which allocate that size mention
 * (mentions.h).  Ranks: 0 the innermost function of the frame that allocates, 1 those it is
 * inlined in, 2 the functions of the frame that called it (behind xmalloc() or operator new).  The
 * program's other types follow, where its functions allocate that size; a library's do not: libc
 * alone has a struct of nearly every size.  A module's types count only for sizes of which its
 * functions, or what they call, make a tenth of the allocations: else libc's two blocks of a size
 * would give a name to 500 of a program without debug information.
 */
#ifndef MP_SYMBOLS_TYPES_H
#define MP_SYMBOLS_TYPES_H

#include "binary.h"
#include "reporter/profile/profile.h"

/* For the bins of PROFILE; in ARENA. */
struct mp_types *mp_types_new(const struct mp_profile *profile, struct mp_arena *arena);

/* Does FRAME allocate, or what it calls?  Only then its functions' types matter. */
bool mp_types_wanted(const struct mp_types *types, uint32_t frame);

/* Read the types that the functions of ANSWER mention, which FRAME of BINARY has: those of all frames before
 * any is noted, so that what is only declared there is looked for at once. */
void mp_types_read(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
                   const struct mp_answer *answer);

/* FRAME of BINARY lies in the function KNOWN; INNERMOST: and not in one that is inlined there. */
void mp_types_note(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
                   bool innermost, uint32_t known);

/* All frames of BINARY are noted: the program's other types follow. */
void mp_types_collect(struct mp_types *types, struct mp_binary *binary);

/* All binaries are collected: fill the bins of PROFILE. */
void mp_types_finish(struct mp_types *types, struct mp_profile *profile);

#endif
