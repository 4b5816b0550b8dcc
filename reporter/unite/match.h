/* SPDX-License-Identifier: MIT */
/*
 * match.h -- finds out which functions of two builds are the same.
 *
 * Functions are matched by name, in these steps:
 *
 * 1. Clones are equal to their function: the suffixes of mp_identity_clone() are ignored.
 * 2. Numbers in names (of lambdas, or addresses of functions without names) are compared if they are reliable: if the
 *    module is the same build on both sides, or if both sides have the same numbers. Otherwise mp_stem_numbers()
 *    removes them, and all functions with an equal name are one function.
 * 3. If a side has several functions of one name, places and parameters distinguish them. The place of a function is
 *    its source file, with as many folders as distinguish files of one build, if the files of all functions of the name
 *    in the module are known, and otherwise the module. Parameters are compared if they are known for all functions of
 *    the name at the place. If the builds are the same on both sides, addresses are compared, too.
 * 4. If after these steps exactly one function of each side has no match, these two match as well, unless their
 *    parameters differ. This is done first among functions with the same parameters, then among all functions.
 *
 * Functions that cannot be distinguished are treated as one, so that their figures are right as a sum.
 */
#ifndef MP_MATCH_H
#define MP_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/arena.h"

enum mp_side { MP_BEFORE, MP_AFTER, MP_SIDES };

/* A function as described by a profile. */
struct mp_match_function {
    const char *name;           /* without parameters, or NULL if unknown */
    const char *parameters;     /* for example "(int)", or NULL if unknown */
    const char *file;           /* source file of its declaration, or NULL if unknown */
    const char *module;         /* as returned by mp_stem_module(), or "" if unknown */
    const char *module_name;    /* for the name of a function without one */
    const char *build;          /* build id of the module, or "" if unknown */
    uint64_t start;             /* offset of its code in the module, or 0 if unknown */
    const char *sort;           /* functions of different sorts never match */
    bool is_lisp;               /* it has a name of Lisp */
    unsigned sides;             /* bits 1 << enum mp_side: sides that contain it */
    uint32_t run;               /* one of the runs that contain it */
    uint32_t match;             /* number of the matched function, set by mp_match() */
    bool is_part;               /* its name is that of a part, which the function itself calls; set by mp_match() */
};

/* Assigns numbers from 0 to *COUNT - 1 to the N functions of LIST; matching functions get the same number. Returns
 * names by number, allocated in ARENA. Names are unique within a sort. */
const char **mp_match(struct mp_match_function list[], uint32_t n, uint32_t *count, struct mp_arena *arena);

/* ---------------------------------------------------------------- stems of names */

/* Returns NAME, from which clone suffixes are already removed, without the numbers by which a compiler distinguishes
 * unnamed functions, which it chooses anew in each build. The result is NAME itself or allocated in ARENA.
 *
 *     std::sort<main::{lambda(int)#2}>                            std::sort<main::{lambda(int)}>
 *     lambda@queue.cc:12                                          lambda@queue.cc
 *     LAMBDA #2 in COUNT-WORDS, LAMBDA of words.lisp:7            LAMBDA in COUNT-WORDS, LAMBDA of words.lisp
 */
const char *mp_stem_numbers(const char *name, struct mp_arena *arena);

/* Returns the name of a library without its version: libfoo.so.1.2.3, libfoo-1.2.so and libfoo.so become libfoo.so.
 * The result is NAME itself or allocated in ARENA. */
const char *mp_stem_module(const char *name, struct mp_arena *arena);

#endif
