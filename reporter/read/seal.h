/* seal.h -- write a symbolised profile in the sealed, portable form. */
#ifndef MP_SEAL_H
#define MP_SEAL_H

#include "reporter/base/file_at.h"
#include "reporter/profile/profile.h"

/* Let the time line of PROFILE take SIZE bytes of a sealed file at most: first moments that were seen go,
 * every second one, then counters of the program's own, which are then counted as left out, then points;
 * if that is not enough there is no time line. */
void mp_seal_fit_time(struct mp_profile *profile, size_t size);

/* Write PROFILE to PATH: first to a file beside it, then renamed, so that PATH is never half
 * written.  The file gets mode 0600.  *SIZE (may be NULL): bytes written. */
bool mp_seal(const struct mp_profile *profile, const char *path, uint64_t *size,
             struct mp_error *error);

/* The same in place of FILE, in its open directory, unless its name leads to another file by now. */
bool mp_seal_at(const struct mp_profile *profile, const struct mp_file_at *file, uint64_t *size,
                struct mp_error *error);
#endif
