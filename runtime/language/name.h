/* SPDX-License-Identifier: MIT */
/*
 * name.h -- names that a language's runtime gives to its functions.
 *
 * A bridge passes a name to the monitor when the bridge learns the name, with the start address of the function's code.
 * The name is written to the file as soon as the name is known and a frame of the function has been met, in either
 * order.
 */
#ifndef MP_NAME_H
#define MP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "language.h"

/* ---- for bridges */

/* mp_name_tell() gives NAME to the function whose code starts at START, and copies the strings. mp_name_known()
 * returns whether the function has a name. Both take the lock. */
void mp_name_tell(uintptr_t start, const struct mp_function_name *name);
bool mp_name_known(uintptr_t start);

/* mp_name_tell_held() gives NAME to the function at START. mp_name_told_held() returns the name given to the
 * function at START, or NULL if it has not been named. Lock held. */
void mp_name_tell_held(uintptr_t start, const struct mp_function_name *name);
const char *mp_name_told_held(uintptr_t start);

/* Returns the name of the function that contains the function at START, or NULL if none is known. Lock held. */
const char *mp_name_outer_held(uintptr_t start);

/* Forgets the names of objects (MP_NAME_OBJECT) that are not ALIVE. Lock held. */
void mp_name_forget_dead(bool (*alive)(const void *object));

/* Notes that the function at ENTRY only passes calls on to the function at BODY. From then on, names for ENTRY are
 * given to BODY, and frames of ENTRY are not shown. Takes the lock. */
void mp_name_passes_on(uintptr_t entry, uintptr_t body);

/* Notes that the compiler merged two functions because their code is identical. The code at START is also that of the
 * function named at TWIN. TWIN is the start of the latter function. If both functions start at the same address, TWIN
 * is an address inside of the code for which no other name is given. Takes the lock. */
enum mp_twin {
    MP_TWIN_CALLED,             /* frames at START may belong to either function, and are named "A or B" */
    MP_TWIN_COPIED,             /* inlined copies of START's code may belong to either function */
    MP_TWIN_BOTH                /* frames at TWIN may belong to either function, too */
};
void mp_name_twin(uintptr_t start, uintptr_t twin, enum mp_twin how);

/* Notes that functions from START to END may have been inlined into each other and that debug information shows
 * where. Then the names of these functions are written to the file even if no frame of them is on a chain. Takes the
 * lock. */
void mp_name_copies(uintptr_t start, uintptr_t end);

/* mp_name_place() notes that the bridge will give no better name to the function at START. FILE is the file that
 * defines the function, or NULL if that is unknown. mp_name_settled() returns whether mp_name_place() was called for
 * the function or its name is not a weak one. Both take the lock. */
void mp_name_place(uintptr_t start, const char *file);
bool mp_name_settled(uintptr_t start);

/* ---- for the monitor; the lock is held */

/* Returns the name record of the function that starts at START and contains the code of FRAME in MODULE. START is 0
 * if it is unknown. Returns 0 if the function has no name yet. */
uint32_t mp_name_for_frame(uintptr_t start, uint32_t frame, uint32_t module);

/* Writes a record of NAME. Returns its id, or 0 if there is no space. */
uint32_t mp_name_record(const struct mp_function_name *name);

/* Returns whether CODE is an address in the language's runtime. */
bool mp_name_is_runtime(uintptr_t code);

/* Forgets the names of code between START and END, which is no longer loaded. */
void mp_name_forget(uintptr_t start, uintptr_t end);

/* Forgets the records, because a new file begins. */
void mp_name_reset(void);

#endif
