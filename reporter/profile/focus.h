/*
 * focus.h -- only what was allocated while one function ran: after the view, before the tables.
 */
#ifndef MP_FOCUS_H
#define MP_FOCUS_H

#include "profile.h"

/* PROFILE without the cells whose chain has no function called NAME.  The name of a generic
 * function of Lisp stands for its methods, that of a C function also where a file's name had to be
 * put before it.  The caller frees it with mp_profile_free(); PROFILE must outlive it.  NULL and
 * *ERROR: no chain has such a function. */
struct mp_profile *mp_focus(const struct mp_profile *profile, const char *name,
                            struct mp_error *error);

#endif
