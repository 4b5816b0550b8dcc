/* callback.h -- a function of the program's that is called when the live bytes have changed: mprof_set_callback(). */
#ifndef MP_CALLBACK_H
#define MP_CALLBACK_H

#include <stddef.h>

/* From now on, calls FUNCTION(COOKIE, bytes) whenever the live bytes have changed by STEP.  NULL: nothing is called. */
void mp_callback_set(void (*function)(void *cookie, size_t current), void *cookie, size_t step);

/* The thread has left the monitor, where it saw that the function is to be called. */
void mp_callback_due(void);

#endif
