/*
 * focus.h -- restricts a view to what was allocated while one function ran. It is a step of mp_view(), see
 * view.h.
 */
#ifndef MP_FOCUS_H
#define MP_FOCUS_H

#include "profile.h"

/* Removes the cells of VIEW, a view of PROFILE, whose chain has no function called NAME, neither in the view nor
 * in PROFILE. Returns false and fills *ERROR if no chain has such a function. */
bool mp_focus(struct mp_profile *view, const struct mp_profile *profile, const char *name,
              struct mp_error *error);

/* Returns whether NAME is the name of FUNCTION. The name of a Lisp generic function matches its methods. The
 * name of a C function also matches if a file name had to be put before it. */
bool mp_function_is_called(const struct mp_function *function, const char *name);

#endif
