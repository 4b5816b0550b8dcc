/*
 * inlined_copies.h -- Lisp names for functions that gcc copied into others.
 *
 * A frame has the Lisp name of the function that its code belongs to.  For functions that were
 * copied there (inlined), debug information has their C names.  The monitor wrote a frame for the
 * start of each function that has a Lisp name (runtime/language/name_copies.h); no context has
 * such a frame.  Those whose function was copied somewhere stay in the profile, where a view finds
 * the function's Lisp name.
 *
 * A local function that was copied wherever it is called has neither code nor object: its Lisp name
 * is made of the name that ECL gave it in C.
 */
#ifndef MP_SYMBOLS_INLINED_COPIES_H
#define MP_SYMBOLS_INLINED_COPIES_H

#include "binary.h"
#include "collected.h"

/* Find the Lisp names of functions in BINARY that are inlined in the COUNT FRAMES.  Frames of
 * contexts have their locations; those that only name a function get theirs here if it was
 * copied. */
void mp_symbols_copies(struct mp_symboliser *symboliser, struct mp_binary *binary,
                       const struct mp_symbol_frame *frames, uint32_t count);

/* At the end: add a frame for each name that was made here, and drop the frames (with their names)
 * of functions that were not copied. */
void mp_symbols_keep_copies(struct mp_symboliser *symboliser);

#endif
