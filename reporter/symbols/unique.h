/*
 * unique.h -- one name for one function, in the whole profile.
 *
 * Names that several functions share get, step by step, what tells them apart: C++ parameters,
 * the module (`program!init`, `libx.so!init`), the source file (`init@queue.c`, `init@a/util.c`),
 * the address, a number.  Only functions that still share their name get the next addition.
 */
#ifndef MP_SYMBOLS_UNIQUE_H
#define MP_SYMBOLS_UNIQUE_H

#include "collected.h"

/* Fill in `unique` of all functions. */
void mp_symbols_unique(struct mp_symboliser *symboliser);

#endif
