/*
 * methods.h -- names methods by their method objects: "(METHOD AREA (CIRCLE))".
 *
 * A method's function has no name. The method object is associated with its generic function only some time after its
 * creation. Until then it is kept in a list. As soon as it is complete, its name is registered with the monitor,
 * under the address of its code, or of its bytecodes if it is interpreted.
 */
#ifndef MP_LISP_METHODS_H
#define MP_LISP_METHODS_H

#include <stdbool.h>

#include "objects.h"

/* Names METHOD, a live method object, now or when it is complete. */
void mp_lisp_name_method(cl_object method);

/* Names the methods that are complete by now. Gate's lock held. */
void mp_lisp_settle_methods(void);

/* Forgets dead methods. Called at the end of a collection with the gate's lock held. */
void mp_lisp_forget_methods(bool (*alive)(const void *object));

#endif
