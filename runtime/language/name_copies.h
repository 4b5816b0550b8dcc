/* SPDX-License-Identifier: MIT */
/*
 * name_copies.h -- names for functions that were inlined into others.
 *
 * The reporter learns from debug information which functions were inlined where. It needs the names of inlined
 * functions, although no frame of such a function may be on a chain. Therefore a frame is made for each function of a
 * file with debug information when code of that file is first met. The frame's ip is the function's start, the frame is
 * marked as interrupted by a signal there, and it has the function's name. No context has such a frame.
 *
 * Callers hold the gate's lock.
 */
#ifndef MP_NAME_COPIES_H
#define MP_NAME_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct mp_copies_file {
    uintptr_t start, end;       /* address range of its code */
    uint32_t module;            /* 0 if no code of the file was met in the present data file */
};

/* Notes that the code from START to END belongs to a file with debug information. */
void mp_copies_add(uintptr_t start, uintptr_t end);

/* Notes that the code at CODE, in MODULE, was met. Returns its file if this was the first code of the file, else
 * NULL. */
const struct mp_copies_file *mp_copies_meet(uintptr_t code, uint32_t module);

/* Returns whether the function at START needs a frame for its inlined copies. It does if code of its file was met. */
bool mp_copies_wanted(uintptr_t start);

/* Gives the name record NAME to the frame for inlined copies of the function at START. FRAME is that frame, or 0 to
 * make a new one. Returns the frame, or 0 if there is no space. */
uint32_t mp_copies_name(uint32_t frame, uintptr_t start, uint32_t name);

/* Forgets the code between START and END, which is no longer loaded. */
void mp_copies_forget(uintptr_t start, uintptr_t end);

/* Forgets what was met, because a new data file begins. */
void mp_copies_reset(void);

#endif
