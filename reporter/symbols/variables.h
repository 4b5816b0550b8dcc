/*
 * variables.h -- names of C's global and static variables, by the ELF symbols of their file or its debug file.
 */
#ifndef MP_SYMBOLS_VARIABLES_H
#define MP_SYMBOLS_VARIABLES_H

#include "reporter/profile/profile.h"

struct mp_variable {
    uint32_t module;            /* of the profile */
    uint64_t offset;            /* in the module, of any of its bytes */
    const char *name;           /* NULL: it is not known; else in the arena */
};

/* Name the N of LIST, of modules of PROFILE; they are sorted by module and offset.  What cannot be read names
 * nothing, nor does a file without a build-id: it may be another one by now. */
void mp_variables_name(const struct mp_profile *profile, struct mp_variable *list, uint32_t n,
                       struct mp_arena *arena);

#endif
