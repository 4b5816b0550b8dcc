/*
 * dispatch.h -- which generic function it is that has no method remembered for its arguments.
 *
 * Then libecl computes one, and allocates: its functions get the generic function as an argument.
 * While recording, those calls go through a function of ours, whose frame holds it in a word, as the
 * interpreter's does.  Calls from elsewhere, and of a method that is remembered, are as ever.
 */
#ifndef MP_LISP_DISPATCH_H
#define MP_LISP_DISPATCH_H

#include <stdbool.h>

#include "runtime/language/language.h"

/* Find the calls, as far as this libecl and this machine have them; *CODE is where our frames are. */
void mp_lisp_dispatch_open(struct mp_interpreter *code);

/* The calls go through our function from now on, or no more. */
void mp_lisp_dispatch_set(bool on);

#endif
