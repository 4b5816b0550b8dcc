/*
 * name.h -- what a language's runtime calls its functions.
 *
 * A bridge tells names as it learns them, by the address where the function's code starts.  A name
 * gets into the file once it was told and a frame of the function was met, whichever comes first.
 * All functions here are called with the gate's lock held; those that bridges call (mp_name_tell)
 * are in monitor.h.
 */
#ifndef MP_NAME_H
#define MP_NAME_H

#include <stdint.h>

#include "runtime/monitor.h"

/* The language that is recorded beside C, or NULL. */
extern const struct mp_language *mp_language;

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
