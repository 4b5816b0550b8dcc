/* SPDX-License-Identifier: MIT */
/* callback.h -- calls a function of the program when the live bytes have changed; see mprof_set_callback(). */
#ifndef MP_CALLBACK_H
#define MP_CALLBACK_H

#include <stddef.h>

/* Calls FUNCTION(COOKIE, bytes) from now on, whenever the live bytes have changed by STEP. A FUNCTION of NULL ends
 * the calls. */
void mp_callback_set(void (*function)(void *cookie, size_t current), void *cookie, size_t step);

/* Calls the program's function. Called after a thread has left the monitor with MP_PENDING_CALL set. */
void mp_callback_due(void);

#endif
