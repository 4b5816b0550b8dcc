/*
 * stem.h -- removes from names of functions what compilers add and choose anew in each build.
 *
 *     f.constprop.0, f.isra.0.cold, f(int) [clone .part.0]        f, f, f(int)
 *     std::sort<main::{lambda(int)#2}>                            std::sort<main::{lambda(int)}>
 *     lambda@queue.cc:12                                          lambda@queue.cc
 *     LAMBDA #2 in COUNT-WORDS, LAMBDA of words.lisp:7            LAMBDA in COUNT-WORDS, LAMBDA of words.lisp
 */
#ifndef MP_STEM_H
#define MP_STEM_H

#include <stdbool.h>

#include "reporter/base/arena.h"

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
