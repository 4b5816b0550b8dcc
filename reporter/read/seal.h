/* seal.h -- write a symbolised profile in the sealed, portable form. */
#ifndef MP_SEAL_H
#define MP_SEAL_H

#include "reporter/profile/profile.h"

/* Write PROFILE to PATH: first to a file beside it, then renamed, so that PATH is never half
 * written.  The file gets mode 0600.  *SIZE (may be NULL): bytes written. */
bool mp_seal(const struct mp_profile *profile, const char *path, uint64_t *size,
             struct mp_error *error);
#endif
