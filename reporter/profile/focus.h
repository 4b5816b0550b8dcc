/*
 * focus.h -- only what was allocated while one function ran: after the view, before the tables.
 */
#ifndef MP_FOCUS_H
#define MP_FOCUS_H

#include "profile.h"

/* Take the cells out of VIEW, a view of PROFILE, whose chain has no function that is called NAME in
 * either.  The name of a generic function of Lisp stands for its methods, that of a C function also
 * where a file's name had to be put before it.  False and *ERROR: no chain has such a function. */
bool mp_focus(struct mp_profile *view, const struct mp_profile *profile, const char *name,
              struct mp_error *error);

/* Is FUNCTION called NAME in this sense? */
bool mp_function_is_called(const struct mp_function *function, const char *name);

#endif
