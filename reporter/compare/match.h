/*
 * match.h -- finds out which functions of two builds are the same.
 *
 * Functions are matched by name, in these steps:
 *
 * 1. Clones are equal to their function: the suffixes that mp_stem_clone() removes are ignored.
 * 2. Numbers in names (of lambdas, or addresses of functions without names) are compared if they are reliable: if the
 *    module is the same build on both sides, or if both sides have the same numbers. Otherwise mp_stem_numbers()
 *    removes them, and all functions with an equal name are one function.
 * 3. If a side has several functions of one name, parameters and places distinguish them. Parameters are compared if
 *    all functions of the name have known ones. The place is the source file if it is known for all, else the module.
 *    Functions with equal parameters and places match. If exactly one function of each side has no match then, these
 *    two match as well.
 *
 * Functions that cannot be distinguished are treated as one, so that their figures are right as a sum.
 */
#ifndef MP_MATCH_H
#define MP_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/arena.h"

enum mp_side { MP_BEFORE, MP_AFTER, MP_SIDES };

/* A function as described by a profile. Unknown texts are "". */
struct mp_match_function {
    const char *name;           /* without additions that only make it unique in its profile */
    const char *parameters;     /* for example "(int)", if the profile distinguishes functions by them */
    const char *file;           /* source file of its declaration */
    const char *module;         /* as returned by mp_stem_module() */
    const char *build;          /* build id of the module */
    const char *sort;           /* functions of different sorts never match */
    unsigned sides;             /* bits 1 << enum mp_side: sides that contain it */
    uint32_t match;             /* number of the matched function, set by mp_match() */
};

/* Assigns numbers from 0 to *COUNT - 1 to the N functions of LIST; matching functions get the same number. Returns
 * names by number, allocated in ARENA. Names are unique within a sort. */
const char **mp_match(struct mp_match_function list[], uint32_t n, uint32_t *count, struct mp_arena *arena);

/* ---------------------------------------------------------------- stems of names */

/*
 * Removes from names of functions what compilers add and choose anew in each build.
 *
 *     f.constprop.0, f.isra.0.cold, f(int) [clone .part.0]        f, f, f(int)
 *     std::sort<main::{lambda(int)#2}>                            std::sort<main::{lambda(int)}>
 *     lambda@queue.cc:12                                          lambda@queue.cc
 *     LAMBDA #2 in COUNT-WORDS, LAMBDA of words.lisp:7            LAMBDA in COUNT-WORDS, LAMBDA of words.lisp
 */

/* Returns NAME without the suffixes of a clone, which is a copy or a part of a function. The result is NAME itself or
 * allocated in ARENA. */
const char *mp_stem_clone(const char *name, struct mp_arena *arena);

/* Returns true if the suffixes of NAME mark a part that is called by the function itself. */
bool mp_stem_is_part(const char *name);

/* Returns NAME, from which clone suffixes are already removed, without the numbers that distinguish unnamed functions
 * by order or position. The result is NAME itself or allocated in ARENA. */
const char *mp_stem_numbers(const char *name, struct mp_arena *arena);

/* Returns the name of a library without its version: libfoo.so.1.2.3, libfoo-1.2.so and libfoo.so become libfoo.so.
 * The result is NAME itself or allocated in ARENA. */
const char *mp_stem_module(const char *name, struct mp_arena *arena);

#endif
