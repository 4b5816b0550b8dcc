/*
 * name_copies.h -- names for functions that were copied into others (inlined).
 *
 * The reporter knows from debug information which functions were copied where; it needs their
 * names, though they may never be on a chain themselves.  So when the first code of a file with
 * debug information is met, a frame is made for each function of the file: its ip is where the
 * function starts, it is marked as if a signal had interrupted it there, and it has the function's
 * name.  No context has such a frame.
 *
 * The gate's lock is held for all of these.
 */
#ifndef MP_NAME_COPIES_H
#define MP_NAME_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct mp_copies_file {
    uintptr_t start, end;       /* of its code */
    uint32_t module;            /* 0: no code of it was met in the present data file */
};

/* The code from START to END is of a file with debug information. */
void mp_copies_add(uintptr_t start, uintptr_t end);

/* The code at CODE, of MODULE, is met.  Its file, if no code of that was met before; else NULL. */
const struct mp_copies_file *mp_copies_meet(uintptr_t code, uint32_t module);

/* Is the function at START in a file of which code was met, so that it is to have such a frame? */
bool mp_copies_wanted(uintptr_t start);

/* The frame for the function at START: FRAME, or, if that is 0, a new one.  It gets the name with
 * record NAME.  0: no space. */
uint32_t mp_copies_name(uint32_t frame, uintptr_t start, uint32_t name);

/* The code between START and END is gone. */
void mp_copies_forget(uintptr_t start, uintptr_t end);

/* A new data file begins. */
void mp_copies_reset(void);

#endif
