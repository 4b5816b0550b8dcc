/*
 * unique.h -- makes the names of functions unique in the whole profile.
 *
 * Functions with the same name get additions step by step: C++ parameters, the module (`program!init`,
 * `libx.so!init`), the source file (`init@queue.c`, `init@a/util.c`), the address, a number. Each step applies only
 * to functions whose names are still equal.
 */
#ifndef MP_SYMBOLS_UNIQUE_H
#define MP_SYMBOLS_UNIQUE_H

#include "collected.h"

/* Sets `unique` of all functions. */
void mp_symbols_unique(struct mp_symboliser *symboliser);

#endif
