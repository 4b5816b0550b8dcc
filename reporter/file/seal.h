/* SPDX-License-Identifier: MIT */
/* seal.h -- writes a symbolised profile in the sealed, portable form. */
#ifndef MP_SEAL_H
#define MP_SEAL_H

#include "reporter/base/file_at.h"
#include "reporter/profile/profile.h"
#include "runtime/format.h"

struct mp_writing;

/* Thins the time line of PROFILE until it takes at most SIZE bytes of a sealed file. Removes every second observed
 * moment first, then the changes of every second checkpoint, which are counted as left out, then every second
 * point. Removes the whole time line if it is still too large. */
void mp_seal_fit_time(struct mp_profile *profile, size_t size);

/* Writes PROFILE to PATH with mode 0600. Writes a file in the same directory first and renames it, so PATH is never
 * half written. Sets *SIZE to the number of bytes unless SIZE is NULL. Returns false and sets *ERROR on failure. */
bool mp_seal(const struct mp_profile *profile, const char *path, uint64_t *size,
             struct mp_error *error);

/* Like mp_seal(), but replaces FILE in its open directory. Fails if the name leads to another file by now. */
bool mp_seal_at(const struct mp_profile *profile, const struct mp_file_at *file, uint64_t *size,
                struct mp_error *error);

/* Appends the sealed form of PROFILE to FILE, an archive (archive.h) of *END bytes that nobody else writes. Adds the
 * number of bytes to *END and stores it in *SIZE. On failure returns false, sets *ERROR, and FILE keeps its size. */
bool mp_seal_append(const struct mp_profile *profile, const struct mp_file_at *file, uint64_t *end, uint64_t *size,
                    struct mp_error *error);

/* Puts the sealed form of PROFILE into WRITING, for an archive that is written anew. Returns false and sets *ERROR if
 * PROFILE cannot be sealed. */
bool mp_seal_put(const struct mp_profile *profile, struct mp_writing *writing, struct mp_error *error);

/* Returns a copy of PROFILE as it would be read from a sealed file. NAME is used in messages. Returns NULL and sets
 * *ERROR on failure. The caller frees the copy with mp_profile_free(). */
struct mp_profile *mp_seal_copy(const struct mp_profile *profile, const char *name, struct mp_error *error);

/* A section of a sealed file: its size in bytes, and its size if it were deflated without the others. */
struct mp_seal_section {
    const char *name;
    uint64_t size, deflated;
};

/* Sets SECTIONS to those of the sealed form of PROFILE, which must be symbolised. Returns their number. */
unsigned mp_seal_sections(const struct mp_profile *profile, struct mp_seal_section sections[MP_SEC_END]);

#endif
