/* seal_fixture.h -- what the tests of sealed files share: a folder, a profile to seal, its file. */
#ifndef MP_TEST_SEAL_FIXTURE_H
#define MP_TEST_SEAL_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "profile_checks.h"
#include "reporter/profile/profile.h"

extern char directory[];        /* a new one for each test */
extern char path[64];           /* of the sealed file, in it */

void folder_set_up(void);
void folder_tear_down(void);

/* The paper's example, with symbols. */
struct mp_profile *widgets(void);

/* The same of a numbered run, with functions whose plain name is theirs, another, or not known. */
struct mp_profile *named(void);

/* Widgets with a time line of all kinds of moments: the last context's cell has all that it freed behind a
 * checkpoint, and half of what it allocated before. */
struct mp_profile *timed(void);

/* A program with Lisp in it: lb_lisp(), with symbols. */
struct mp_profile *lisp(void);

/* Seal it at `path`, and read that file. */
void must_seal(const struct mp_profile *profile);
struct mp_profile *read_sealed(void);
uint8_t *file_bytes(size_t *size);      /* malloc()ed */

#endif
