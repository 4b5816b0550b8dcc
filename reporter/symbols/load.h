/* SPDX-License-Identifier: MIT */
/*
 * load.h -- reads a data file and resolves its names.
 *
 * Commands and everything that reads files for them call it.
 *
 * Resolving the names of a large program takes seconds, so progress is shown on stderr if that is a terminal.
 */
#ifndef MP_LOAD_H
#define MP_LOAD_H

#include "reporter/base/error.h"
#include "reporter/profile/profile.h"

/* Reads PATH and resolves its names. Returns NULL and sets *ERROR on failure. The caller frees the profile with
 * mp_profile_free(). */
struct mp_profile *mp_load(const char *path, struct mp_error *error);

/* Resolves the names of PROFILE, as mp_load() does. Returns false and sets *ERROR on failure. */
bool mp_load_names(struct mp_profile *profile, struct mp_error *error);

#endif
