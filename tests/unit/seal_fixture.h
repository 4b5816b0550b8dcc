/* seal_fixture.h -- profiles to seal, and the sealed file, for tests of sealed files. */
#ifndef MP_TEST_SEAL_FIXTURE_H
#define MP_TEST_SEAL_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "profile_checks.h"
#include "reporter/profile/profile.h"

extern const char *path;        /* of the sealed file, in the test's directory */

/* Sets `path` before each test. */
void folder_set_up(void);

/* Profiles, which are freed when the test ends: */
struct mp_profile *widgets(void);       /* the example of Zorn's paper, symbolised */
struct mp_profile *named(void);         /* the same with a run's number; plain names of functions are equal to their
                                           names, other names, or unknown */
struct mp_profile *timed(void);         /* widgets with a time line that has moments of all kinds; of the last cell, all
                                           frees and half of the allocations come after a checkpoint */
struct mp_profile *lisp(void);          /* lb_lisp(), with symbols */

/* Seals PROFILE at `path`. */
void must_seal(const struct mp_profile *profile);

/* Reads the file at `path` as a profile or as bytes, which the caller frees. */
struct mp_profile *read_sealed(void);
uint8_t *file_bytes(size_t *size);

#endif
/* SPDX-License-Identifier: MIT */
