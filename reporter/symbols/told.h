/*
 * told.h -- of which type a block is, as the expression tells that allocated it.
 *
 * From the return address of each call that led to the allocator the pointer is followed through the machine
 * code: through registers, slots of the stack and branches, until debug information says what it became.
 *
 * - A variable or a parameter lives there where the pointer is: `struct node *node = malloc(...)`.
 * - It is stored in a member of a structure, an element of an array, or a variable: `list->first = malloc(...)`.
 * - The function returns it, and says as what.
 *
 * Where it is but returned, as `void *` or by code without debug information, the caller is asked.  What cannot be
 * followed to an answer tells nothing: no type is ever inferred from a size, from a mere cast, or from what happens to
 * be mentioned nearby.  That it is `char *` counts only where nothing else is told.
 *
 * Code is followed on x86-64.  Of other machines only what is known at the return address itself is told.
 */
#ifndef MP_SYMBOLS_TOLD_H
#define MP_SYMBOLS_TOLD_H

#include "reporter/profile/profile.h"

/* What a pointer points to. */
struct mp_told {
    const char *name;           /* "node", "node *", "char" */
    uint64_t size;              /* bytes; 0: not known */
    uint64_t trailing;          /* bytes before a last member that is an array of any length; 0: it has none */
    bool derived;               /* perhaps the block is of a type that begins with this one: a derived class, or a
                                   structure whose first member it is */
    const char **words;         /* by machine word: the member that begins there, "" none */
    uint32_t n_words;
};

/* For each of the N CONTEXTS of PROFILE, innermost call last on its chain: the type of what it allocates; NULL: not
 * told.  MP_NO_ID is no context.  Everything is in ARENA. */
const struct mp_told **mp_told_of(const struct mp_profile *profile, const uint32_t *contexts, uint32_t n,
                                  struct mp_arena *arena);

#endif
