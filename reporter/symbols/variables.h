/* SPDX-License-Identifier: MIT */
/*
 * variables.h -- names C's global and static variables by the ELF symbols of the file or its debug file.
 */
#ifndef MP_SYMBOLS_VARIABLES_H
#define MP_SYMBOLS_VARIABLES_H

#include "reporter/profile/profile.h"

struct mp_variable {
    uint32_t module;            /* of the profile */
    uint64_t offset;            /* offset of any of its bytes in the module */
    const char *name;           /* result, in the arena; NULL = unknown */
};

/* Names the N elements of LIST, variables in modules of PROFILE, which must be sorted by module and offset. An
 * element gets no name if its file cannot be read, or has no build-id, because it may have been replaced meanwhile. */
void mp_variables_name(const struct mp_profile *profile, struct mp_variable *list, uint32_t n,
                       struct mp_arena *arena);

#endif
