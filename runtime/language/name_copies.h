/*
 * name_copies.h -- names for functions that were copied into others (inlined).
 *
 * Which these are, the reporter knows from debug information; it needs their names, though none of
 * them may ever be on a chain.  So for each function of a file with debug information there is a
 * frame that no context has: with ip where the function starts, as if a signal had interrupted it
 * there, and with its name.  They are made when the first code of the file is met.
 *
 * Called with the gate's lock held.
 */
#ifndef MP_NAME_COPIES_H
#define MP_NAME_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct mp_copies_file {
    uintptr_t start, end;       /* of its code */
    uint32_t module;            /* 0: no code of it was met in the present data file */
};

/* There is such a file: code from START to END. */
void mp_copies_add(uintptr_t start, uintptr_t end);

/* The code at CODE, of MODULE, is met.  The file that it is the first of; NULL: there is none. */
const struct mp_copies_file *mp_copies_meet(uintptr_t code, uint32_t module);

/* Is the function at START to have such a frame now? */
bool mp_copies_wanted(uintptr_t start);

/* The frame for the function at START: FRAME, or, if that is 0, a new one.  It gets the name with
 * record NAME.  0: no space. */
uint32_t mp_copies_name(uint32_t frame, uintptr_t start, uint32_t name);

/* The code between START and END is gone. */
void mp_copies_forget(uintptr_t start, uintptr_t end);

/* A new data file begins. */
void mp_copies_reset(void);

#endif
