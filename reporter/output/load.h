/*
 * load.h -- a data file becomes a profile with names: what a command begins with.
 *
 * Names of large programs take seconds: progress goes to stderr if that is a terminal.
 */
#ifndef MP_LOAD_H
#define MP_LOAD_H

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"

/* Read PATH and find its names.  EXECUTABLE: NULL, or where the program's file is now.  NULL and *ERROR
 * on failure; else the caller frees it with mp_profile_free(). */
struct mp_profile *mp_load(const char *path, const char *executable, struct mp_error *error);

/* The second half of that: find the names of PROFILE. */
bool mp_load_names(struct mp_profile *profile, const char *executable, struct mp_error *error);

#endif
