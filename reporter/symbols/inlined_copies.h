/* SPDX-License-Identifier: MIT */
/*
 * inlined_copies.h -- Lisp names for functions that gcc inlined.
 *
 * A frame has the Lisp name of the function whose code it is in. For functions inlined there, debug information
 * provides only C names. The monitor records a frame for the start of each function with a Lisp name
 * (runtime/language/name_copies.h). No context has such a frame. If the function was inlined somewhere, the frame
 * remains in the profile, so that a view finds the Lisp name.
 *
 * A local function that was inlined everywhere has neither code nor an object. Its Lisp name is derived from the
 * name that ECL gave it in C.
 */
#ifndef MP_SYMBOLS_INLINED_COPIES_H
#define MP_SYMBOLS_INLINED_COPIES_H

#include "binary.h"
#include "collected.h"

/* Finds the Lisp names of functions in BINARY that are inlined in the COUNT FRAMES. Frames of contexts must have
 * their locations. Frames that only name a function get theirs here if the function was inlined. */
void mp_symbols_copies(struct mp_symboliser *symboliser, struct mp_binary *binary,
                       const struct mp_symbol_frame *frames, uint32_t count);

/* Adds a frame for each derived name, and drops the frames, with their names, of functions that were not inlined.
 * Must be called at the end. */
void mp_symbols_keep_copies(struct mp_symboliser *symboliser);

#endif
