/*
 * match.h -- which functions of one build are which of another.
 *
 * Functions are matched by name, in these steps:
 *
 * 1. Clones are their function: what mp_stem_clone() takes off does not count.
 * 2. Numbers in names (lambdas, addresses of functions without names) count where they say something: where the
 *    module is the same build on both sides, or both sides have the same numbers.  Else mp_stem_numbers() takes
 *    them off, and all that have one name then are one function.
 * 3. Where one side has several functions of one name, they are told apart by parameters and by source file, if
 *    all of them are known, else by module.  Those with the same stand for each other; so do the only one that
 *    the one side has left and the only one that the other has.
 *
 * What cannot be told apart is one function, so that its figures are right as a sum.
 */
#ifndef MP_MATCH_H
#define MP_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/arena.h"

enum mp_side { MP_BEFORE, MP_AFTER, MP_SIDES };

/* A function as a profile has it.  Texts are "" where they are not known. */
struct mp_match_function {
    const char *name;           /* without what only makes it unique in its profile */
    const char *parameters;     /* "(int)", where the profile tells functions apart by them */
    const char *file;           /* that declares it */
    const char *module;         /* as mp_stem_module() has it */
    const char *build;          /* of the module */
    const char *sort;           /* functions of different sorts are never the same */
    unsigned sides;             /* bits 1 << enum mp_side: who has it */
    uint32_t match;             /* number of those that it is one function with; filled by mp_match() */
};

/* Number the functions of LIST, N of them: *COUNT numbers, from 0 on.  Returns names by number, in ARENA;
 * different ones unless sorts differ. */
const char **mp_match(struct mp_match_function list[], uint32_t n, uint32_t *count, struct mp_arena *arena);

#endif
