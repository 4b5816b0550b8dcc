/*
 * methods.h -- names of methods: "(METHOD AREA (CIRCLE))", from the method objects.
 *
 * A method's function has no name of its own, and the method knows what it belongs to only some time
 * after it was made.  Until then it is remembered; as soon as it is complete, its name is copied to
 * the monitor's, under the address of its code, or of its bytecodes if it is interpreted.
 */
#ifndef MP_LISP_METHODS_H
#define MP_LISP_METHODS_H

#include <stdbool.h>

#include "objects.h"

/* METHOD has been made, and is alive. */
void mp_lisp_name_method(cl_object method);

/* Tell the names of the methods that are complete by now.  The gate's lock is held. */
void mp_lisp_settle_methods(void);

/* Forget methods that are dead.  At the end of a collection, with the gate's lock held. */
void mp_lisp_forget_methods(bool (*alive)(const void *object));

#endif
