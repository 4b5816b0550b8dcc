/*
 * inlined_copies.h -- Lisp names for functions that gcc copied into others.
 *
 * A frame has the Lisp name of the function that its code belongs to.  Debug information has C names
 * of those that were copied there (inlined).  The monitor left frames that no context has
 * (runtime/language/name_copies.h): each begins a function and has its Lisp name.  Those that are
 * needed stay in the profile: whoever shows frames finds names for functions there.
 *
 * A local function that was copied wherever it is called has neither code nor object: its name is
 * made of the one that ECL gave it in C.
 */
#ifndef MP_SYMBOLS_INLINED_COPIES_H
#define MP_SYMBOLS_INLINED_COPIES_H

#include "binary.h"
#include "collected.h"

/* Name the copies of functions of ECL's in BINARY that are inlined in FRAMES, of which some only
 * name a function; all are located but these. */
void mp_symbols_copies(struct mp_symboliser *symboliser, struct mp_binary *binary,
                       const struct mp_symbol_frame *frames, uint32_t count);

/* At the end: what names functions that were copied is frames of its own in the profile, and those
 * that name no such function are gone, with their names. */
void mp_symbols_keep_copies(struct mp_symboliser *symboliser);

#endif
