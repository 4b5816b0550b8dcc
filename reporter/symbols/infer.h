/* SPDX-License-Identifier: MIT */
/*
 * infer.h -- infers the type of a block from the expression that allocated it.
 *
 * Starts at the return address of each call that led to the allocator and follows the pointer through the machine
 * code. The pointer may move through registers, stack slots and branches, until debug information reveals its type:
 *
 * - A variable or parameter is located where the pointer is: `struct node *node = malloc(...)`.
 * - It is stored in a member of a structure, an element of an array, or a variable: `list->first = malloc(...)`.
 * - The function returns it, with the function's return type.
 *
 * If the function only returns it, as `void *` or without debug information, the caller is examined next. A type is
 * never inferred from a size, a mere cast, or a type mentioned nearby. A type of single bytes, such as `char`, is
 * used only if no other type is found.
 *
 * Machine code is decoded only for x86-64. On other machines only variables at the return address itself are used.
 */
#ifndef MP_SYMBOLS_INFER_H
#define MP_SYMBOLS_INFER_H

#include "reporter/profile/profile.h"

/* The inferred type of a block. */
struct mp_inferred {
    const char *name;           /* "node", "node *", "char" */
    uint64_t size;              /* in bytes; 0 = unknown */
    uint64_t trailing;          /* offset of a last member that is an array of any length; 0 = none */
    bool derived;               /* the block may have another type that begins with this one: a derived class, or a
                                   structure whose first member has this type */
    const char **words;         /* indexed by machine word: name of the member that begins there, or "" */
    uint32_t n_words;
};

/* Infers what the N CONTEXTS of PROFILE allocate. Returns an array with a type for each context, or NULL where it
 * is unknown. The frame of a context is the innermost call of its chain. CONTEXTS may contain MP_NO_ID. Everything
 * is in ARENA. */
const struct mp_inferred **mp_infer_types(const struct mp_profile *profile, const uint32_t *contexts, uint32_t n,
                                  struct mp_arena *arena);

#endif
