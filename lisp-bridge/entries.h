/* SPDX-License-Identifier: MIT */
/*
 * entries.h -- redirects functions of the program itself, whose calls do not go through a word that can be changed.
 *
 * A program that contains libecl.a and libgc.a calls libgc directly. So the first instructions of a function of libgc
 * are replaced by a jump to a second jump. The second jump goes through a word, which has the address of the hook or of
 * a copy of the replaced instructions that continues in the function. This is done only if it is provably safe:
 *
 * - The process has one thread, so no thread is between the replaced instructions.
 * - The replaced instructions are of known kinds, which do the same at another address after their displacements are
 *   corrected. A call is not among them, because its return address would have no unwind information.
 * - No direct jump leads between the replaced instructions. Bytes that could be a jump of 32 bits are searched at every
 *   address of the program's code, and bytes that could be a jump of 8 bits at every address of the function. So no
 *   real jump is missed. Indirect jumps in the function lead only to other functions.
 *
 * Nothing is changed unless all these conditions are true for all functions.
 */
#ifndef MP_LISP_ENTRIES_H
#define MP_LISP_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

#include "ecl.h"
#include "runtime/system/imports.h"

/* Redirects the functions at FUNCTIONS[I], if their size is not 0, and sets `word` and `theirs` of IMPORTS[I] for
 * mp_imports_set(). The words select `theirs` at first. Returns NULL, or the reason why nothing was changed. */
const char *mp_entries_redirect(struct mp_import *imports, const struct mp_range *functions, size_t n);

#endif
