/* SPDX-License-Identifier: MIT */
/*
 * paint.h -- allocates blocks with a sentinel behind them (runtime/record/sentinel.h).
 *
 * If sentinels are wanted, mp_next refers to the functions of paint.c in place of glibc's. Otherwise mp_next refers to
 * glibc's, and paint.c costs nothing. Blocks of other allocators are not painted, because other allocators have further
 * functions whose blocks could not be painted (interfaces.c).
 */
#ifndef MP_PAINT_H
#define MP_PAINT_H

#include <stddef.h>

#include "next.h"

/* Replaces the functions of NEXT, which are glibc's, if the options ask for sentinels. Called once. */
void mp_paint_open(struct mp_next *next);

/* Returns the number of bytes of a block of pvalloc(SIZE) that the program may use. Without sentinels this does not
 * matter, and the result is SIZE. */
size_t mp_paint_pages(size_t size);

#endif
