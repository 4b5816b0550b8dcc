/*
 * name.h -- what a language's runtime calls its functions.
 *
 * A bridge tells names as it learns them, by the address where the function's code starts.  A name
 * gets into the file once it was told and a frame of the function was met, whichever comes first.
 */
#ifndef MP_NAME_H
#define MP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "language.h"

/* ---- for bridges */

/* The function whose code starts at START has NAME (strings are copied).  Takes the lock. */
void mp_name_tell(uintptr_t start, const struct mp_function_name *name);
bool mp_name_known(uintptr_t start);

/* The same, and what was told of START (NULL: nothing), for who holds the lock. */
void mp_name_tell_held(uintptr_t start, const struct mp_function_name *name);
const char *mp_name_told_held(uintptr_t start);

/* What was told of the function that START's lies in; NULL: none is known.  Lock held. */
const char *mp_name_outer_held(uintptr_t start);

/* Forget the names of objects (MP_NAME_OBJECT) that are not ALIVE.  Lock held. */
void mp_name_forget_dead(bool (*alive)(const void *object));

/* The compiler made the function that is told under TWIN one with that at START.  TWIN is where that
 * function begins, or, if it begins there too, an address in it that is nobody else's.  Takes the
 * lock. */
enum mp_twin {
    MP_TWIN_CALLED,             /* frames at START may be of either: "A or B" */
    MP_TWIN_COPIED,             /* copies of START's code in other functions may be */
    MP_TWIN_BOTH                /* frames at TWIN, too */
};
void mp_name_twin(uintptr_t start, uintptr_t twin, enum mp_twin how);

/* Functions from START to END may have been copied into each other, and debug information says where:
 * their names are to be in the file though they may be on no chain.  Takes the lock. */
void mp_name_copies(uintptr_t start, uintptr_t end);

/* The function at START has no better name than it has; FILE is where it was defined, NULL: not known.
 * mp_name_settled(): that was told, or the name is not a weak one. */
void mp_name_place(uintptr_t start, const char *file);
bool mp_name_settled(uintptr_t start);

/* ---- for the monitor; the lock is held */

/* The code of FRAME, of MODULE, is in the function that starts at START (0: not known): the
 * record of that function's name, 0: it has none yet. */
uint32_t mp_name_for_frame(uintptr_t start, uint32_t frame, uint32_t module);

/* A record of NAME; 0: no space. */
uint32_t mp_name_record(const struct mp_function_name *name);

/* Is CODE an address in the language's runtime? */
bool mp_name_is_runtime(uintptr_t code);

/* The code between START and END is gone. */
void mp_name_forget(uintptr_t start, uintptr_t end);

/* A new file begins: it has no records. */
void mp_name_reset(void);

#endif
