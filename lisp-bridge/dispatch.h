/*
 * dispatch.h -- shows which generic function is searching for its methods.
 *
 * If a generic function has no cached method for its arguments, libecl computes one, and allocates memory. The
 * functions that it calls for this get the generic function as an argument. During a recording, these calls go
 * through a function of ours, which stores the generic function in a word of its frame, as the interpreter does.
 * Other calls of these functions, and calls of cached methods, are unchanged.
 */
#ifndef MP_LISP_DISPATCH_H
#define MP_LISP_DISPATCH_H

#include <stdbool.h>

#include "runtime/language/language.h"

/* Finds the calls if this libecl and this machine support it, and describes the code of our frames in *CODE. */
void mp_lisp_dispatch_open(struct mp_interpreter *code);

/* Redirects the calls through our function, or stops doing so. */
void mp_lisp_dispatch_set(bool on);

#endif
