/*
 * stem.h -- names of functions without what a compiler puts into them, and chooses anew for each build.
 *
 *     f.constprop.0, f.isra.0.cold, f(int) [clone .part.0]      f, f, f(int)
 *     std::sort<main::{lambda(int)#2}>                          std::sort<main::{lambda(int)}>
 *     lambda@queue.cc:12                                        lambda@queue.cc
 *     LAMBDA #2 in COUNT-WORDS, LAMBDA of words.lisp:7          LAMBDA in COUNT-WORDS, LAMBDA of words.lisp
 */
#ifndef MP_STEM_H
#define MP_STEM_H

#include <stdbool.h>

#include "reporter/base/arena.h"

/* NAME without what tells a clone from its function: what is a copy, or a part, of the same source.  NAME
 * itself, or in ARENA. */
const char *mp_stem_clone(const char *name, struct mp_arena *arena);

/* Does that tell a part of the function, which the function itself calls? */
bool mp_stem_is_part(const char *name);

/* NAME, of which that is already taken off, without the numbers that tell functions without names of their own
 * apart: by their order or their place.  NAME itself, if it has none, or in ARENA. */
const char *mp_stem_numbers(const char *name, struct mp_arena *arena);

/* What is left of the name of a library that has a version in it: libfoo.so.1.2.3, libfoo-1.2.so and libfoo.so are
 * libfoo.so.  NAME itself, or in ARENA. */
const char *mp_stem_module(const char *name, struct mp_arena *arena);

#endif
