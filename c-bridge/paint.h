/*
 * paint.h -- allocates blocks with a sentinel behind them (runtime/record/sentinel.h).
 *
 * If sentinels are wanted, mp_next refers to these functions in place of glibc's. Otherwise they cost nothing. Other
 * allocators are used as they are: they have further functions whose blocks could not be painted (interfaces.c).
 */
#ifndef MP_PAINT_H
#define MP_PAINT_H

#include <stddef.h>

#include "next.h"

/* Replaces the functions of NEXT, which are glibc's, if the options ask for it. Called once. */
void mp_paint_open(struct mp_next *next);

/* Returns the bytes that the program may use of a block of pvalloc(SIZE). Without the sentinel they do not matter, and
 * the result is SIZE. */
size_t mp_paint_pages(size_t size);

#endif
