/* SPDX-License-Identifier: MIT */
/*
 * operators.h -- notices blocks that are freed by another kind of function than allocated them (mprof run --sentinel).
 *
 * Blocks of malloc are freed by free or realloc, those of new by delete, and those of new[] by delete[]. In the
 * shared libraries of C++, these operators are functions that call malloc and free. The C bridge redirects them to
 * hooks, which note the call and jump to the operator, so that chains are the same. Which function made a block is
 * noted in its sentinel. Nothing is known if the operators are elsewhere.
 */
#ifndef MP_OPERATORS_H
#define MP_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

/* Kind of function that allocates or frees a block. */
enum mp_made { MP_MADE_UNKNOWN = 0, MP_MADE_BY_NEW, MP_MADE_BY_ARRAY, MP_MADE_BY_MALLOC, MP_MADE_MASK = 3 };

/* Adds the code of one of the MP_NEWS operators new and new[], SIZE bytes at START. */
#define MP_NEWS 8u
void mp_operators_add(uintptr_t start, uintptr_t size);

/* Begins to notice. The operators are in the library that is mapped from START to END. */
void mp_operators_watch(uintptr_t start, uintptr_t end);

/* Returns whether operators are watched. */
bool mp_operators_are_watched(void);

/* Notes a call of operator new or new[] (IS_DELETE is false), or of delete or delete[]. FRAME is the hook's frame
 * address. */
void mp_operator_called(enum mp_made of, bool is_delete, const void *frame);

/* Returns the kind of function that is allocating the block: operator new or new[] if one of them called the hook of
 * malloc with the frame HOOK_FRAME. */
enum mp_made mp_operator_making(const void *hook_frame);

/* Returns whether it is a fault to free a block that was allocated by MADE. HOOK_FRAME is the frame of the hook of
 * free, which an operator delete may have called, or NULL in realloc. */
bool mp_operator_mismatches(enum mp_made made, const void *hook_frame);

#endif
